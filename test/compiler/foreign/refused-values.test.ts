/** A value that its option refuses is told once; no other rule counts with it, or with what would stand in its place. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const found = (files: Readonly<Record<string, string>>, world: number | null = 8): readonly string[] =>
  checkForeign(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    { world, gpusPerNode: null, gpu: "h100" },
    () => undefined,
  )
    .diagnostics.filter(({ severity }) => severity === "error" || severity === "warning")
    .map(({ code, message }) => `${code.replace("cdr/", "")}: ${message}`);

const config = JSON.stringify({
  train_batch_size: 32,
  train_micro_batch_size_per_gpu: 2,
  gradient_accumulation_steps: 2,
  zero_optimization: { stage: 2 },
});

it("in a file", () => {
  const args = { output_dir: "o", per_device_train_batch_size: "two", gradient_accumulation_steps: 4.5 };
  expect(found({ "ds.json": config, "args.json": JSON.stringify({ ...args, deepspeed: "ds.json" }) })).toEqual([
    'trainer-number-text: per_device_train_batch_size is the text "two", not a number',
    "trainer-type: gradient_accumulation_steps is 4.5, but it takes a whole number in digits",
  ]);
});

it("on a command line", () => {
  const line =
    "torchrun --nproc_per_node 8 train.py --deepspeed ds.json --output_dir o --per_device_train_batch_size two --gradient_accumulation_steps 4.5\n";
  expect(found({ "ds.json": config, "run.sh": line }, null)).toEqual([
    "trainer-type: --per_device_train_batch_size takes a whole number in digits, not two",
    "trainer-type: --gradient_accumulation_steps takes a whole number in digits, not 4.5",
  ]);
});

it("one batch that does not come out is one error", () => {
  const start = "torchrun --nproc_per_node 16 train.py --deepspeed ds.json --output_dir o";
  const batch = "--per_device_train_batch_size 2 --gradient_accumulation_steps 2";
  expect(found({ "ds.json": config, "run.sh": `${start} ${batch}\n` }, null)).toEqual([
    "deepspeed-batch-product: train_batch_size 32 is not train_micro_batch_size_per_gpu 2 x gradient_accumulation_steps 2 x 16 ranks = 64",
  ]);
});

it.each([
  ["gradient_clipping", { gradient_clipping: "1.0" }],
  ["steps_per_print", { steps_per_print: "10" }],
  ["optimizer.params.lr", { optimizer: { type: "AdamW", params: { lr: "1e-4" } } }],
])("what the engine takes and the first step fails at is a warning: %s", (key, more) => {
  const text = JSON.stringify({ ...(JSON.parse(config) as object), ...more });
  const late = checkForeign(
    [
      { path: "ds.json", text },
      { path: "args.json", text: '{"output_dir": "o", "per_device_train_batch_size": 2, "deepspeed": "ds.json"}' },
    ],
    { world: 8, gpusPerNode: null, gpu: "h100" },
    () => undefined,
  ).diagnostics.filter(({ message }) => message.includes("the first step fails"));
  expect(late.map(({ severity, message }) => [severity, message.split(" ")[0]])).toEqual([["warning", key]]);
});

it.each([
  ["accelerate launch --num_processes 8 --use_deepspeed --zero_stage 2 train.py", {}, true],
  ["accelerate launch --config_file acc.yaml train.py", { "acc.yaml": "DEEPSPEED" }, true],
  ["accelerate launch --config_file acc.yaml --use_fsdp train.py", { "acc.yaml": "DEEPSPEED" }, false],
  ["accelerate launch --config_file acc.yaml train.py", { "acc.yaml": "FSDP" }, false],
  ["accelerate launch --num_processes 8 train.py", {}, false],
])("--fsdp of the Trainer beside %s %j", (start, yaml, refused) => {
  const line = `${start} --output_dir x --per_device_train_batch_size 4 --bf16 True --fsdp "full_shard auto_wrap" --model_name_or_path Qwen/Qwen3-8B\n`;
  const files = Object.entries(yaml).map(([path, type]) => [
    path,
    `compute_environment: LOCAL_MACHINE\ndistributed_type: ${type}\nnum_machines: 1\nnum_processes: 8\n`,
  ]);
  const codes = found({ "run.sh": line, ...(Object.fromEntries(files) as Record<string, string>) }, null);
  expect(codes.some((each) => each.startsWith("trainer-fsdp-deepspeed"))).toBe(refused);
});
