/** Lowering for Slurm: the sbatch script of one attempt, what srun starts on each node, and the words after `sbatch`. */
import type { BundleFile } from "../../bundle/steps.ts";
import type { SlurmOptions } from "../../pipeline.ts";
import { templateOf } from "../../templates.ts";
import { renderShell } from "../shell.ts";
import { directivesOf, isPlain } from "./directives.ts";
import type { Job } from "../job.ts";
import { pathsOf } from "./paths.ts";

export interface LoweredJob {
  /** Absolute paths. */
  readonly files: readonly BundleFile[];
  /** Options that cannot stand in the script, and the script. */
  readonly words: readonly string[];
}

export function lowerSlurm(job: Job, options: SlurmOptions): LoweredJob {
  const directives = directivesOf(job, options);
  const spoken = directives.filter((directive) => !isPlain(directive));
  const { script, node } = pathsOf(job);
  const header = templateOf("slurm/directives.hbs")({ directives: directives.filter(isPlain) });
  return {
    files: [
      { path: script, text: header + bodyOf(job, options), executable: true },
      { path: node, text: nodeOf(job), executable: true },
    ],
    words: [...spoken.map(({ name, value }) => (value === null ? `--${name}` : `--${name}=${value}`)), script],
  };
}

function bodyOf(job: Job, options: SlurmOptions): string {
  const env = Object.entries(job.launch.env);
  const { folder, node } = pathsOf(job);
  return renderShell("slurm/job.sh.hbs", {
    directory: job.directory,
    bundle: job.bundle,
    work: folder,
    nodeScript: node,
    attempt: job.attempt,
    nodes: job.step.nodes,
    requeue: options.requeue ? 1 : 0,
    env: env.flatMap(([name, value]) => (typeof value === "string" ? [{ name, value }] : [])),
    secrets: env.flatMap(([name, value]) => (typeof value === "string" ? [] : [{ name, from: value.secret }])),
  });
}

function nodeOf(job: Job): string {
  const { step } = job;
  return renderShell("slurm/node.sh.hbs", {
    directory: job.directory,
    bundle: job.bundle,
    project: job.project,
    work: pathsOf(job).folder,
    provision: `${job.bundle}/trainer/provision.sh`,
    program: step.program,
    config: step.config,
    nodes: step.nodes,
    processes: step.processes,
    inputs: job.inputs.map(({ name, directory, which }) => `${name}=${directory}@${which}`),
  });
}
