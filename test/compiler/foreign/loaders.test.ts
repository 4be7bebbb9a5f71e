/** What a value or a name means depends on the program that reads the file. */
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { describe, expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import type { Files } from "../../../compiler/foreign/rules/rule.ts";

const told = (files: Files, supplied = {}) =>
  toldOf(files, supplied).map(({ severity, code }) => `${severity} ${code}`);
const number = "error cdr/yaml-number-text";

describe("a number without a point in YAML", () => {
  const trainer = "output_dir: o\nper_device_train_batch_size: 2\nnum_train_epochs: 1\nsave_strategy: epoch\n";
  const factory = `model_name_or_path: m\nstage: sft\nfinetuning_type: lora\ntemplate: t\ndataset: d\n${trainer}`;
  const text = "error cdr/trainer-number-text";
  const told5 = (files: Files) =>
    told({ "a.yaml": `${trainer}learning_rate: 1e-5\n`, ...files }).filter((each) => each.endsWith("number-text"));
  it("is text in a file of TrainingArguments that transformers reads, and where nothing names another reader", () => {
    expect(told5({ "run.sh": "torchrun --nproc_per_node 8 train.py a.yaml\n" })).toEqual([text]);
    expect(told5({})).toEqual([text]);
    expect(told5({ "a.yaml": `${trainer}use_peft: true\nlearning_rate: 1e-5\n` })).toEqual([
      "warning cdr/trainer-number-text",
    ]);
  });
  it("is a number for TRL, which hands the file to argparse", () => {
    expect(told5({ "run.sh": "accelerate launch sft.py --config a.yaml\n" })).toEqual([]);
    expect(told5({ "run.sh": "trl sft --config=a.yaml\n" })).not.toContain(text);
  });
  it("is one for LLaMA-Factory since it reads files with OmegaConf", () => {
    const file = { "a.yaml": `${factory}learning_rate: 1e-5\n` };
    expect(told5(file)).toEqual([]);
    expect(told5({ ...file, "requirements.txt": "llamafactory==0.9.3\ntorch==2.7.0\n" })).toEqual([text]);
    expect(told5({ ...file, "requirements.txt": "llamafactory==0.9.4\ntorch==2.7.0\n" })).toEqual([]);
  });
  it("in quotes is text for all that take values as they are", () => {
    expect(told5({ "a.yaml": `${factory}seed: "4"\n` })).toEqual([text]);
    expect(
      told5({ "a.json": '{ "output_dir": "o", "per_device_train_batch_size": "4" }', "a.yaml": trainer }),
    ).toEqual([text]);
    expect(told5({ "a.yaml": `${trainer}run_name: "4"\n` })).toEqual([]);
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
  it("is refused at the size that is 0, not at those that it is made from", () => {
    const text = '{ "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 0, "train_batch_size": 64 }';
    const { diagnostics } = checkForeign(
      [{ path: "ds.json", text }],
      { world: 8, gpusPerNode: null, gpu: "h100" },
      () => undefined,
    );
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    expect(errors.map(({ span, message }) => [span.source.text.slice(span.start, span.end), message])).toEqual([
      ["0", "gradient_accumulation_steps = 0 must be greater than 0"],
    ]);
  });
  it("is unknown where something may fill it, and refused where nothing does", () => {
    expect(told(file(""), world)).toEqual([unknown]);
    const run = { ...file(""), "run.sh": "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n" };
    expect(told(run, world)).toContain("error cdr/deepspeed-batch-missing");
  });
});

describe("a key of DeepSpeed in a wrong section", () => {
  const messages = (config: string) => toldOf({ "ds.json": config }, { world: 8 }).map(({ message }) => message);
  it("is told where it stands, under its present name", () => {
    expect(messages('{ "train_batch_size": 8, "cpu_offload": true, "aio": { "reduce_bucket_size": 5 } }')).toEqual(
      expect.arrayContaining([
        "nothing reads cpu_offload: it belongs to zero_optimization.offload_optimizer",
        "nothing reads aio.reduce_bucket_size: it belongs to zero_optimization.reduce_bucket_size",
      ]),
    );
  });
});

describe("what stands on the command line beside a file", () => {
  const config =
    '{ "gradient_accumulation_steps": 4, "train_micro_batch_size_per_gpu": "auto", "bf16": { "enabled": "auto" }, "zero_optimization": { "stage": 2 } }';
  const rest =
    "output_dir: o\nlearning_rate: 1.0e-5\nbf16: true\ndeepspeed: ds.json\ngradient_accumulation_steps: 4\n";
  const factory = `model_name_or_path: m\nstage: sft\nfinetuning_type: full\ntemplate: t\ndataset: d\nper_device_train_batch_size: 2\n${rest}`;
  const axolotl = `base_model: m\nsequence_len: 2048\nmicro_batch_size: 2\n${rest}`;
  it.each([
    [factory, "FORCE_TORCHRUN=1 NPROC_PER_NODE=8 llamafactory-cli train a.yaml", "gradient_accumulation_steps=8"],
    [axolotl, "axolotl train a.yaml", "--gradient-accumulation-steps 8"],
  ])("counts", (file, run, over) => {
    const said = (line: string) =>
      told({ "a.yaml": file, "ds.json": config, "run.sh": `${line}\n` }).filter((each) => each.includes("error"));
    expect(said(run)).toEqual([]);
    expect(said(`${run} ${over}`)).toContain("error cdr/trainer-deepspeed-mismatch");
  });
});
