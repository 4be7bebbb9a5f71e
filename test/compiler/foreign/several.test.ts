/** Scripts that start several trainings: each is judged by itself, with the files that it names. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { positionAt } from "../../../dsl/source/source.ts";

const supplied = { world: null, gpusPerNode: null, gpu: "h100" };

function problems(files: Readonly<Record<string, string>>): readonly string[] {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  return checkForeign(sources, supplied, () => undefined)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, span }) => `${code} ${span.source.path}:${positionAt(span.source, span.start).line + 1}`);
}

const json = (micro: number, accumulation: number, stage: number): string =>
  JSON.stringify({
    train_micro_batch_size_per_gpu: micro,
    gradient_accumulation_steps: accumulation,
    bf16: { enabled: true },
    zero_optimization: { stage },
  });
const start = (name: string, micro: number, accumulation: number): string =>
  `deepspeed --num_gpus 8 train.py --deepspeed ${name} --per_device_train_batch_size ${micro} ` +
  `--gradient_accumulation_steps ${accumulation} --bf16 --output_dir out`;
const configurations = { "small.json": json(4, 2, 2), "big.json": json(1, 8, 3) };

it.each([
  ["one after the other", `#!/bin/bash\n${start("small.json", 4, 2)}\n${start("big.json", 1, 8)}\n`],
  ["as branches", `case $1 in\nsmall) ${start("small.json", 4, 2)};;\nbig) ${start("big.json", 1, 8)};;\nesac\n`],
])("two trainings that are right by themselves are right, %s", (_, script) => {
  expect(problems({ "run.sh": script, ...configurations })).toEqual([]);
});

it("each is held against its own file", () => {
  const script = `#!/bin/bash\n${start("small.json", 4, 2)}\n${start("big.json", 2, 8)}\n`;
  expect(problems({ "run.sh": script, ...configurations })).toEqual(["cdr/trainer-deepspeed-mismatch big.json:1"]);
});

it("a file that another file names belongs to the launch that names the first", () => {
  const yaml = (name: string, micro: number): string =>
    `deepspeed: ${name}\nper_device_train_batch_size: ${micro}\ngradient_accumulation_steps: 2\nbf16: true\noutput_dir: out\n`;
  const script = "torchrun --nproc_per_node 8 a.py a.yaml\ntorchrun --nproc_per_node 4 b.py b.yaml\n";
  const files = { "run.sh": script, "1.json": json(4, 2, 2), "2.json": json(1, 2, 3), "a.yaml": yaml("1.json", 4) };
  expect(problems({ ...files, "b.yaml": yaml("2.json", 1) })).toEqual([]);
  expect(problems({ ...files, "b.yaml": yaml("2.json", 3) })).toEqual(["cdr/trainer-deepspeed-mismatch 2.json:1"]);
});

it("modes of accelerate and precisions of two launches do not meet", () => {
  const modes =
    "accelerate launch --multi_gpu --num_processes 8 a.py --output_dir a\n" +
    "accelerate launch --use_deepspeed --zero_stage 3 --num_processes 8 b.py --output_dir b\n";
  expect(problems({ "run.sh": modes })).toEqual([]);
  const one = "accelerate launch --multi_gpu --use_deepspeed --zero_stage 3 --num_processes 8 b.py --output_dir b\n";
  expect(problems({ "run.sh": one })).toEqual(["cdr/accelerate-modes run.sh:1"]);
  const precisions =
    "torchrun --nproc_per_node 8 train.py --bf16 True --output_dir a --per_device_train_batch_size 4\n" +
    "torchrun --nproc_per_node 4 next.py --fp16 True --output_dir b --per_device_train_batch_size 1\n";
  expect(problems({ "run.sh": precisions })).toEqual([]);
});

it("complete configurations that are given together are alternatives", () => {
  const acc = (processes: number, tensor: number): string =>
    `compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: ${processes}\n` +
    `fsdp_config:\n  fsdp_version: 2\nparallelism_config:\n  parallelism_config_dp_shard_size: 2\n  parallelism_config_tp_size: ${tensor}\n`;
  const four = acc(4, 2);
  const eight = acc(8, 4);
  expect(problems({ "4.yaml": four })).toEqual([]);
  expect(problems({ "4.yaml": four, "8.yaml": eight })).toEqual([]);
  expect(problems({ "4.yaml": four, "8.yaml": acc(8, 2) })).toEqual(["cdr/accelerate-parallelism 8.yaml:7"]);
  const launch = "accelerate launch --config_file 8.yaml train.py\n";
  expect(problems({ "4.yaml": four, "8.yaml": eight, "run.sh": launch })).toEqual([]);
  expect(problems({ "4.yaml": acc(4, 4), "8.yaml": eight, "run.sh": launch })).toEqual([
    "cdr/accelerate-parallelism 4.yaml:7",
  ]);
  const training = (precision: string): string =>
    `model_name_or_path: gpt2\nstage: sft\nfinetuning_type: full\noutput_dir: out\nper_device_train_batch_size: 1\n${precision}: true\n`;
  expect(problems({ "a.yaml": training("fp16"), "b.yaml": training("bf16") })).toEqual([]);
  expect(problems({ "a.yaml": `${training("fp16")}bf16: true\n`, "b.yaml": training("bf16") })).not.toEqual([]);
});
