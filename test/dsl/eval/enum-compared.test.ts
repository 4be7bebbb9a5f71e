/** A word that is compared with an enum is one of its members, quoted or not. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const codesOf = (condition: string): readonly string[] => {
  const text = `/// x
enum Scale { "1b", moe }
param scale: Scale = moe
param said: String = "moe"
param form: "x+y" | "x-y" = "x+y"
let chosen = ${condition}
assert len([chosen]) == 1
`;
  return compile({ path: "a.cdr", text }, alone).diagnostics.map(({ code }) => code);
};

it.each([
  ['scale == "meo"', "cdr/value-choice"],
  ['"foo" != scale', "cdr/value-choice"],
  ['scale in ["meo", "1b"]', "cdr/value-choice"],
  ['form == "x*y"', "cdr/value-choice"],
  ['scale == "moe"', "cdr/value-quoted"],
  ['scale in ["moe"]', "cdr/value-quoted"],
  ['match scale { "1b" => 1, "moe" => 2 }', "cdr/value-quoted"],
])("%s is told", (condition, code) => expect(codesOf(condition)).toEqual([code]));

it.each([
  'scale == "1b"',
  "scale == moe",
  'scale in ["1b", moe]',
  "scale == said",
  'form == "x-y"',
  'match scale { "1b" => 1, moe => 2 }',
])("%s is right", (condition) => expect(codesOf(condition)).toEqual([]));
