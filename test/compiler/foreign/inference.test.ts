/** A DeepSpeed file that a program reads by itself, without the Trainer and without accelerate's own plugin. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const errors = (command: string): readonly string[] =>
  checkForeign(
    [
      { path: "ds.json", text: '{ "train_micro_batch_size_per_gpu": 1, "bf16": { "enabled": true } }' },
      { path: "run.sh", text: `${command}\n` },
    ],
    { world: null, gpusPerNode: 8, gpu: "h100" },
    () => undefined,
  )
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code }) => code);

it("is held against neither where nothing says that they read it", () => {
  const start = "accelerate launch --num_processes 8 chatbot.py --deepspeed ds.json --model_name_or_path gpt2";
  expect(errors(`${start} --max_new_tokens 256`)).toEqual([]);
  expect(errors(`${start} --output_dir out`)).toContain("cdr/trainer-deepspeed-mismatch");
});

it("is held against accelerate where it is handed to it", () => {
  const start = "accelerate launch --use_deepspeed --num_processes 8 --deepspeed_config_file ds.json chatbot.py";
  expect(errors(start)).toContain("cdr/accelerate-zero-section");
});
