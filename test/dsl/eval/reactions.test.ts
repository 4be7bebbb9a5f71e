import { expect, it } from "vitest";
import { check, judgeAll } from "../../../dsl/eval/judgement/check.ts";
import { program, told } from "../../support/language.ts";

it.each([
  ["foo", /name-unknown 1: nothing is called `foo`/],
  ["5", /type-mismatch 1: what follows `else` must be a text in quotes, or a reaction \(warn\), not 5/],
  ["nosuch.thing", /name-unknown/],
  ['warn("x")', /argument-unnamed/],
  ["stop", /name-unknown/],
  ["abort", /name-unknown/],
  ["(2 + 3)", /type-mismatch/],
])("what follows `else` is looked at whether the condition holds or not: %s", (reaction, message) => {
  for (const condition of ["1 == 1", "run.step == 1"])
    expect(told(`assert ${condition} else ${reaction}`)).toContainEqual(expect.stringMatching(message));
});

it("a reason may be computed", () => {
  const failed = (reason: string) => told(`let n = 3\nlet why = "because"\nassert n == 4 else ${reason}`);
  expect(failed("why")).toEqual([expect.stringMatching(/assert-failed 3: not true: because: n == 4/)]);
  expect(failed('"it is ${n}"')).toEqual([expect.stringMatching(/not true: it is 3: n == 4/)]);
});

it("an assertion stops without being told to", () => {
  const text = "assert 1 == 1 else stop";
  const made = program(text);
  check(made);
  judgeAll(made);
  const [found] = made.diagnostics;
  expect(found?.valid).toEqual(["warn"]);
  const span = { start: "assert 1 == 1".length, end: text.length };
  expect(found?.fixes[0]?.edits).toMatchObject([{ newText: "", span }]);
});
