/** The catalog as a whole: each diagnostic has a page of its own, and a case somewhere that triggers it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { allDefinitions } from "../compiler/diagnostics/index.ts";
import { demands as deepspeedDemands } from "../compiler/engines/deepspeed/demands/index.ts";
import { foreignRules } from "../compiler/foreign/rules/index.ts";
import { rules as megatronRules } from "../compiler/engines/megatron/rules/index.ts";

const root = import.meta.dirname;
const texts = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(ts|txt|snap)$/.test(entry.name))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
  .join("\n");

/** A case of a page; `test/docs.test.ts` holds each to the code that it is named by. */
const withPages = new Set(
  readdirSync(join(root, "../docs/diagnostics/cases")).map((name) => `cdr/${name.replace(/\.cdr$/, "")}`),
);

/** A rule of an engine or a launch brings its own case, which `test/compiler/` holds it to. */
const withExamples = new Set(
  [...megatronRules, ...deepspeedDemands, ...foreignRules].map(({ diagnostic }) => diagnostic.code),
);

it("gives every diagnostic a code of its own", () => {
  const codes = allDefinitions.map((d) => d.code);
  expect(new Set(codes).size).toBe(codes.length);
});

it.each(allDefinitions.map((d) => [d.code, d] as const))("%s has a page and a case", (code, definition) => {
  expect(definition.explanation.length).toBeGreaterThan(withExamples.has(code) ? 20 : 40);
  expect(definition.explanation).not.toMatch(/\bundefined\b|\bTODO\b/);
  expect(withExamples.has(code) || withPages.has(code) || texts.includes(code)).toBe(true);
});
