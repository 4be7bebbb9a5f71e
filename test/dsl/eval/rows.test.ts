/** Rows of tables and branches: every one of them is judged, whichever is taken. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const judged = (stage: string, top = ""): readonly string[] => {
  const text = `enum S { a, b }
param s: S = a
${top}
model m { family = llama, d_model = 64, layers = 2, heads = 2, context = 1Ki tokens, vocab = 1000 }
data corpus { source web { from = "hf://a/b" } }
stage t {
  model = m
  data = corpus
  length = 10 steps
  batch = 16 samples
  ${stage.includes("optimizer =") ? "" : "optimizer = adamw(lr = 1e-3)"}
  ${stage}
}`;
  const { diagnostics } = compile({ path: "main.cdr", text }, alone);
  return diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, span, fixes }) => {
      const fix = fixes[0] === undefined ? "" : ` | ${fixes[0].title}`;
      return `${code} at ${span.source.text.slice(span.start, span.end)}${fix}`;
    });
};

it.each([
  [
    "layout = match s { a => { zero_stge >= 1 }, b => none }",
    "cdr/property-unknown at zero_stge | write `zero_stage`",
  ],
  [
    "layout = match s { a => { zero_stge = 1 }, b => none }",
    "cdr/property-unknown at zero_stge | write `zero_stage`",
  ],
  ["checkpoint = if s == a then { every >= 10 steps } else none", "cdr/bound-misplaced at every"],
])("a record that gives a group is judged by its keys: %s", (stage, said) => {
  expect(judged(stage)).toEqual([said]);
});

it("a record that gives no group takes no bounds", () => {
  expect(judged("", "let r = { x >= 3 }")).toEqual(["cdr/bound-misplaced at x >= 3"]);
  expect(judged("", "let r = if s == a then { x in 1..3 } else none")).toEqual(["cdr/bound-misplaced at x in 1..3"]);
  expect(judged("layout = r", "let r = { zero_stage >= 1 }")).toEqual([]);
  expect(judged("layout = r.small", "let r = { small = { zero_stage >= 1 } }")).toEqual([]);
  expect(judged("seed = { x >= 3 }")).toEqual(["cdr/type-mismatch at { x >= 3 }"]);
});

it("bounds of a record bound the group", () => {
  expect(judged("layout = if s == a then { zero_stage <= 1 } else none")).toEqual([]);
  expect(judged("layout = if s == a then { zero_stage <= 9 } else none")).toEqual(["cdr/value-range at 9"]);
});

it.each([
  ["let n = match s { a => 4, b => nosuch }", "cdr/name-unknown at nosuch"],
  ["let n = if s == b then nosuch else m.layers", "cdr/name-unknown at nosuch"],
  ["let n = if true then m.layers else m.lyers", "cdr/member-unknown at lyers | write `layers`"],
  ['let n = match s { a => 4, b => "x" + 3 }', 'cdr/operator-operands at "x" + 3 | write `"x${3}"`'],
  ["let n = [nosuch for x in []]", "cdr/name-unknown at nosuch"],
  ["let n = if true then 1 else if true then 2 else nosuch", "cdr/name-unknown at nosuch"],
  ["fn f(x: Int): Int = if x > 3 then nosuch else 1", "cdr/name-unknown at nosuch"],
])("names in a branch that is not taken mean something: %s", (top, said) => {
  expect(judged("", top)).toEqual([said]);
});

it.each([
  ["clip = match s { a => 1.0, b => 3 GB }", "cdr/unit-mismatch at 3 GB"],
  ["optimizer = if s == a then adamw(lr = 1e-3) else adamx(lr = 1e-3)", "cdr/value-choice at adamx | write `adamw`"],
  [
    "optimizer = if s == a then adamw(lr = 1e-3) else sgd(lr = 1e-3, momentm = 0.9)",
    "cdr/argument-unknown at momentm | write `momentum`",
  ],
  ["layout = match s { a => none, b => { recompute = ful } }", "cdr/name-unknown at ful | write `full`"],
  [
    "layout = match s { a => none, b => { zero_stge >= 1 } }",
    "cdr/property-unknown at zero_stge | write `zero_stage`",
  ],
  ["layout = match s { a => none, b => { zero_stage <= 9 } }", "cdr/value-range at 9"],
  [
    "layout = match s { a => { zero_stge = 1 }, b => { expert_paralel = 2 } }",
    "cdr/property-unknown at zero_stge | write `zero_stage`",
    "cdr/property-unknown at expert_paralel | write `expert_parallel`",
  ],
])("what is written down in a branch that is not taken is judged: %s", (stage, ...said) => {
  expect(judged(stage)).toEqual(said);
});

it.each([
  // What another choice makes right.
  ["", "let r = match s { a => { x = 1 }, b => { y = 1 } }\nlet n = match s { a => r.x, b => r.y }"],
  ["", "let n = if s == a then 1 else m.moe.experts"],
  ["", "fn g(x) = x\nfn h(y) = y\nlet f = if s == a then g else h\nlet n = if s == a then f(x = 1) else f(y = 1)"],
  ["", "let k = 0\nlet n = if k > 0 then 10 / k else 1"],
  ["", "let o = if s == a then 1 else n\nlet n = if s == a then o else 2"],
  ["", "let n = if s == a then 1 else sum([x for x in absent.betas])\nlet absent = { betas = [1, 2] }"],
  [
    "",
    `let p = if s == a then true else other.precision == bf16
stage other { when = s == b, model = m, data = corpus, length = 1 step, batch = 1 sample, optimizer = sgd(lr = 1) }`,
  ],
  // What a property takes, in each of its ways.
  ["clip = match s { a => 1.0, b => none }", ""],
  [
    "layout = match s { a => { zero_stage <= 1 }, b => { micro_batch in [1 sample, 2 samples], recompute = full } }",
    "",
  ],
  ["layout { zero_stage in if s == a then [0, 1] else 1..2 }", ""],
  ["layout = if s == a then auto else { zero_stage = if s == b then auto else 1 }", ""],
  ["loss = if s == a then cross_entropy else cross_entropy + 0.01 * z_loss", ""],
  ["seed = if s == a then 1 else -(if s == b then -2 else -3)", ""],
])("a branch that is not taken is nobody's mistake: %s %s", (stage, top) => {
  expect(judged(stage, top)).toEqual([]);
});

it("a parameter of an enum is a word of it, whichever", () => {
  expect(judged("", "fn pick(k: S) = if k == a then 4 else 8\nfn row(k: S) = match k { a => 1, b => 2 }")).toEqual(
    [],
  );
  expect(judged("", "fn pick(k: S) = if k == c then 4 else 8")).toEqual([
    expect.stringMatching("^cdr/name-unknown at c"),
  ]);
  expect(judged("", "fn row(k: S) = match k { a => 1 }")).toEqual([expect.stringMatching("^cdr/match-incomplete")]);
});
