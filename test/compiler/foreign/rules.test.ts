/** Each rule fires on its own example and stays silent on the example's mirror image. */
import { describe, expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { foreignRules } from "../../../compiler/foreign/rules/index.ts";
import type { Files } from "../../../compiler/foreign/rules/rule.ts";

function codes(files: Files): readonly string[] {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  const supplied = { world: null, gpusPerNode: null, gpu: null };
  return checkForeign(sources, supplied, () => undefined).diagnostics.map(({ code }) => code);
}

it("gives every rule a code of its own", () => {
  const all = foreignRules.map(({ diagnostic }) => diagnostic.code);
  expect(all.filter((code, at) => all.indexOf(code) !== at)).toEqual([]);
});

describe.each(foreignRules.map((rule) => [rule.diagnostic.code, rule] as const))("%s", (code, { fires, silent }) => {
  it("fires", () => {
    expect(codes(fires)).toContain(code);
  });
  it("stays silent on the mirror image", () => {
    expect(codes(silent)).not.toContain(code);
  });
  it("has examples that are read without complaint", () => {
    const refused = [...codes(fires), ...codes(silent)].filter((each) => /foreign-(?!unknown)/.test(each));
    expect(refused).toEqual([]);
  });
});
