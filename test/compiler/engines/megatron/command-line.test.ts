import { describe, expect, it } from "vitest";
import { parseCommandLine } from "../../../../compiler/engines/megatron/command-line.ts";
import { complaintsOf } from "../../../../compiler/engines/megatron/complaints.ts";
import { listExpression } from "../../../../compiler/engines/megatron/list-expression.ts";
import { argumentTable } from "../../../../compiler/engines/megatron/table.ts";
import { wordsOf } from "../../../../compiler/engines/word.ts";

const table = argumentTable("gpt");
const parse = (text: string) => parseCommandLine(wordsOf("train.sh", text.split(" ")), table);
const told = (text: string) => complaintsOf(parse(text), table).map(({ code, message }) => `${code}: ${message}`);
const value = (text: string, dest: string) => parse(text).given.get(dest)?.value;

describe("what the parser takes", () => {
  it.each([
    ["--num-layers 24", "num_layers", 24],
    ["--num-layers=24", "num_layers", 24],
    ["--num-layers 1_000", "num_layers", 1000],
    ["--lr 3e-4", "lr", 3e-4],
    ["--weight-decay -0.1", "weight_decay", -0.1],
    ["--bf16", "bf16", true],
    ["--disable-bias-linear", "add_bias_linear", false],
    ["--no-rl-use-sequence-packing", "rl_use_sequence_packing", false],
    ["--data-path 0.7 a 0.3 b --lr 1", "data_path", ["0.7", "a", "0.3", "b"]],
    ["--moe-layer-freq ([0]*2+[1]*1)*2", "moe_layer_freq", [0, 0, 1, 0, 0, 1]],
    ["--moe-layer-freq 2", "moe_layer_freq", 2],
    ["--window-size (127,0)", "window_size", [127, 0]],
    ["--onnx-safe False", "onnx_safe", true],
    ["--num-layers 4 --num-layers 8", "num_layers", 8],
  ])("%s", (text, dest, expected) => {
    expect(value(text, dest)).toEqual(expected);
    expect(told(text).filter((each) => !each.startsWith("cdr/megatron-repeated"))).toEqual([]);
  });
});

describe("what the parser refuses", () => {
  it.each([
    [
      "--train_iters 1000",
      "cdr/megatron-unrecognized: Megatron has no argument --train_iters; did you mean --train-iters?",
    ],
    ["--bf16 True", "cdr/megatron-unrecognized: Megatron has no argument True"],
    ["--lr", "cdr/megatron-value-count: --lr takes one value"],
    ["--min-lr -1e-5", "cdr/megatron-value-count: --min-lr takes one value"],
    ["--rampup-batch-size 16 16", "cdr/megatron-value-count: --rampup-batch-size takes 3 values"],
    ["--bf16=1", "cdr/megatron-value-count: --bf16 takes no value: the name alone switches it"],
    ["--seq-length 4k", "cdr/megatron-value-type: --seq-length 4k: the value must be a whole number in digits"],
    ["--num-layers 24.0", "cdr/megatron-value-type: --num-layers 24.0: the value must be a whole number in digits"],
    ["--optimizer adamw", "cdr/megatron-value-choice: --optimizer has no choice adamw; did you mean adam?"],
    ["--num-layers 4 --num-layers 8", "cdr/megatron-repeated: --num-layers is given twice; the last one counts"],
  ])("%s", (text, expected) => {
    expect(told(text)[0]).toContain(expected);
  });
});

it("takes an argument that stands where a value should for an argument", () => {
  const line = parse("--lr --bf16 --num-layers --seq-length 4096");
  expect(complaintsOf(line, table).map(({ message }) => message)).toEqual([
    "--lr takes one value",
    "--num-layers takes one value",
  ]);
  expect([...line.given.keys()]).toEqual(["bf16", "seq_length"]);
});

it("knows nothing of what a variable of the job may hold", () => {
  const words = wordsOf("train.sh", ["--num-layers", "$N", "$MORE"]).map((word) =>
    word.text?.startsWith("$") === true ? { ...word, text: null } : word,
  );
  const line = parseCommandLine(words, table);
  expect(line.open).toBe(true);
  expect(complaintsOf(line, table)).toEqual([]);
  expect(typeof line.given.get("num_layers")?.value).toBe("symbol");
});

describe("lists", () => {
  it.each([
    ["[1]*3", [1, 1, 1]],
    ["2*[0]+[1]", [0, 0, 1]],
    ["[1,2,3]", [1, 2, 3]],
    ["[]", []],
  ])("%s", (text, expected) => {
    expect(listExpression(text)).toEqual(expected);
  });
  it.each(["os.system(1)", "[1", "1+2", "[1]*[2]", "[1]+2", "", "[1]*999999999", "(".repeat(100_000)])(
    "%s is none",
    (text) => {
      expect(listExpression(text)).toBeUndefined();
    },
  );
});
