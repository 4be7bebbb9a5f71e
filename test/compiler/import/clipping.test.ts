/** Gradients are clipped as the launch clips them: where DeepSpeed's file is silent, as its release does. */
import { expect, it } from "vitest";
import { compiledText } from "../../../compiler/import/compiled.ts";
import { leftOutIn } from "../../../compiler/import/left-out.ts";
import { importLaunch } from "../../../compiler/import/import.ts";
import { loweredConfig } from "../../../compiler/import/trainer/import.ts";

const config = (more: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({
    train_batch_size: 64,
    bf16: { enabled: true },
    zero_optimization: { stage: 2 },
    optimizer: { type: "AdamW", params: { lr: 1e-4 } },
    ...more,
  });
const own = "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json";
const trainers =
  "deepspeed --num_gpus 8 train.py --deepspeed ds.json --output_dir out --per_device_train_batch_size 8";

it.each([
  [own, {}, 1],
  [`pip install deepspeed==0.19.3\n${own}`, {}, 1],
  [`pip install deepspeed==0.19.2\n${own}`, {}, 0],
  [`pip install deepspeed==0.15.4\n${own}`, {}, 0],
  [own, { gradient_clipping: 0 }, 0],
  [own, { gradient_clipping: 0.5 }, 0.5],
  [trainers, {}, 1],
  [`${trainers} --max_grad_norm 0.3`, {}, 1],
  [`${trainers} --max_grad_norm 0.3`, { gradient_clipping: "auto" }, 0.3],
  [trainers, { gradient_clipping: "auto" }, 1],
  [`accelerate launch --num_processes 8 --use_deepspeed --zero_stage 2 train.py --max_grad_norm 0.3`, null, 0.3],
])("%s, %j: %d", (script, more, clipped) => {
  const files = [
    { path: "run.sh", text: `${script}\n` },
    ...(more === null ? [] : [{ path: "ds.json", text: config(more) }]),
  ];
  const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
  const made = importLaunch(files, { supplied, launch: null }, () => undefined);
  expect(made.changed.filter((each) => !leftOutIn(made.diagnostics).includes(each))).toEqual([]);
  expect(loweredConfig(compiledText(made.text ?? ""))).toMatchObject({ gradient_clipping: clipped });
});
