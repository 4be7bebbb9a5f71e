/** What a value or a name means depends on the program that reads the file. */
import { describe, expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import type { Files } from "../../../compiler/foreign/rules/rule.ts";

const told = (files: Files, supplied = {}) =>
  toldOf(files, supplied).map(({ severity, code }) => `${severity} ${code}`);
const number = "error cdr/yaml-number-text";

describe("a number without a point in YAML", () => {
  const trainer = "output_dir: o\nper_device_train_batch_size: 2\nnum_train_epochs: 1\nsave_strategy: epoch\n";
  const factory = `model_name_or_path: m\nstage: sft\nfinetuning_type: lora\ntemplate: t\ndataset: d\n${trainer}`;
  it.each([
    ["LLaMA-Factory, with more options of the Trainer than of its own", factory],
    ["a file of TrainingArguments, which TRL gives to argparse", trainer],
  ])("is one for %s", (_, text) => {
    expect(told({ "a.yaml": `${text}learning_rate: 1e-5\n` })).not.toContain(number);
  });
  it("is text for accelerate", () => {
    const text =
      "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config:\n  gradient_clipping: 1e0\n";
    expect(told({ "a.yaml": text })).toContain(number);
  });
});

describe("a name that is nearly an option of the Trainer", () => {
  const warning = "warning cdr/trainer-name";
  const run = (words: string): Files => ({
    "run.sh": `torchrun --nproc_per_node=8 train.py --output_dir o --bf16 --model_name_or_path m ${words}\n`,
  });
  it.each(["--per_device_train_batchsize 8", "--gradient_acumulation_steps=4", "--learning-rat3 1e-4"])(
    "%s is told",
    (words) => {
      expect(told(run(words))).toContain(warning);
    },
  );
  it("is told where the program is one of transformers", () => {
    const words = "--bf16 --per_device_train_batchsize 8";
    expect(told({ "run.sh": `torchrun --nproc_per_node=8 run_clm.py ${words}\n` })).toContain(warning);
    expect(told({ "run.sh": `torchrun --nproc_per_node=8 run_clm_no_trainer.py ${words}\n` })).not.toContain(warning);
  });
  it.each([
    ["what argparse completes", "--gradient_accumulation_step 4"],
    ["an option that is gone", "--evaluation_strategy steps"],
    ["a switch that is turned off", "--no_skip_memory_metrics"],
    [
      "names of a program's own",
      "--vf_learning_rate 1e-5 --adam_beta3 0.9 --min_grad_norm 0.1 --max_length 64 --dataset_name d",
    ],
    ["one beside the option itself", "--eval_steps 100 --eval_stepz 3"],
  ])("%s is not", (_, words) => {
    expect(told(run(words))).not.toContain(warning);
  });
});

describe("the batch of a DeepSpeed JSON that stands alone", () => {
  const file = (batch: string): Files => ({
    "ds.json": `{ ${batch}"zero_optimization": { "stage": 2 }, "bf16": { "enabled": true } }`,
  });
  const world = { world: 8 };
  const unknown = "info cdr/foreign-unknown";
  it("is refused where no filler makes it right", () => {
    const batch = '"train_micro_batch_size_per_gpu": 0, "gradient_accumulation_steps": 4, ';
    expect(told(file(batch), world)).toContain("error cdr/deepspeed-batch-positive");
    expect(told(file(batch.replace(": 0", ": 2")), world)).toEqual([]);
  });
  it("is unknown where something may fill it, and refused where nothing does", () => {
    expect(told(file(""), world)).toEqual([unknown]);
    const run = { ...file(""), "run.sh": "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n" };
    expect(told(run, world)).toContain("error cdr/deepspeed-batch-missing");
  });
});
