/** CUDA_VISIBLE_DEVICES before DeepSpeed's command: what it ignores, and what it refuses. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

function found(text: string): readonly string[] {
  return checkForeign([{ path: "run.sh", text }], { world: null, gpusPerNode: null, gpu: null }, () => undefined)
    .diagnostics.filter(({ code }) => code === "cdr/deepspeed-visible-devices")
    .map(({ severity, span }) => `${severity} ${span.source.text.slice(span.start, span.end)}`);
}

it.each([
  ["CUDA_VISIBLE_DEVICES=0,1,2,3 deepspeed --num_gpus=2 train.py", ["warning CUDA_VISIBLE_DEVICES=0,1,2,3"]],
  ["CUDA_VISIBLE_DEVICES=0,1 deepspeed --num_gpus=2 train.py", []],
  ["CUDA_VISIBLE_DEVICES=0,1,2,3 deepspeed train.py", []],
  ["CUDA_VISIBLE_DEVICES=0,1,2,3 deepspeed --num_nodes 1 train.py", ["error --num_nodes"]],
  ["CUDA_VISIBLE_DEVICES= deepspeed --num_nodes 1 train.py", []],
  ["CUDA_VISIBLE_DEVICES=2,3 deepspeed --num_nodes 1 --num_gpus 2 train.py", ["warning CUDA_VISIBLE_DEVICES=2,3"]],
  ["CUDA_VISIBLE_DEVICES=2,3 deepspeed --hostfile hosts --num_nodes 1 train.py", []],
])("%s", (text, wrong) => {
  expect(found(`${text}\n`)).toEqual(wrong);
});
