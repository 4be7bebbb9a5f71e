/** The examples of docs/language.md are true: whole files check, parts parse, and every word it lists is one. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compile } from "../compiler/compile.ts";
import { registry } from "../compiler/kinds/index.ts";
import { builtins } from "../dsl/eval/expressions/builtins.ts";
import { functionsOfFormulas } from "../dsl/eval/formulas/formula-functions.ts";
import { editions } from "../dsl/symbols/edition.ts";
import { parse } from "../dsl/syntax/parse.ts";
import { alone } from "./support/alone.ts";

const page = readFileSync(join(import.meta.dirname, "../docs/language.md"), "utf8");
const fenced = (tag: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${tag}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map((m) => m[1] ?? "");

it.each(fenced("cdr"))("checks without an error: %s", (text) => {
  const compiled = compile({ path: "main.cdr", text }, alone);
  expect(compiled.diagnostics.filter((d) => d.severity === "error").map((d) => d.message)).toEqual([]);
});

it.each(fenced("cdr-part"))("parses: %s", (text) => {
  expect(parse({ path: "part.cdr", text }).diagnostics).toEqual([]);
});

it("names every function, edition and step", () => {
  for (const name of [...builtins.keys(), ...Object.keys(functionsOfFormulas)])
    expect(page).toMatch(new RegExp(`\\b${name}\\b`));
  for (const edition of editions) expect(page).toContain(`edition = ${edition}`);
  for (const kind of Object.values(registry.kinds)) {
    if (kind.step === true) expect(page).toContain(`\`${kind.name}\``);
  }
});
