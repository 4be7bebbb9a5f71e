/** Ranks that DeepSpeed's `--include` and `--exclude` leave of a hostfile. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const hosts = "w0 slots=8\nw1 slots=8\n";

function errors(
  options: string,
  batch: number,
  files: Readonly<Record<string, string>> = { hosts },
  gpusPerNode: number | null = null,
) {
  const all = {
    "run.sh": `deepspeed ${options} train.py --deepspeed --deepspeed_config z.json\n`,
    "z.json": `{"train_batch_size": ${batch}, "train_micro_batch_size_per_gpu": 4, "optimizer": {"type": "Adam", "params": {"lr": 1e-4}}}`,
    ...files,
  };
  const sources = Object.entries(all).map(([path, text]) => ({ path, text }));
  return checkForeign(sources, { world: null, gpusPerNode, gpu: null }, () => undefined)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ message }) => message);
}

it.each([
  ["--hostfile hosts --include w1", 32, 36],
  ['--hostfile hosts --include="w0:0,1,2,3@w1"', 96, 64],
  ['--hostfile hosts --exclude="w0:0,1,2,3"', 96, 64],
  ["--hostfile hosts --exclude=w0", 32, 36],
])("%s", (options, right, wrong) => {
  expect(errors(options, right)).toEqual([]);
  expect(errors(options, wrong).length).toBe(1);
});

it("this machine's own, where there is no hostfile", () => {
  expect(errors("--include localhost:0,1", 8, {})).toEqual([]);
  expect(errors("--include localhost:0,1", 12, {}).length).toBe(1);
  expect(errors("--exclude localhost:0", 28, {}, 8)).toEqual([]);
  expect(errors("--exclude localhost:0", 32, {}, 8).length).toBe(1);
});

it("a filter that the launcher refuses gives no ranks", () => {
  expect(errors("--hostfile hosts --include w9", 12).length).toBe(1);
  expect(errors("--hostfile hosts --include w0:0,9", 12).length).toBe(1);
});
