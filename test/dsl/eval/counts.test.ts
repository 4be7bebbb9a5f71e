/** A count such as layers is no share, and no amount of anything else. */
import { describe, expect, it } from "vitest";
import { judgeAll } from "../../../dsl/eval/judgement/check.ts";
import { program, told } from "../../support/language.ts";

describe("counts and shares", () => {
  const block = "thing a { size = 4 }\n";
  it.each([
    ["a.size > 5%", "`>` cannot combine 4 and 5%: a count and a share"],
    ["5% == a.size", "`==` cannot combine 5% and 4: a share and a count"],
    ["a.size + 1 != 5%", "`!=` cannot combine 5 and 5%: a count and a share"],
    ["a.size in 5%..10%", "`in` cannot combine 4 and 5%..10%: a count and a share"],
    ["a.size in [5%, 10%]", "`in` cannot combine 4 and [5%, 10%]: a count and a share"],
    ["len([1, 2]) > 5%", "`>` cannot combine 2 and 5%: a count and a share"],
    ["a.size + 10% > 4", "`+` cannot combine 4 and 10%: a count and a share"],
    ["2 tokens > 5%", "`>` cannot combine 2 tokens and 5%: tokens and a share"],
    ["2 KB > 5 tokens", "`>` cannot combine 2 KB and 5 tokens: bytes and tokens"],
  ])("%s", (condition, message) => {
    expect(told(`${block}assert ${condition}`)).toEqual([`cdr/operator-operands 2: ${message}`]);
  });
  it.each([
    "a.size / 8 > 5%",
    "a.size * 5% < 1",
    "5% of a.size < 1",
    "0.5 > 5%",
    "1 > 5%",
    "10% + 5% > 0.1",
    "2 - 1.9 > 5%",
    "(if a.size > 3 then 0.2 else 1) > 5%",
  ])("%s", (condition) => {
    expect(told(`${block}assert ${condition}`)).toEqual([]);
  });
  it.each([
    ["a.size > 5 tokens", null],
    ["5% > 4", "4%"],
    ["200 < 300 tokens", "200 tokens"],
    ["1 < 3 tokens", "1 token"],
  ])("%s is answered with what somebody meant", (condition, mended) => {
    const made = program(`${block}assert ${condition}`);
    judgeAll(made);
    const texts = made.diagnostics.flatMap(({ fixes }) => fixes.flatMap(({ edits }) => edits.map((e) => e.newText)));
    expect(texts).toEqual(mended === null ? [] : [mended]);
  });
  it("are told by functions of several numbers", () => {
    expect(told(`${block}let b = max(a.size, 5%)`)).toEqual([
      "cdr/type-mismatch 2: the arguments of `max` must be only shares or only counts, not 4, 5%",
    ]);
  });
});
