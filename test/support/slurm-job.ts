/** A Slurm job that nothing runs: for tests of what is emitted. */
import type { SlurmOptions } from "../../compiler/pipeline.ts";
import type { Job } from "../../compiler/targets/job.ts";
import { slurmDefaults } from "./slurm-run.ts";
import { tiny } from "./tiny.ts";

export function exampleJob(changes: Partial<Job> = {}, step: Partial<Job["step"]> = {}): Job {
  const { bundle, launch } = tiny("/project");
  const train = bundle.steps.find(({ name }) => name === "pretrain");
  if (train === undefined) throw new Error("the tiny pipeline has no stage");
  return {
    id: "4fd1c0de",
    step: { ...train, nodes: 2, processes: 8, device: "gpu", ...step },
    launch: { ...launch, env: {} },
    directory: "/project/runs/pretrain/4fd1c0de",
    bundle: "/project/runs/.bundles/b1",
    project: "/project",
    attempt: 0,
    inputs: [{ name: "data", directory: "/project/runs/corpus/0badf00d", which: "result" }],
    ...changes,
  };
}

export function slurmOptions(changes: Partial<SlurmOptions> = {}): SlurmOptions {
  return { ...slurmDefaults, time: 36 * 3600, lead: 120, ...changes };
}
