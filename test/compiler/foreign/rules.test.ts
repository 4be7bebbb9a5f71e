/** Each rule fires on its own example and stays silent on the example's mirror image. */
import { describe, expect, it } from "vitest";
import { foreignRules } from "../../../compiler/foreign/rules/index.ts";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import type { Files, ForeignRule } from "../../../compiler/foreign/rules/rule.ts";

function codes(files: Files, supplied: ForeignRule["supplied"]): readonly string[] {
  return toldOf(files, supplied).map(({ code }) => code);
}

it("gives every rule a code of its own", () => {
  const all = foreignRules.map(({ diagnostic }) => diagnostic.code);
  expect(all.filter((code, at) => all.indexOf(code) !== at)).toEqual([]);
});

describe.each(foreignRules.map((rule) => [rule.diagnostic.code, rule] as const))(
  "%s",
  (code, { fires, silent, supplied }) => {
    it("fires", () => {
      expect(codes(fires, supplied)).toContain(code);
    });
    it("stays silent on the mirror image", () => {
      expect(codes(silent, supplied)).not.toContain(code);
    });
    it("has examples that are read without complaint", () => {
      const refused = [...codes(fires, supplied), ...codes(silent, supplied)].filter((each) =>
        /foreign-(?!unknown)/.test(each),
      );
      expect(refused).toEqual([]);
    });
  },
);
