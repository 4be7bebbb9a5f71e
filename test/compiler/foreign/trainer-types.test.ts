/** Values of another type than the Trainer's option: what Python makes of a word, and what a file hands on as it is. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import type { Files } from "../../../compiler/foreign/rules/rule.ts";

const told = (files: Files): readonly string[] =>
  toldOf(files).flatMap(({ code, severity, message }) =>
    /trainer-(?:type|number-text|count)$/.test(code) ? [`${severity}: ${message}`] : [],
  );

const run = (more: string): Files => ({
  "run.sh": `torchrun --nproc_per_node 8 train.py --output_dir out --per_device_train_batch_size 1 ${more}\n`,
});
const json = (more: string): Files => ({
  "a.json": `{"output_dir": "out", "per_device_train_batch_size": 1, ${more}}`,
});

it.each([
  [
    "--gradient_accumulation_steps 4.0",
    ["error: --gradient_accumulation_steps takes a whole number in digits, not 4.0"],
  ],
  ["--seed=1.5", ["error: --seed takes a whole number in digits, not 1.5"]],
  ["--max-steps 1e3", ["error: --max_steps takes a whole number in digits, not 1e3"]],
  ["--learning_rate 3e", ["error: --learning_rate takes a number, not 3e"]],
  ["--num_train_epochs three", ["error: --num_train_epochs takes a number, not three"]],
  ["--bf16 maybe", ["error: --bf16 takes true or false, not maybe"]],
  ["--learning_rate --bf16", ["error: --learning_rate needs a value"]],
  ["--tf32 --bf16", ["warning: --tf32 needs a value"]],
  ["--dataloader_num_workers -1", ["error: --dataloader_num_workers is -1: it must be at least 0"]],
  ["--seed 1_000 --max_steps +4 --save_steps 0.5 --learning_rate 1.e-5 --max_grad_norm inf --weight_decay .1", []],
  ["--bf16 --fp16 n --tf32 T --do_train YES --gradient_checkpointing --no_remove_unused_columns", []],
  ["--max_steps $STEPS --seed $((2 * 21)) --bf16 $USE_BF16 --deepspeed", []],
])("reads the words of a command line as Python does: %s", (more, expected) => {
  expect(told(run(more))).toEqual(expected);
});

it("leaves a program alone whose options are not the Trainer's", () => {
  expect(told({ "run.sh": "python train.py --seed 1.5 --bf16 maybe --learning_rate\n" })).toEqual([]);
});

it.each([
  [
    '"gradient_accumulation_steps": 4.0',
    ["error: gradient_accumulation_steps is 4.0, but it takes a whole number in digits"],
  ],
  ['"max_steps": 1e3', ["error: max_steps is 1e3, but it takes a whole number in digits"]],
  ['"learning_rate": "abc"', ['error: learning_rate is the text "abc", not a number']],
  ['"save_steps": [10]', ["error: save_steps is a list, not a number"]],
  ['"bf16": "false"', ['error: bf16 is the text "false", which counts as true, as any text does']],
  ['"bf16": "maybe"', ['error: bf16 is the text "maybe", which counts as true, as any text does']],
  ['"bf16": "true", "tf32": null, "save_total_limit": 2.0, "logging_steps": 0.5, "seed": "${seed}"', []],
])("takes the values of a file as they are: %s", (more, expected) => {
  expect(told(json(more))).toEqual(expected);
});

it("knows that TRL's --config goes through the parser", () => {
  const yaml = { "a.yaml": 'output_dir: out\nper_device_train_batch_size: 1\nbf16: "false"\nfp16: "maybe"\n' };
  expect(told({ ...yaml, "run.sh": "torchrun sft.py --config a.yaml\n" })).toEqual([
    'error: fp16 is the text "maybe", but it takes true or false',
  ]);
  expect(told({ ...yaml, "run.sh": "torchrun sft.py a.yaml\n" })).toHaveLength(2);
});
