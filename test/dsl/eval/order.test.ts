/** Nothing depends on order: what is said of one leaf, by its name or by the word of its kind, is said once. */
import { describe, expect, it } from "vitest";
import { program, told, valueIn } from "../../support/language.ts";

const things = "thing a { size = 1, bending = bend(by = 1) }\nthing b { size = 2 }\nthing c { next = a }";

describe("a kind word and a name for one leaf", () => {
  const twice = (body: string) => told(`${things}\n${body}`);
  it.each([
    ["thing.size = 3, a.size = 4", "a.size"],
    ["a.size = 4, thing.size = 3", "a.size"],
    ["thing { size = 3 }, b.size = 4", "b.size"],
    ["b { size = 4 }, thing { size = 3 }", "b.size"],
  ])("%s", (body, leaf) => {
    for (const written of [`preset p { ${body} }`, `overlay p { ${body} }`, `test "p" { ${body} }`])
      expect(twice(written)).toEqual([`cdr/property-twice 4: \`${leaf}\` is set twice in this block`]);
  });
  it.each(["thing.bending.by = 2, a.bending = rest", "a.bending = rest, thing.bending.by = 2"])(
    "is a part beside its whole: %s",
    (body) => {
      for (const written of [`preset p { ${body} }`, `overlay p { ${body} }`, `test "p" { ${body} }`])
        expect(twice(written)).toEqual([
          "cdr/property-twice 4: `a.bending.by` is part of `a.bending`, which this block sets as a whole",
        ]);
    },
  );
  it("is one message, however many blocks the kind has", () => {
    expect(twice("preset p { thing.size = 3, thing.size = 4 }")).toHaveLength(1);
  });
  it("of different leaves is none", () => {
    expect(twice("preset p { thing.size = 3, a.bending = rest }")).toEqual([]);
  });
  it("is refused where a file that is laid over says both", () => {
    const files = { "more.cdr": "thing.size = 3\na.size = 4" };
    expect(told(things, { files, overlayFiles: ["more.cdr"] })).toEqual([
      "cdr/property-twice 2: `a.size` is set twice in this file",
    ]);
  });
  it("is refused of two options", () => {
    const sets = [
      { name: "a.size", text: "3" },
      { name: "thing.size", text: "4" },
    ];
    for (const order of [sets, sets.toReversed()])
      expect(told(things, { sets: order })).toEqual([expect.stringMatching(/^cdr\/variant-conflict .*`a.size`/)]);
    expect(told(things, { sets: sets.map((set) => ({ ...set, text: "3" })) })).toEqual([]);
  });
});

it("what a trial amends is on top of the point that it runs at", () => {
  const point = valueIn(program(things), "b", "size");
  const made = program(things, {
    trial: program(`${things}\ntest "t" { a.size = 9 }`).root.file.statements.flatMap((s) =>
      s.kind === "test" ? s.body : [],
    ),
    values: [
      {
        path: "a.size",
        value: {
          value: point,
          span: { source: { path: "", text: "" }, start: 0, end: 0 },
          origin: { kind: "default", by: "the sweep" },
        },
      },
    ],
  });
  expect(valueIn(made, "a", "size")).toMatchObject({ value: 9 });
});
