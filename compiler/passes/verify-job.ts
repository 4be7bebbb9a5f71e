/** What a launch gives each job, against what a stage takes of it by its plan: time on the machines, memory of a node. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { podMemory, podTime } from "../diagnostics/pods.ts";
import { slurmMemory, slurmRestarts, slurmShort } from "../diagnostics/slurm.ts";
import type { LaunchSpec, SlurmOptions } from "../pipeline.ts";
import type { StagePlan } from "../plan.ts";
import { bytes } from "../planner/describe.ts";
import { storage } from "../planner/run/writing.ts";
import { spoken } from "./verify-budgets.ts";

export function verifyJob(launch: LaunchSpec, planned: StagePlan): Diagnostic[] {
  return [...inTime(launch, planned), ...inMemory(launch, planned)];
}

/** As with failures, what takes a tenth of the run is told; ten waits in a queue are, for jobs that sites call short. */
const tolerable = { share: 0.1, jobs: 10, time: 3600 };

/** A job that ends before its stage does: for good, or to be started again and again. */
function inTime({ target, spans, span, cluster }: LaunchSpec, planned: StagePlan): Diagnostic[] {
  const { name: stage, total, time, memory } = planned;
  if (target.kind === "local" || target.time === null) return [];
  const seconds = total.hours * 3600;
  if (seconds * (1 - (time.error ?? 0)) <= target.time) return [];
  const at = spans.get("time") ?? span;
  const inWords = (amount: number): string => spoken(Math.max(1, Math.round(amount)), { second: 1 });
  const slots = { stage, estimate: inWords(seconds), limit: inWords(target.time) };
  if (target.kind === "kubernetes") return [podTime(at, slots)];
  if (!target.requeue) return [slurmShort(at, slots)];
  // A lead that takes all of the time has been told.
  if (target.lead >= target.time) return [];
  const start = total.parts.start * 3600 + memory.checkpoint / (cluster.nodes * storage);
  const works = target.time - target.lead - start;
  const jobs = works < time.step ? null : Math.ceil(seconds / works);
  const isWaste = jobs === null || start > tolerable.share * works;
  if (!isWaste && (jobs <= tolerable.jobs || target.time >= tolerable.time)) return [];
  const restart = { ...slots, jobs, start: inWords(start), lead: inWords(target.lead), step: inWords(time.step) };
  return [slurmRestarts(at, restart, { severity: jobs === null ? "error" : isWaste ? "warning" : "info" })];
}

/** `memory = 0 GB` of Slurm is all that a node has. */
const asked = ({ memory }: Pick<SlurmOptions, "memory">): number | null => (memory === 0 ? null : memory);

/** A job that its machine ends for the memory of its processes. */
function inMemory({ target, spans, span }: LaunchSpec, { name: stage, memory }: StagePlan): Diagnostic[] {
  const limit = target.kind === "local" ? null : asked(target);
  if (limit === null || memory.host_peak <= limit) return [];
  const slots = { stage, asked: spoken(limit, { byte: 1 }), need: bytes(memory.host_peak) };
  return [(target.kind === "slurm" ? slurmMemory : podMemory)(spans.get("memory") ?? span, slots)];
}
