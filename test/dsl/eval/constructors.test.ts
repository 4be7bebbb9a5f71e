import { describe, expect, it } from "vitest";
import { program, told, valueIn } from "../../support/language.ts";

const maker = `maker twist {
  role = bending
  param turns as n_turns: Int in 1..8
  param grip: Float = 0.5
}
`;

describe("constructors that a file declares", () => {
  it("are used like built-in ones, with typed parameters and defaults", () => {
    const text = `${maker}thing a { bending = twist(turns = 3) }\nthing b extends a { bending.grip = 0.9 }`;
    expect(told(text)).toEqual([]);
    const value = valueIn(program(text), "b", "bending");
    expect(value.kind === "choice" ? [...value.arguments].map(([n, a]) => [n, a.value]) : value).toMatchObject([
      ["turns", { value: 3 }],
      ["grip", { value: 0.9 }],
    ]);
  });
  it("inherit parameters", () => {
    const text = `${maker}maker curl extends twist { param extra: Bool = true }\nthing a { bending = curl(turns = 1, extra = false) }`;
    expect(told(text)).toEqual([]);
  });
  it.each([
    ["twist", /argument-missing.*`twist` needs `turns`/],
    ["twist(turns = 9)", /value-range.*must be in 1\.\.8/],
    ["twist(turns = 2 tokens)", /unit-mismatch/],
    ["twist(turns = 2, grap = 1)", /argument-unknown.*`twist` has no argument `grap`/],
    ["twst(turns = 2)", /value-choice|call-not-callable/],
  ])("are judged: %s", (said, message) => {
    const found = told(`${maker}thing a { bending = ${said} }`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });
  it("fit only their role", () => {
    const found = told(`maker glow { role = heating }\nthing a { bending = glow }`);
    expect(found).toHaveLength(1);
    expect(told(`maker glow { role = heating }\nthing a { heat = heat + 2 * glow }`)).toEqual([]);
    expect(told(`maker glow { role = filter }\nthing a { heat = heat + 2 * glow }`)).toHaveLength(1);
  });
  it("may not take the name of a built-in one", () => {
    expect(told(`maker bend { role = bending }\nthing a { bending = bend(by = 1) }`)[0]).toMatch(/name-ambiguous/);
  });
  it("a param's own default keeps its bounds", () => {
    expect(told("maker m { role = bending\n param n: Int in 1..3 = 7 }")[0]).toMatch(/^cdr\/value-range 2/);
  });
  it("a param elsewhere is misplaced", () => {
    expect(told("thing a { param n: Int = 7 }")[0]).toMatch(/^cdr\/misplaced 1/);
  });
});

describe("a list in the last place", () => {
  const spots = (call: string) => {
    const value = valueIn(program(`thing a { bending = ${call} }`), "a", "bending");
    const at = value.kind === "choice" ? value.arguments.get("at")?.value : undefined;
    const items = at?.kind === "list" ? at.items.map((item) => item.value) : [at];
    return items.map((item) => (item?.kind === "member" ? item.name : item));
  };

  it.each([
    ["touch(softly)", ["head"]],
    ["touch(softly, tail)", ["tail"]],
    ["touch(softly, tail, side)", ["tail", "side"]],
    ["touch(softly, [tail, side], head)", ["tail", "side", "head"]],
    ["touch(softly, at = [tail, side])", ["tail", "side"]],
  ])("%s", (call, wanted) => {
    expect(told(`thing a { bending = ${call} }`)).toEqual([]);
    expect(spots(call)).toEqual(wanted);
  });

  it.each([
    ["touch(softly, at = [tail], side)", /argument-twice 1: `at` is given twice/],
    ["touch(softly, tail, sied)", /name-unknown 1: nothing is called `sied`/],
    ["bend(1, 2)", /argument-unnamed 1/],
  ])("%s is told", (call, message) => {
    expect(told(`thing a { bending = ${call} }`)[0]).toMatch(message);
  });
});
