/** What is asked of Slurm for one job: the options of sbatch by long name. */
import type { SlurmOptions } from "../../pipeline.ts";
import type { Job } from "../job.ts";
import { pathsOf } from "./paths.ts";
import { optionName } from "./sbatch.ts";
import { slurmTime } from "./time.ts";

export interface Directive {
  readonly name: string;
  /** `null`: an option without a value. */
  readonly value: string | null;
  /** What of the launch, the step or the run says so. */
  readonly from: string;
}

/** Set on the way in beside secrets: what finding a Python environment needs. The rest comes from the login shell. */
const passedOn = ["HOME", "PATH", "CDR_HOME", "CDR_PYTHON"];

export function directivesOf(job: Job, options: SlurmOptions): Directive[] {
  const { step } = job;
  const raw = rawDirectives(options);
  const gpusSaid = raw.some(({ name, value }) => name === "gpus-per-node" || (name === "gres" && isGpu(value)));
  const memorySaid = raw.some(({ name }) => name === "mem-per-cpu" || name === "mem-per-gpu");
  return [
    say("job-name", `${step.name}-${job.id}`, "step.name, run.id"),
    ...optional("partition", options.partition, "target.partition"),
    ...optional("account", options.account, "target.account"),
    ...optional("qos", options.qos, "target.qos"),
    ...optional("constraint", options.constraint, "target.constraint"),
    ...optional("reservation", options.reservation, "target.reservation"),
    say("nodes", step.nodes, "step.nodes"),
    say("ntasks-per-node", 1, "one launcher a node"),
    ...(step.device === "gpu" && !gpusSaid ? [say("gpus-per-node", step.processes, "cluster.gpus")] : []),
    ...optional("cpus-per-task", options.cpus, "target.cpus"),
    ...(options.memory === null || memorySaid ? [] : [say("mem", mebibytes(options.memory), "target.memory")]),
    ...(options.exclusive ? [say("exclusive", null, "target.exclusive")] : []),
    ...optional("time", options.time === null ? null : slurmTime(options.time), "target.time"),
    say("signal", `B:USR1@${options.lead}`, "target.lead"),
    // Both always said: sites differ in what they do when nothing is.
    say(options.requeue ? "requeue" : "no-requeue", null, "target.requeue"),
    say("open-mode", "append", "target.requeue"),
    say("export", [...passedOn, ...secretsOf(job)].join(","), "env"),
    say("chdir", job.project, "project"),
    say("output", pattern(pathsOf(job).log), "to, step.name, run.id"),
    ...raw.filter(({ name }) => step.device === "gpu" || !["gres", "gpus-per-node", "gpu-bind"].includes(name)),
  ];
}

/** Names of environment variables that are read where the job is submitted, each once. */
export function secretsOf({ launch }: Pick<Job, "launch">): string[] {
  const names = Object.values(launch.env).flatMap((value) => (typeof value === "string" ? [] : [value.secret]));
  return [...new Set(names)].sort();
}

/**
 * Directives are read by Slurm, not by a shell, and versions differ in what quotes and backslashes mean there: only
 * words that need none stand in the script. The others go to sbatch as arguments, which are passed to the letter.
 */
export function isPlain({ value }: Pick<Directive, "value">): boolean {
  return value === null || /^[A-Za-z0-9_./:=@%+,~[\]-]+$/.test(value);
}

function rawDirectives({ raw }: SlurmOptions): Directive[] {
  return Object.entries(raw).flatMap(([written, value]): Directive[] => {
    const name = optionName(written);
    if (value === false) return [];
    return [{ name, value: value === true ? null : String(value), from: "raw sbatch" }];
  });
}

function say(name: string, value: string | number | null, from: string): Directive {
  return { name, value: value === null ? null : String(value), from };
}

function optional(name: string, value: string | number | null, from: string): Directive[] {
  return value === null ? [] : [say(name, value, from)];
}

/** Slurm's own `M` is MiB; less than was asked for would not do. */
function mebibytes(bytes: number): string {
  return bytes === 0 ? "0" : `${Math.ceil(bytes / 2 ** 20)}M`;
}

function isGpu(value: string | null): boolean {
  return value !== null && /(^|,)gpu(:|,|$)/.test(value);
}

/** In file names, Slurm replaces `%j` and its kin. */
function pattern(path: string): string {
  return path.replaceAll("%", "%%");
}
