/** The arrows of docs/architecture.md: who may import whom. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");
const allowed: Readonly<Record<string, readonly string[]>> = {
  dsl: ["dsl"],
  compiler: ["dsl", "compiler"],
  runtime: ["dsl", "compiler", "runtime"],
  cli: ["dsl", "compiler", "runtime", "cli"],
};

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (entry.name.endsWith(".ts")) yield path;
  }
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map((m) =>
    relative(root, resolve(dirname(file), m[1] ?? "")),
  );
}

it.each(Object.keys(allowed))("%s imports only what it may", (folder) => {
  const wrong = [...sources(join(root, folder))].flatMap((file) =>
    importsOf(file)
      .filter((target) => target !== "package.json" && !(allowed[folder] ?? []).includes(target.split("/")[0] ?? ""))
      .map((target) => `${relative(root, file)} -> ${target}`),
  );
  expect(wrong).toEqual([]);
});

it("engines know nothing of each other, nor of the passes", () => {
  const wrong = [...sources(join(root, "compiler/engines"))].flatMap((file) => {
    const own = relative(join(root, "compiler/engines"), file).split("/")[0] ?? "";
    return importsOf(file)
      .filter((target) => {
        const other = /^compiler\/engines\/([^/]+)\//.exec(target)?.[1];
        const foreign = own.endsWith(".ts") ? false : other !== undefined && other !== own && other !== "rules";
        return foreign || target.startsWith("compiler/passes/");
      })
      .map((target) => `${relative(root, file)} -> ${target}`);
  });
  expect(wrong).toEqual([]);
});

it.each([...Object.keys(allowed), "compiler/passes", "compiler/planner"])(
  "the page names each folder of %s",
  (folder) => {
    const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
    const folders = readdirSync(join(root, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const section = folder.includes("/") ? page : (page.split(`## ${folder}\n`)[1]?.split("\n## ")[0] ?? "");
    expect(folders.map(({ name }) => name).filter((name) => !section.includes(`    ${name}/`))).toEqual([]);
  },
);
