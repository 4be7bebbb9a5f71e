/** `cdrc diff` compares what files mean: texts of equal meaning are the same, whatever is said more is told. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { compare, type Difference } from "../../compiler/diff/compare.ts";
import { valuesOf } from "../../compiler/diff/values.ts";
import { alone } from "../support/alone.ts";
import { root } from "../support/cdrc.ts";

const quickstart = readFileSync(join(root, "examples/quickstart.cdr"), "utf8").replace(
  "  optimizer = adamw",
  `  layout    { zero_stage <= 2, zero_stage >= 0, micro_batch in [8 samples, 4 samples] }
  expect    loss < 10
  optimizer = adamw`,
);
const base = `${quickstart}
let widest = 512
assert tiny.d_model <= widest and tiny.heads divides tiny.d_model
preset big { pretrain.batch = 16 samples }
`;

const meaning = (text: string) => ({
  values: valuesOf(compile({ path: "main.cdr", text }, alone).program),
  plan: new Map(),
  emitted: new Map(),
  measured: null,
});
const differences = (a: string, b: string): readonly Difference[] => compare(meaning(a), meaning(b)).values;
/** With a loss that no dense model has, so that it has no plan. */
const routed = base.replace("  optimizer", "  loss = 0.5 * cross_entropy + 1e-4 * z_loss\n  optimizer");
const withTerms = (from: string): string => (from.includes("z_loss") ? routed : base);

it.each([
  ["samples in tokens", "= 8 samples", "= 2048 tokens"],
  ["steps in tokens", "400 steps", "819_200 tokens"],
  ["a period in samples", "every = 100 steps", "every = 204_800 tokens"],
  ["a share as a number", "10%", "0.1"],
  [
    "terms and factors in another order",
    "0.5 * cross_entropy + 1e-4 * z_loss",
    "z_loss / 1e4 + cross_entropy * 5e-1",
  ],
  ["a sum over one divisor", "0.5 * cross_entropy + 1e-4 * z_loss", "(cross_entropy + 2e-4 * z_loss) / 2"],
  ["an expectation from its other side", "loss < 10", "1e1 > loss"],
  ["a bound as it is worked out", "zero_stage <= 2", "zero_stage <= 2.0"],
  ["a condition through a name", "<= widest", "<= 512"],
  [
    "conditions in another order",
    "tiny.d_model <= widest and tiny.heads divides tiny.d_model",
    "tiny.heads divides tiny.d_model and widest >= tiny.d_model",
  ],
  ["a preset in another unit", "16 samples", "0.016K samples"],
  ["a preset as a block", "{ pretrain.batch = 16 samples }", "{ pretrain { batch = 16 samples } }"],
  ["a name of nothing that runs", "widest", "largest"],
])("is the same: %s", (_, from, to) => {
  const before = withTerms(from);
  expect(before).toContain(from);
  expect(differences(before, before.replaceAll(from, to))).toEqual([]);
});

it.each([
  [
    "another length of the same tokens",
    ["400 steps", "8 samples"],
    ["200 steps", "16 samples"],
    ["pretrain.length", "pretrain.batch"],
  ],
  ["a term more", ["1e-4 * z_loss"], ["1e-3 * z_loss"], ["pretrain.loss"]],
  ["a difference the other way", ["+ 1e-4 * z_loss"], ["- 1e-4 * z_loss"], ["pretrain.loss"]],
  ["an end of two", ["zero_stage >= 0"], ["zero_stage >= 1"], ["pretrain.layout.zero_stage bound"]],
  ["an expectation", ["loss < 10"], ["loss < 9"], ["pretrain expect loss < 10", "pretrain expect loss < 9"]],
  [
    "what an assertion's name stands for",
    ["widest = 512"],
    ["widest = 256"],
    expect.arrayContaining([expect.stringContaining("assert tiny.d_model <= widest")]),
  ],
  ["what a preset would say", ["16 samples"], ["32 samples"], ["preset big: pretrain.batch"]],
  [
    "a list in another order",
    ["[8 samples, 4 samples]"],
    ["[4 samples, 8 samples]"],
    ["pretrain.layout.micro_batch bound"],
  ],
])("differs: %s", (_, from, to, paths) => {
  const before = withTerms(from.join());
  const other = from.reduce((text, each, index) => text.replace(each, to[index] ?? ""), before);
  expect(differences(before, other).map(({ path }) => path)).toEqual(paths);
});

it.each([
  [
    "overlay small { tiny.layers = 2, pretrain { optimizer.lr = 1e-3 } }",
    ["overlay small", "overlay small: tiny.layers", "overlay small: pretrain.optimizer.lr"],
  ],
  [
    "preset wide { when = tiny.heads == 5, pretrain.seed = 1 }",
    ["preset wide", "preset wide: when", "preset wide: pretrain.seed"],
  ],
  ["assert tiny.layers < 100", ["assert tiny.layers < 100"]],
])("differs by what is added: %s", (more, paths) => {
  const found = differences(base, `${base}${more}\n`);
  expect(found.map(({ path, before }) => [path, before])).toEqual(paths.map((path) => [path, null]));
});

it("a long list differs by its last item", () => {
  const listing = (last: string): string => `${base}param l = [1, 2, 3, 4, 5, 6, 7, 8, 9, ${last}]\n`;
  expect(differences(listing("10"), listing("11")).map(({ path }) => path)).toEqual(["l"]);
});

it.each([
  ["tiny", "small", "model, renamed"],
  ["pretrain", "teach", "stage, renamed"],
  ["python", "snakes", "data, renamed"],
])("`%s` called `%s` is one difference", (from, to, path) => {
  const other = base.replaceAll(new RegExp(`\\b${from}\\b(?!_)`, "g"), to);
  const name = (value: string) => ({ value, origin: null });
  expect(differences(base, other)).toEqual([{ path, before: name(from), after: name(to) }]);
  const wider = differences(base, other.replace("layers  = 4", "layers  = 6"));
  expect(wider.map((each) => each.path)).toEqual([path, `${from === "tiny" ? to : "tiny"}.layers`]);
});
