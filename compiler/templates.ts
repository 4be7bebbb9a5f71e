/** The Handlebars templates under `templates/`, read from the package: from its sources and from `dist/` alike. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Handlebars from "handlebars";

export type Template = (context: unknown) => string;

const compiled = new Map<string, Template>();

/** `templateOf("local/launch.sh.hbs")`. Values enter as they are: whoever renders has escaped them for the format. */
export function templateOf(path: string): Template {
  const known = compiled.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(packageRoot(), "templates", path), "utf8");
  const template = Handlebars.compile(text, { noEscape: true, strict: true });
  const render: Template = (context) => template(context);
  compiled.set(path, render);
  return render;
}

/** The nearest folder above this file whose `package.json` is named `cdr`. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    if (isPackage(folder)) return folder;
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the package that this program belongs to was not found");
    folder = parent;
  }
}

function isPackage(folder: string): boolean {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return false;
  const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
  return typeof parsed === "object" && parsed !== null && "name" in parsed && parsed.name === "cdr";
}
