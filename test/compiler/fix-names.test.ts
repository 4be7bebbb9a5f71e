/** A fix speaks of what was written, not of an example. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const base = `data web { from = "corpus/*.txt", tokenizer = bytes }
model small { family = llama, layers = 4, d_model = 256, heads = 4, context = 256 tokens }
stage pre { model = small, data = web, length = 1000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
`;
const told = (text: string) => compile({ path: "main.cdr", text: base + text }, alone).diagnostics;

describe("the fix of a name that is declared twice", () => {
  it("amends a block by its own name", () => {
    expect(told("stage pre { }")[0]?.fix).toContain("`pre { … }`");
  });
  it("amends nothing else", () => {
    expect(told("let a = 1\nlet a = 2")[0]?.fix).toBe("Rename one of the two, or remove it.");
  });
});

describe("the fix of a circle", () => {
  it.each([
    ["stage a extends b { }\nstage b extends a { }", "abstract block"],
    ["fn f(x: Int) = g(x)\nfn g(x: Int) = f(x)", "[f(x) for x in 1..n]"],
    ["let a = b\nlet b = a", "as a number"],
  ])("says how it is broken: %s", (text, fix) => {
    const [found, ...others] = told(text);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code: "cdr/value-cycle", fix: expect.stringContaining(fix) });
  });
});

describe("a block where a kind stands", () => {
  it.each([
    ["pre with { batch = 4 samples }", "pre"],
    ["pre fine { batch = 4 samples }", "stage fine extends pre"],
  ])("is told as a block: %s", (text, written) => {
    const [found, ...others] = told(text);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code: "cdr/kind-unknown", message: "`pre` is a stage, not a kind of block" });
    expect(found?.fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText))).toEqual([written]);
  });
});

it.each([
  ['test "a" { with = nope }', "add `overlay nope { … }`"],
  ['test "a" { preset = nope }', "add `preset nope { … }`"],
  ['test "a" { over = nope }', "declare `sweep nope {"],
  ['overlay o { pre.seed = 1 }\ntest "a" { with = nope }', "`valid` lists them"],
  ["stage { }", "`stage main { … }`"],
  ["nope { seed = 1 }", "`stage nope { … }`"],
])("what a file does not declare is declared by the fix: %s", (text, fix) => {
  expect(told(text).map((each) => each.fix)).toEqual([expect.stringContaining(fix)]);
});

it("a file that `--with` names and nobody finds is told where it was named", () => {
  const [found] = compile({ path: "main.cdr", text: base }, { ...alone, overlayFiles: ["nope.cdr"] }).diagnostics;
  expect(found).toMatchObject({ code: "cdr/import-missing", span: { source: { path: "--with", text: "nope.cdr" } } });
});

describe("a share above the whole", () => {
  it.each([
    ["pre { ema { decay = 2 } }", []],
    ["pre { ema { decay = 99.9 } }", ["99.9%"]],
    ["small { dropout = 10 }", ["10%"]],
  ])("is offered as a hundredth where that is likely: %s", (text, fixes) => {
    const [found] = told(text);
    expect(found?.code).toBe("cdr/value-range");
    expect(found?.fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText))).toEqual(fixes);
  });
});
