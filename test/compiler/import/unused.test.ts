/** Options of a training that the language has no word for are told one by one; those that the file says are not. */
import { expect, it } from "vitest";
import { importLaunch } from "../../../compiler/import/import.ts";

function leftOut(files: Readonly<Record<string, string>>): readonly string[] {
  const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  const { diagnostics } = importLaunch(sources, { supplied, launch: null }, () => undefined);
  return diagnostics
    .filter(({ code }) => code === "cdr/import-left-out")
    .map(({ message }) => message.replace(/ is not in the written file.*$/, ""));
}

const said =
  "--model_name_or_path gpt2 --dataset_name a/b --per_device_train_batch_size 2 --gradient_accumulation_steps 4 --learning_rate 2e-5 " +
  "--num_train_epochs 3 --bf16 --output_dir out --logging_steps 10 --save_steps 500 --warmup_ratio 0.03 --lr_scheduler_type cosine --seed 7";

it("an option without a word in the language", () => {
  const text = `torchrun --nproc_per_node 8 train.py ${said} --dataloader_num_workers 8 --neftune_noise_alpha=5 --my_own 3\n`;
  expect(leftOut({ "run.sh": text })).toEqual([
    "the program train.py",
    "--dataloader_num_workers",
    "neftune_noise_alpha",
    "--my_own",
  ]);
});

it("says nothing of options that the file says", () => {
  expect(leftOut({ "run.sh": `torchrun --nproc_per_node 8 train.py ${said} --do_train\n` })).toEqual([
    "the program train.py",
  ]);
});

it("says nothing of what DeepSpeed's own file says first", () => {
  const files = {
    "run.sh": `deepspeed --num_gpus 8 train.py --deepspeed ds.json ${said}\n`,
    "ds.json": `{"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}}`,
  };
  expect(leftOut(files)).toEqual(["the program train.py"]);
});

it("no word of a file that was given, whatever folder the script knows it in", () => {
  const file =
    "base_model: a/llama-1b\ndatasets:\n  - path: a/b\n    type: alpaca\nmicro_batch_size: 2\nlearning_rate: 0.0002\n";
  const text = "accelerate launch -m axolotl.cli.train conf/axo.yaml\n";
  expect(leftOut({ "run.sh": text, "axo.yaml": file })).not.toContain("the word conf/axo.yaml");
  expect(leftOut({ "run.sh": text })).toContain("the word conf/axo.yaml");
});

it("keys and sections of a file", () => {
  const text =
    "base_model: a/llama-1b\ndatasets:\n  - path: a/b\n    type: alpaca\nsequence_len: 2048\nsample_packing: true\nmicro_batch_size: 2\n" +
    "gradient_accumulation_steps: 1\nnum_epochs: 1\noptimizer: adamw_torch\nlearning_rate: 0.0002\nspecial_tokens:\n  pad_token: x\n";
  expect(leftOut({ "axolotl.yaml": text })).toEqual([
    "save_strategy epoch (the program's default)",
    "datasets: type alpaca",
    "sample_packing",
    "special_tokens",
  ]);
});

it("how Axolotl makes samples of rows, key by key", () => {
  const text =
    "base_model: a/llama-1b\ndatasets:\n  - path: a/b\n    type: chat_template\n    split: train[:20%]\n    field_messages: conversations\n" +
    "    message_property_mappings:\n      role: from\n      content: value\n    roles_to_train: [assistant]\n    train_on_eos: turn\n" +
    "  - path: a/c\n    type: completion\n    name: en\n    split: train\n    field: text\n    trust_remote_code: false\n" +
    "micro_batch_size: 2\nlearning_rate: 0.0002\n";
  expect(leftOut({ "axolotl.yaml": text })).toEqual([
    "save_strategy epoch (the program's default)",
    "datasets: type chat_template",
    "datasets: split train[:20%]",
    "datasets: field_messages conversations",
    "datasets: message_property_mappings",
    "datasets: roles_to_train",
    "datasets: train_on_eos turn",
  ]);
});

it("values that the language lacks, and words that stand alone", () => {
  const text = `torchrun --nproc_per_node 8 train.py own.yaml ${said} --report_to mlflow --eval_strategy epoch --tags x y\n`;
  expect(leftOut({ "run.sh": text })).toEqual([
    "report_to mlflow",
    "eval_strategy epoch",
    "the program train.py",
    "--tags",
    "the word own.yaml",
  ]);
});

it("what the shell does itself, and files that are not there", () => {
  const text = `source my.env\nulimit -n 65536\ntrap 'echo bye' EXIT\n. here.env\ntorchrun --nproc_per_node 8 train.py ${said}\n`;
  const files = { "run.sh": text, "here.env": "export A=1\n" };
  const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
  const sources = Object.entries(files).map(([path, each]) => ({ path, text: each }));
  const { diagnostics } = importLaunch(sources.slice(0, 1), { supplied, launch: null }, (path) =>
    path === "here.env" ? sources[1] : undefined,
  );
  expect(diagnostics.map(({ message }) => message.replace(/ is not in the written file.*$/, ""))).toEqual([
    "the program train.py",
    "`source my.env`",
    "`ulimit -n …`",
    "`trap echo bye …`",
  ]);
});

it("parameters of DeepSpeed's optimizer and schedule", () => {
  const text = JSON.stringify({
    train_micro_batch_size_per_gpu: 2,
    zero_optimization: { stage: 2 },
    optimizer: { type: "Adam", params: { lr: 1e-4, weight_decay: 0.3, adam_w_mode: false } },
    scheduler: {
      type: "WarmupCosineLR",
      params: { total_num_steps: 100, warmup_num_steps: 5, warmup_min_ratio: 0.1 },
    },
  });
  expect(leftOut({ "ds.json": text })).toEqual([
    "optimizer.params.adam_w_mode false",
    "scheduler.params.warmup_min_ratio 0.1",
  ]);
});
