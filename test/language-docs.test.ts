/** The examples of docs/language.md are true: whole files check, parts parse, and what it lists and counts is what there is. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compile } from "../compiler/compile.ts";
import { registry } from "../compiler/kinds/index.ts";
import { namedTypes } from "../dsl/eval/declarations/type-expression.ts";
import { longestList, longestText } from "../dsl/eval/expressions/bulk.ts";
import { builtins } from "../dsl/eval/expressions/builtins.ts";
import { functionsOfFormulas } from "../dsl/eval/formulas/formula-functions.ts";
import { editions } from "../dsl/symbols/edition.ts";
import { infixOperators } from "../dsl/syntax/operators.ts";
import { parse } from "../dsl/syntax/parse.ts";
import { scales } from "../dsl/types/units.ts";
import { show } from "../dsl/types/value.ts";
import { alone } from "./support/alone.ts";
import { program, valueIn } from "./support/language.ts";

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

/** The words of the first code span after some text of the page. */
const listed = (before: string): readonly string[] => {
  const rest = page.slice(page.indexOf(before));
  return /`([^`]+)`/.exec(rest)?.[1]?.split(/\s+/) ?? [];
};

it("lists the words of the language, all and no others", () => {
  const operators = [...new Set(infixOperators.values()), "not"].filter((operator) => operator !== "..");
  expect(listed("- Operators:").toSorted()).toEqual(operators.toSorted());
  expect(listed("- Functions:").toSorted()).toEqual([...builtins.keys()].toSorted());
  expect(listed("Formulas have operators, the functions").toSorted()).toEqual(
    Object.keys(functionsOfFormulas).toSorted(),
  );
  expect(listed("Types:")).toEqual(Object.keys(namedTypes));
  expect(page).toContain("(`K M B T`, `Ki Mi Gi Ti`)");
  expect(Object.keys(scales)).toEqual(["K", "M", "B", "T", "Ki", "Mi", "Gi", "Ti"]);
  for (const edition of editions) expect(page).toContain(`edition = ${edition}`);
  const steps = /produces something is a step: ([^.]+)\./.exec(page)?.[1] ?? "";
  const kinds = Object.values(registry.kinds).filter(({ step }) => step === true);
  expect([...steps.matchAll(/`(\w+)`/g)].map(([, kind]) => kind).toSorted()).toEqual(
    kinds.map(({ name }) => name).toSorted(),
  );
});

it("states the bounds of lists and texts", () => {
  const written = (count: number): string => count.toLocaleString("en-US");
  expect(page).toContain(`lists up to ${written(longestList)} items, texts up to ${written(longestText)} characters`);
});

it("states the order in which layers apply", () => {
  const layers = (/Layers apply in this order: ([^.]+)\./.exec(page)?.[1] ?? "").replaceAll("`", "").split(", ");
  const text = "thing a { size = 1 }\npreset p { a.size = 2 }\noverlay o { a.size = 3 }";
  const options: Readonly<Record<string, Parameters<typeof program>[1]>> = {
    file: {},
    preset: { preset: "p" },
    overlays: { overlays: ["o"] },
    "--set": { sets: [{ name: "a.size", text: "4" }] },
  };
  const sizes = layers.map((_, last) =>
    show(
      valueIn(
        program(text, Object.assign({}, ...layers.slice(0, last + 1).map((layer) => options[layer]))),
        "a",
        "size",
      ),
    ),
  );
  expect(sizes).toEqual(["1", "2", "3", "4"]);
});
