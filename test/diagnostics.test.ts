/** The catalog as a whole: codes are unique and explained. `test/docs.test.ts` holds each to an example that triggers it. */
import { expect, it } from "vitest";
import { allDefinitions } from "../compiler/diagnostics/index.ts";
import { define } from "../dsl/diagnostics/diagnostic.ts";
import { namedTypes } from "../dsl/eval/declarations/type-expression.ts";

it("gives every diagnostic a code of its own", () => {
  const codes = allDefinitions.map((d) => d.code);
  expect(new Set(codes).size).toBe(codes.length);
});

it.each(allDefinitions.map((d) => [d.code, d] as const))("%s says why and what to do", (_, { explanation, fix }) => {
  expect(explanation.length).toBeGreaterThan(20);
  expect(explanation).not.toMatch(/\bundefined\b|\bTODO\b/);
  expect(fix).toMatch(/^[A-Z][^]{8,}\.$/);
  expect(fix).not.toMatch(/\bundefined\b|\bTODO\b/);
  expect(explanation).not.toContain(fix);
});

it("names only types that there are", () => {
  const named = allDefinitions.flatMap(({ code, explanation, fix }) =>
    [...`${explanation}\n${fix}`.matchAll(/\bparam \w+: (\w+)/g)].map(([, type = ""]) => ({ code, type })),
  );
  expect(named.length).toBeGreaterThan(5);
  const declared = new Set(["Type"]);
  expect(named.filter(({ type }) => !(type in namedTypes) && !declared.has(type))).toEqual([]);
});

it("names each valid value once", () => {
  const report = define({ code: "cdr/test", severity: "error", message: () => "", explanation: "", fix: "" });
  const span = { source: { path: "a.cdr", text: "" }, start: 0, end: 0 };
  expect(report(span, {}, { valid: ["full", "none", "full"] }).valid).toEqual(["full", "none"]);
});

it("says of each what to do there, not one sentence for all", () => {
  const sharing = Object.values(Object.groupBy(allDefinitions, ({ fix }) => fix)).filter(
    (all = []) => all.length > 4,
  );
  expect(sharing.map((all = []) => [all[0]?.fix, all.map(({ code }) => code)])).toEqual([]);
});
