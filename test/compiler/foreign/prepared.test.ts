/** What prepares a training says nothing of its ranks. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const ds = (batch: number): string =>
  `{"train_batch_size": ${batch}, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 1, "zero_optimization": {"stage": 2}}`;
const train = "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n";

it.each([
  [`python prepare.py --in a --out b\n${train}`, 32, []],
  [`python prepare.py --in a --out b\n${train}`, 24, ["error"]],
  [`${train}python report.py\n`, 32, []],
  ["python train.py --deepspeed_config ds.json\n", 32, ["warning"]],
])("%s with a batch of %d", (lines, batch, expected) => {
  const found = toldOf({ "run.sh": lines, "ds.json": ds(batch) });
  expect(found.filter(({ code }) => code === "cdr/deepspeed-batch-product").map(({ severity }) => severity)).toEqual(
    expected,
  );
});
