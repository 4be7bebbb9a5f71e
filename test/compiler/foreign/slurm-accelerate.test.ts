/** Nodes, tasks and GPUs of a job against the file of accelerate that its command names. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { accelerateJob } from "../../../compiler/foreign/rules/slurm/counts.ts";

const told = (files: Readonly<Record<string, string>>): readonly string[] => {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  const supplied = { world: null, gpusPerNode: null, gpu: null };
  return checkForeign(sources, supplied, () => undefined)
    .diagnostics.filter(({ code }) => /slurm-(?:nodes|processes)/.test(code))
    .map(({ code, span, message }) => `${code} ${span.source.path}: ${message}`);
};

it.each([
  [accelerateJob(2, 8, 1), []],
  [accelerateJob(4, 8, 1), ["cdr/slurm-nodes acc.yaml: the launch is for 2 nodes, but the job has 4"]],
  [accelerateJob(2, 4, 1), ["cdr/slurm-processes acc.yaml: 8 processes on a node where the job gets 4 GPUs"]],
  [
    accelerateJob(2, 8, 8),
    ["cdr/slurm-processes two.sbatch: 8 tasks on every node each start accelerate with 8 processes"],
  ],
] as const)("%#", (files, messages) => {
  expect(told(files)).toEqual(messages);
});

it("a file that the command does not name says nothing of it", () => {
  const { "acc.yaml": file = "", "two.sbatch": script = "" } = accelerateJob(4, 4, 8);
  expect(told({ "other.yaml": file, "two.sbatch": script })).toEqual([]);
});

it("options of the command count before the file", () => {
  const { "acc.yaml": file = "", "two.sbatch": script = "" } = accelerateJob(4, 8, 1);
  const own = script.replace("--config_file", "--num_machines 4 --num_processes 32 --config_file");
  expect(told({ "acc.yaml": file, "two.sbatch": own })).toEqual([]);
});
