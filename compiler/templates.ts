/** The Handlebars templates under `templates/`, read from the package: from its sources and from `dist/` alike. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Handlebars from "handlebars";
import { packageRoot } from "./package-root.ts";

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
