/** What is written down and then said anew: a variant takes no mistake away. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { explain } from "../../../compiler/explain/explain.ts";
import { alone } from "../../support/alone.ts";

const base = `enum S { a, b }
param n: Int in 1..64 = 4
let k = 4
let r = { x = 1, y = { z = 2 } }
secret w = env("W")
fn f(x) = x
model m { family = llama, d_model = 64, layers = k, heads = 2, context = 1Ki tokens, vocab = 1000 }
data corpus { source web { from = "hf://a/b" } }
stage t {
  model = m
  data = corpus
  length = 10 steps
  batch = 16 samples
  optimizer = adamw(lr = 1e-3)
  seed = n
}
preset p { }
`;

const compiled = (edits: readonly (readonly [string, string])[], options: object = {}) => {
  const text = edits.reduce((all, [from, to]) => {
    expect(all).toContain(from);
    return all.replace(from, () => to);
  }, base);
  return compile({ path: "main.cdr", text }, { ...alone, preset: "p", ...options });
};

const judged = (...given: Parameters<typeof compiled>): readonly string[] =>
  compiled(...given)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, span }) => `${code} at ${span.source.text.slice(span.start, span.end)}`);

const preset = (says: string): readonly [string, string] => ["preset p { }", `preset p { ${says} }`];

it.each([
  ["d_model = 64", 'd_model = "x"', "m.d_model = 128", 'cdr/type-mismatch at "x"'],
  ["length = 10 steps", "length = 10 stps", "t.length = 5 steps", "cdr/unit-unknown at stps"],
  ["batch = 16 samples", "batch = 8 GB", "stage { batch = 8 samples }", "cdr/unit-mismatch at 8 GB"],
  ["lr = 1e-3", 'lr = "fast"', "t.optimizer = sgd(lr = 1.0)", 'cdr/type-mismatch at "fast"'],
  ["seed = n", "seed = nosuch", "t.seed = 3", "cdr/name-unknown at nosuch"],
  ["seed = n", "layout { zero_stage = 9 }", "t.layout = { zero_stage = 1 }", "cdr/value-range at 9"],
  ["seed = n", "layout { zero_stage <= 9 }", "t.layout = none", "cdr/value-range at 9"],
  [
    "seed = n",
    "layout = if true then { zero_stge = 1 } else none",
    "t.layout = none",
    "cdr/property-unknown at zero_stge",
  ],
  ["seed = n", "seed = if k == 4 then 1 else nosuch", "t.seed = 3", "cdr/name-unknown at nosuch"],
  ["= 4\nlet", '= "x"\nlet', "n = 3", 'cdr/type-mismatch at "x"'],
  ["= 4\nlet", "= 900\nlet", "n = 3", "cdr/value-range at 900"],
  ["let k = 4", "let k = nosuch", "k = 5", "cdr/name-unknown at nosuch"],
  ["secret w", 'stage u extends t { length = "x" }\nsecret w', "u = none", 'cdr/type-mismatch at "x"'],
])("%s as `%s` under `%s`", (from, to, says, said) => {
  expect(judged([[from, to], preset(says)])).toEqual([said]);
});

it("a preset's own value is judged beneath `--set` and overlays", () => {
  const sets = [{ name: "n", text: "3" }];
  expect(judged([preset("n = 900")], { sets })).toEqual(["cdr/value-range at 900"]);
  expect(judged([preset("t.seed = 1.5")], { sets: [{ name: "t.seed", text: "3" }] })).toEqual([
    "cdr/value-range at 1.5",
  ]);
  const overlay = ["secret w", "overlay o { n = 5 }\nsecret w"] as const;
  expect(judged([preset("n = 900"), overlay], { overlays: ["o"] })).toEqual(["cdr/value-range at 900"]);
});

it.each([
  // What the amended value makes wrong, and nothing of its own.
  ["seed = n", "seed = m.moe.experts", "t.seed = 3"],
  ["length = 10 steps", "length = 10 steps / (k - 4)", "t.length = 3 steps"],
  ["seed = n", 'seed = env("SEED")', "t.seed = 3"],
  ["= 4\nlet", '= env("N")\nlet', "n = 3"],
  ["seed = n", "from = u.last", "t.from = none\nu = none"],
])("%s as `%s` under `%s` is nobody's mistake", (from, to, says) => {
  const more: [string, string][] = says.includes("u =")
    ? [["secret w", "stage u extends t { from = none }\nsecret w"]]
    : [];
  expect(judged([[from, to], ...more, preset(says)])).toEqual([]);
});

it("what `let` names is amended like anything else", () => {
  const layers = (says: string) => {
    const { program } = compiled([["layers = k", "layers = k + r.x + r.y.z"], preset(says)]);
    const model = program.blocks.find(({ name }) => name === "m");
    const value = model === undefined ? null : program.context.property(model, "layers", model.span).value;
    return value?.kind === "number" ? value.value : value;
  };
  expect(layers("")).toBe(7);
  expect(layers("k = 5")).toBe(8);
  expect(layers("r = { x = 7, y = { z = 0 } }")).toBe(11);
  expect(layers("r.x = 2, r.y.z = 0")).toBe(6);
  expect(layers("r { y { z = 9 } }")).toBe(14);
});

it("says which layer a `let` has its value from", () => {
  const [, behind] = [explain(compiled([preset("k = 5")]), "m.layers")].flatMap(([row]) => [
    row,
    ...(row?.from ?? []),
  ]);
  expect(behind?.origin).toMatchObject({ kind: "written", layer: "preset" });
  expect(behind?.value).toBe("5");
});

it.each([
  ["f = 3", "cdr/misplaced at f = 3"],
  ["S = 3", "cdr/misplaced at S = 3"],
  ['w = env("V")', 'cdr/misplaced at w = env("V")'],
  ["n.x = 3", "cdr/misplaced at n.x = 3"],
  ["k.x = 3", "cdr/amend-nothing at x"],
  ["k { x = 3 }", "cdr/amend-nothing at x"],
  ["r.xx = 3", "cdr/amend-nothing at xx"],
])("`%s` in a preset amends nothing", (says, said) => {
  expect(judged([preset(says)])).toEqual([said]);
});
