/** `"auto"` of a DeepSpeed JSON: a word of the Trainer and of accelerate, at which DeepSpeed itself stops. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import type { Files } from "../../../compiler/foreign/rules/rule.ts";

const told = (files: Files) =>
  toldOf(files)
    .filter(({ code }) => code !== "cdr/program-missing")
    .map(({ severity, code, message }) => `${severity} ${code} ${message}`);
const stage = '"zero_optimization": { "stage": 2 }';
const batch = `{ "train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", ${stage} }`;
const unknown = (keys: string): string =>
  `info cdr/foreign-unknown what fills in this "auto" is unknown: the transformers Trainer and accelerate write numbers for ${keys}, ` +
  "but DeepSpeed itself stops at the word. Give the script that starts the launch and its settings, or write numbers";

it.each([
  [batch, "train_batch_size, train_micro_batch_size_per_gpu"],
  [`{ "train_batch_size": "auto", ${stage} }`, "train_batch_size"],
  [
    `{ "train_micro_batch_size_per_gpu": "auto", "train_batch_size": 32, ${stage} }`,
    "train_micro_batch_size_per_gpu",
  ],
  [
    `{ "train_batch_size": 32, "gradient_clipping": "auto", "optimizer": { "type": "AdamW", "params": { "lr": "auto" } }, ${stage} }`,
    "gradient_clipping, optimizer.params.lr",
  ],
])("says once of a file alone that nothing says who fills it: %s", (text, keys) => {
  expect(told({ "ds.json": text })).toEqual([unknown(keys)]);
});

it("is silent where DeepSpeed itself takes its default", () => {
  expect(told({ "ds.json": `{ "train_batch_size": 32, "bf16": { "enabled": "auto" }, ${stage} }` })).toEqual([]);
});

it("does not take a program for one without a Trainer because it says nothing", () => {
  expect(told({ "ds.json": batch, "run.sh": "torchrun --nproc-per-node=8 train.py\n" })).toEqual([
    unknown("train_batch_size, train_micro_batch_size_per_gpu"),
  ]);
});

const errors = (files: Files): number => told(files).filter((each) => each.startsWith("error")).length;

it("is an error where the program hands the file to DeepSpeed", () => {
  expect(errors({ "ds.json": batch, "run.sh": "deepspeed train.py --deepspeed --deepspeed_config ds.json\n" })).toBe(
    2,
  );
  const program = 'import deepspeed\nengine, *_ = deepspeed.initialize(model=model, config="ds.json")\n';
  const run = "torchrun --nproc-per-node=8 src/train.py\n";
  expect(errors({ "ds.json": batch, "run.sh": run, "src/train.py": program })).toBe(2);
  expect(
    errors({ "ds.json": batch, "run.sh": run, "src/train.py": `from transformers import Trainer\n${program}` }),
  ).toBe(0);
});

it("says of a key that nobody fills what DeepSpeed makes of it", () => {
  const found = told({ "ds.json": `{ "train_batch_size": 32, "steps_per_print": "auto", ${stage} }` });
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/steps_per_print = "auto" is not a number/);
});

it("is silent where the Trainer reads the file", () => {
  const run = "torchrun --nproc-per-node=8 train.py --deepspeed ds.json --per_device_train_batch_size 2\n";
  expect(told({ "ds.json": batch, "run.sh": run })).toEqual([]);
});
