import { describe, expect, it } from "vitest";
import { amended } from "../../../dsl/eval/blocks/amended.ts";
import { pointsOf, variationsOf } from "../../../dsl/eval/variants/vary.ts";
import { groupOf } from "../../../dsl/eval/blocks/property.ts";
import { show } from "../../../dsl/types/value.ts";
import { blockNamed, program, told, valueIn } from "../../support/language.ts";

describe("amendments", () => {
  it("with on with keeps both", () => {
    const made = program(
      "thing a { size = 2 }\nlet b = (a with { size = 3 }) with { length = 4 steps }\nthing c { next = b }",
    );
    const next = valueIn(made, "c", "next");
    expect(
      next.kind === "block" ? show(next.block.context.property(next.block, "size", next.block.span).value) : "",
    ).toBe("3");
  });
  it("a group that an expression gives is amended, not forgotten", () => {
    const made = program(
      "thing a { settings = if true then { depth = 3, wide = true } else { depth = 1 } }\nthing b extends a { settings { depth = 5 } }",
    );
    const group = groupOf(blockNamed(made, "b"), "settings");
    expect(group?.context.property(group, "depth", group.span).value).toMatchObject({ value: 5 });
    expect(group?.context.property(group, "wide", group.span).value).toMatchObject({ value: true });
    const own = groupOf(blockNamed(made, "a"), "settings");
    expect(own?.context.property(own, "depth", own.span).value).toMatchObject({ value: 3 });
  });
  it("a nested declaration may be said anew by who extends, not twice in one body", () => {
    expect(told("thing a { part p { share = 1 } }\nthing b extends a { part p { share = 2 } }")).toEqual([]);
    expect(told("thing a { part p { share = 1 }\n part p { share = 2 } }")[0]).toMatch(/^cdr\/name-duplicate 2/);
  });
  it("a block extends one other: a comma behind it begins no second parent", () => {
    const things = "thing a { size = 2 }\nthing b { size = 3 }\n";
    expect(told(`${things}thing c extends a, b { size = 4 }`)).toEqual([
      expect.stringMatching(/^cdr\/misplaced 3: `b` .* extend only one other/),
    ]);
    for (const written of ["thing c extends a\nb { size = 4 }", "thing c extends a { }, b { size = 4 }"])
      expect(told(things + written)).toEqual([]);
  });
  it("amends what a file that has a name of its own declares", () => {
    const files = { "lib.cdr": "param n: Int = 2\nthing a { size = n, bending = bend(by = 1) }" };
    const options = { files };
    const text = 'import "lib.cdr" as lib\n';
    for (const [written, size] of [
      ["lib.a.size = 4", 4],
      ["lib.a { size = 4 }", 4],
      ["lib.a { bending.by = 2 }", 2],
      ["preset p { when = true, lib.n = 7 }", 7],
      ["preset p { when = true, lib.a.size = 7 }", 7],
    ] as const) {
      expect(told(text + written, options)).toEqual([]);
      expect(valueIn(program(text + written, options), "a", "size")).toMatchObject({ value: size });
    }
    const sets = [{ name: "lib.a.size", text: "5" }];
    expect(valueIn(program(text, { files, sets }), "a", "size")).toMatchObject({ value: 5 });
    expect(told(`${text}lib.aa.size = 4`, options)).toEqual([expect.stringMatching(/^cdr\/amend-undeclared 2: `aa/)]);
    expect(told(`${text}lib.a.size = 4\nlib.a { size = 5 }`, options)).toEqual([
      expect.stringMatching(/^cdr\/property-twice 3: `lib.a.size`/),
    ]);
  });
  it("a leaf that is reached by two names is one leaf", () => {
    const files = { "lib.cdr": "param n: Int = 2\nthing a { size = n }" };
    const text = 'import "lib.cdr" as lib\nimport "lib.cdr" { a, a as b }\n';
    for (const [written, twice] of [
      ["lib.a.size = 4\na.size = 5", "a.size"],
      ["b { size = 4 }\nlib.a { size = 4 }", "lib.a.size"],
      ["preset p {\nb.size = 4, thing { size = 5 } }", "a.size"],
      ['test "t" {\nb.size = 4, lib.a.size = 5 }', "lib.a.size"],
    ] as const)
      expect(told(text + written, { files })).toEqual([expect.stringContaining(`property-twice 4: \`${twice}\``)]);
    const overlays = "overlay o { b.size = 4 }\noverlay p { lib.a.size = 5 }";
    expect(told(text + overlays, { files, overlays: ["o", "p"] })).toEqual([
      expect.stringMatching(/^cdr\/variant-conflict 4/),
    ]);
    const sets = ["a.size", "lib.a.size"].map((name, index) => ({ name, text: String(index + 1) }));
    expect(told(text, { files, sets })).toEqual([expect.stringMatching(/^cdr\/variant-conflict 1/)]);
    expect(told(`${text}lib.a.size = 4\nb.length = 3 steps`, { files })).toEqual([]);
    expect(valueIn(program(text, { files, sets: [{ name: "lib.n", text: "9" }] }), "a", "size")).toMatchObject({
      value: 9,
    });
  });
  it("a declaration as a whole takes no bound, and a kind as a whole no value", () => {
    expect(told("thing a { size = 2 }\na <= 3")).toEqual([expect.stringMatching(/^cdr\/misplaced 2/)]);
    const preset = "thing a { size = 2 }\npreset p {\nwhen = true\nthing = 3\nthing <= 3\n}";
    expect(told(preset)).toEqual([
      expect.stringMatching(/^cdr\/misplaced 4/),
      expect.stringMatching(/^cdr\/misplaced 5/),
    ]);
  });
  it("extends through two thousand others", () => {
    const chain = Array.from({ length: 2000 }, (_, i) => `thing t${i + 1} extends t${i} { size = ${1 + (i % 900)} }`);
    expect(told(`thing t0 { size = 1 }\n${chain.join("\n")}`)).toEqual([]);
  });
});

describe("phases", () => {
  const body = (more: string) => `thing a {
  size = 2
  part p { share = 1 }
  phases { phase early { until = 10%, ${more} } }
}`;
  it("amend a copy of the block around them", () => {
    const text = body("size = 5, p.share = 3, settings { depth = 2 }");
    expect(told(text)).toEqual([]);
    const made = program(text);
    const phase = blockNamed(made, "a").blocks.get("phases")?.blocks.get("early");
    const copy = phase === undefined ? null : amended(phase);
    expect(copy?.context.property(copy, "size", copy.span).value).toMatchObject({ value: 5 });
    expect(valueIn(made, "a", "size")).toMatchObject({ value: 2 });
  });
  it.each([
    ["sze = 5", /property-unknown.*no `sze`/],
    ["size = 5 tokens", /unit-mismatch/],
    ["q.share = 3", /property-unknown/],
  ])("are checked like amendments: %s", (more, message) => {
    const found = told(body(more));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });
});

describe("vary", () => {
  const sweep = (vary: string) => `enum E { x, y }
param e: E = x
param size: Int = 3
thing a { bending = bend(by = 1), settings { depth = 3 } }
thing b { size = 2 }
assert e == x and size == 3
search s { of = a, vary { ${vary} } }`;
  const variations = (text: string) => {
    const group = blockNamed(program(text), "s").blocks.get("vary");
    return group === undefined ? [] : variationsOf(group);
  };
  it("names leaves by the paths of amendments, also of other blocks, and params", () => {
    const text = sweep("bending.by in [1, 2], settings.depth in 1..3, e in E, size in [7], b.size in [1]");
    expect(told(text)).toEqual([]);
    const found = variations(text);
    expect(found.map((v) => [v.path, v.values.map((i) => show(i.value))])).toEqual([
      ["a.bending.by", ["1", "2"]],
      ["a.settings.depth", ["1", "2", "3"]],
      ["e", ["x", "y"]],
      ["a.size", ["7"]],
      ["b.size", ["1"]],
    ]);
    expect(pointsOf(found)).toHaveLength(12);
  });
  it.each([
    ["bending.bi in [1]", /vary-unknown/],
    ["bending.by in [1 token]", /unit-mismatch/],
    ["e in [x, z]", /name-unknown/],
    ["sise in [1]", /vary-unknown/],
    ["b.sise in [1]", /vary-unknown/],
    ["size in 3", /type-mismatch/],
    ["size = 3", /property-unknown|misplaced/],
    ["size in [1], size in [2]", /misplaced/],
  ])("is checked: %s", (vary, message) => {
    const found = told(sweep(vary));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });
});
