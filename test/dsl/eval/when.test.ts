/** `when`: a condition, and what is checked of a block that it makes absent. */
import { describe, expect, it } from "vitest";
import { told } from "../../support/language.ts";

describe("a condition", () => {
  it.each(["3", '"x"', "none", "auto", "1 + 1"])("is true or false, not %s", (written) => {
    const message = expect.stringMatching(/^cdr\/type-mismatch 1: `when` must be true or false, not/);
    expect(told(`thing a { when = ${written} }`)).toEqual([message]);
    expect(told(`preset a { when = ${written} }`)).toEqual([message]);
    expect(told(`thing a { settings { when = ${written} } }`)).toEqual([message]);
  });
  it("is known when compiling", () => {
    expect(told("thing a { when = run.step > 3 }")).toEqual([expect.stringMatching(/^cdr\/value-later 1: `when`/)]);
    expect(told("preset a { when = run.step > 3 }")).toEqual([expect.stringMatching(/^cdr\/value-later 1: `when`/)]);
  });
  it("may look at the block itself", () => {
    expect(told("thing a { when = thing.size > 3, size = 2 }")).toEqual([]);
  });
});

describe("a preset that holds", () => {
  it.each(["a.size == 2", "a.settings.depth == 1", "len([a.size]) == 1", "b.size == 2"])(
    "amends what its condition reads: %s",
    (condition) => {
      const text = `thing a { size = 2, settings { depth = 1 } }
thing b extends a {}
preset p { when = ${condition}, a { size = 5, settings { depth = 3 } } }
assert a.size == 5 and a.settings.depth == 3 and b.size == 5`;
      expect(told(text)).toEqual([]);
    },
  );
  it("is not chosen by what it says itself", () => {
    expect(told("thing a { size = 2 }\npreset p { when = a.size == 5, a.size = 5 }\nassert a.size == 2")).toEqual([]);
  });
});

describe("what an absent block writes down", () => {
  const absent = (body: string) =>
    told(`param n: Int = 0\nthing a {\nwhen = n > 0\n${body}\n}\nthing b { when = n > 0 }`);
  it.each([
    ['size = "x"', "cdr/type-mismatch 4"],
    ["size = 0", "cdr/value-range 4"],
    ["bending = bent(by = 1)", "cdr/value-choice 4"],
    ["bending = bend(by = -1)", "cdr/value-range 4"],
    ["settings {\ndepth = 0 }", "cdr/value-range 5"],
  ])("is checked: %s", (body, code) => {
    expect(absent(body).map((message) => message.slice(0, code.length))).toContain(code);
  });
  it.each(["size = 8 / n", "size = thing.settings.depth", "next = b", "size = [1][n]", "bending = bend(by = n - 1)"])(
    "may make sense only where it holds: %s",
    (body) => {
      expect(absent(body)).toEqual([]);
    },
  );
});
