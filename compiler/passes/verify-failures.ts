/** A stage that loses much of its time to failures, since it saves seldom or never. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { checkpointRare } from "../diagnostics/course.ts";
import type { ClusterSpec, StageStep } from "../pipeline.ts";
import type { StagePlan } from "../plan.ts";
import { failuresIn, hardlyEnds } from "../planner/run/failures.ts";
import { periodSteps } from "../planner/schedule.ts";
import { group } from "./resolve/read.ts";

/** Shares of the time between two failures: a run that saves so often loses about a twentieth. */
const often = 10;

/** A share of the whole run: with less than twice of what saving often leaves, the time between two saves is a matter of taste. */
const much = 1 / often;

export function verifyFailures(
  block: Instance,
  { checkpoint, resume }: StageStep,
  { name, total, batch, time }: StagePlan,
  cluster: ClusterSpec,
): Diagnostic[] {
  const { hours, parts, failures, steps } = total;
  if (parts.failures < much * hours) return [];
  const work = hours - parts.failures;
  const period =
    checkpoint?.every == null
      ? steps
      : Math.min(steps, periodSteps(checkpoint.every, batch.tokens_per_step, time.step));
  const goesOn = checkpoint !== null && resume !== "never";
  const slots = {
    stage: name,
    failures: failures >= 10 ? String(Math.round(failures)) : failures.toPrecision(2),
    work: inWords(work),
    saved: !goesOn
      ? "starts over after each"
      : period >= steps
        ? "saves nothing before its end"
        : `saves every ${inWords((work * period) / steps)}`,
    lost: hardlyEnds(total) ? null : `${inWords(parts.failures)}, ${Math.round((100 * parts.failures) / hours)} %`,
  };
  const settings = group(block, "checkpoint");
  const span = settings?.values.get("every")?.nameSpan ?? settings?.span ?? block.span;
  const least = 1 / failuresIn(often, cluster);
  const valid = least >= 1 ? `${Math.floor(least)} h` : `${Math.max(1, Math.floor(6 * least) * 10)} min`;
  const said = goesOn || checkpoint === null ? `checkpoint { every = ${valid} }` : "resume = exact";
  return [checkpointRare(span, slots, { valid: [said] })];
}

const inWords = (hours: number): string =>
  hours >= 72 ? `${Number((hours / 24).toPrecision(3))} days` : `${Number(hours.toPrecision(3))} h`;
