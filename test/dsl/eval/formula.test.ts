import { describe, expect, it } from "vitest";
import { program, told, valueIn } from "../../support/language.ts";

const tree = (text: string, property: string) => {
  const value = valueIn(program(text), "a", property);
  return value.kind === "formula" ? value.tree : value;
};

describe("formulas", () => {
  it("stay a tree over the names that the descriptor lists; what is known is computed", () => {
    expect(tree("thing a { heat = heat + 0.5 * 2 * cold.deep }", "heat")).toEqual({
      op: "+",
      of: [{ name: "heat" }, { op: "*", of: [1, { name: "cold.deep" }] }],
    });
    expect(tree("let k = 3\nthing a { heat = -heat / k + max(heat, 1) }", "heat")).toEqual({
      op: "+",
      of: [
        { op: "/", of: [{ op: "-", of: [{ name: "heat" }] }, 3] },
        { op: "max", of: [{ name: "heat" }, 1] },
      ],
    });
    expect(tree("thing a { heat = 4 }", "heat")).toBe(4);
    expect(tree("thing a { heat = heat.at(10 steps) }", "heat")).toEqual({ name: "heat", at: 10 });
  });

  it("take calls, sets, conditions and words of an expected set", () => {
    const text = `thing a {
      keep = [tongue(en) >= 0.65, weight in 1..5 MB, colour in [red, green], dry or heat < 20%, if dry then dry else heat > 1]
    }`;
    const value = valueIn(program(text), "a", "keep");
    const trees =
      value.kind === "list" ? value.items.map((i) => (i.value.kind === "formula" ? i.value.tree : null)) : [];
    expect(trees).toEqual([
      { op: ">=", of: [{ name: "tongue", with: { of: "en" } }, 0.65] },
      { op: "in", of: [{ name: "weight" }, { op: "..", of: [1e6, 5e6] }] },
      { op: "in", of: [{ name: "colour" }, ["red", "green"]] },
      { op: "or", of: [{ name: "dry" }, { op: "<", of: [{ name: "heat" }, 0.2] }] },
      { op: "if", of: [{ name: "dry" }, { name: "dry" }, { op: ">", of: [{ name: "heat" }, 1] }] },
    ]);
    expect(told(text)).toEqual([]);
  });

  it("hold texts that are known only later", () => {
    const text = `store disk { at = "/data/" }
thing a { name = "x-\${run.id}-\${2 + 3}", to = disk / "runs" / run.id }`;
    expect(told(text)).toEqual([]);
    expect(tree(text, "name")).toEqual({ op: "text", of: ["x-", { name: "run.id" }, "-", "5"] });
    expect(tree(text, "to")).toEqual({ op: "/", of: ["/data/runs", { name: "run.id" }] });
    expect(tree('thing a { to = "plain" }', "to")).toEqual({ kind: "string", value: "plain" });
    expect(tree('thing a { name = "${row.role}" }', "name")).toEqual({ op: "text", of: [{ name: "row.role" }] });
  });

  it.each([
    ["heat = hat", "cdr/formula-term 1: `heat` is a formula, which cannot use `hat`"],
    [
      "heat = heat + weight",
      "cdr/operator-operands 1: `+` cannot combine `heat` (counted in plain numbers) and `weight` (counted in bytes)",
    ],
    [
      "heat = weight",
      "cdr/formula-result 1: `heat` must give a number, or a share of one (`5%`), not a number of bytes",
    ],
    ["keep = [heat]", "cdr/formula-result 1: `keep` must give true or false, not a plain number"],
    ["keep = [tongue(de) > 1]", "cdr/name-unknown 1: nothing is called `de` here"],
    ["keep = [tongue > 1]", "cdr/argument-missing 1: `tongue` needs `of`: which"],
    ["keep = [colour == blue]", "cdr/name-unknown 1: nothing is called `blue` here"],
    [
      "keep = [not heat]",
      "cdr/operator-operands 1: `not` takes true or false, such as a comparison, not `heat` (counted in plain numbers)",
    ],
    [
      "keep = [weight in 1..5 tokens]",
      "cdr/operator-operands 1: `in` cannot combine `weight` (counted in bytes) and 1 token..5 tokens",
    ],
  ])("says what is wrong: %s", (member, message) => {
    const found = told(`thing a { ${member} }`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message.split(", or a share")[0]);
  });

  it("a declared name that the formula knows too must be renamed", () => {
    expect(told("let heat = 3\nthing a { heat = heat }")[0]).toMatch(/^cdr\/name-ambiguous 2/);
  });
});

describe("expect", () => {
  it("is a formula over what the kind watches, with an action", () => {
    expect(
      told("thing a { expect heat < 3 else rollback(to = best)\n expect weight > 1 GB else warn\n expect dry }"),
    ).toEqual([]);
  });
  it.each([
    ["expect heat", /formula-result/],
    ["expect het < 3", /formula-term/],
    ["expect heat < 3 tokens", /operator-operands/],
    ["expect heat < 3 else explode", /value-choice|name-unknown/],
    ["expect heat < 3 else rollback(to = worst)", /name-unknown/],
  ])("%s", (member, message) => {
    const found = told(`thing a { ${member} }`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });
  it("stands only where something is measured", () => {
    expect(told('store s { at = "/x"\n expect heat < 3 }')[0]).toMatch(/^cdr\/misplaced 2: `expect` is not allowed/);
  });
});
