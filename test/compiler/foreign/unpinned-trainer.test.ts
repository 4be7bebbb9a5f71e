/** Options that the newest transformers lacks, where no file says which release is installed. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const run = "torchrun --nproc_per_node 8 train.py --output_dir o --per_device_train_batch_size 2 --max_steps 10";

function found(text: string) {
  return checkForeign([{ path: "run.sh", text }], { world: null, gpusPerNode: null, gpu: null }, () => undefined)
    .diagnostics.filter(({ code }) => code === "cdr/trainer-release")
    .map(({ severity, related }) => `${severity} ${related.length}`);
}

it("are one remark", () => {
  expect(found(`${run} --overwrite_output_dir --no_cuda false --logging_dir logs\n`)).toEqual(["info 2"]);
  expect(found(`${run} --warmup_steps 10\n`)).toEqual([]);
});

it("are judged by a release that is named", () => {
  expect(found(`pip install transformers==4.57.1\n${run} --overwrite_output_dir\n`)).toEqual([]);
  expect(found(`pip install transformers==5.2.0\n${run} --overwrite_output_dir\n`)).toEqual(["error 1"]);
});
