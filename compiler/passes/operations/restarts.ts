import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { isPresent } from "../../../dsl/eval/declarations/lookup.ts";
import type { Layer } from "../../../dsl/eval/origin.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { restartLoses } from "../../diagnostics/operations.ts";
import { argument, choiceAt, group, numberOf, textAt, textOf, valued } from "../resolve/read.ts";

/**
 * What is started again must be able to go on: with a state that was saved, and the will to read it. What the file says
 * of a stage holds on each of its launches; what a variant says was asked for together with one.
 */
export function restarts(blocks: readonly Instance[], launches: readonly Instance[], chosen: Span): Diagnostic[] {
  const restarting = launches.flatMap((launch) => {
    const why = isPresent(launch) ? restartsBy(launch) : null;
    return why === null ? [] : [{ why, launch }];
  });
  return blocks.flatMap((stage) => {
    const entry = stage.kind.name === "stage" ? losing(stage) : null;
    if (entry === null) return [];
    const ways = restarting.filter(({ launch }) => entry.layer === "file" || launch.span === chosen);
    const [first] = ways;
    if (first === undefined) return [];
    const related = ways.map(({ launch }) => ({
      message: "the reason for restarts",
      span: valued(launch, "target").span,
    }));
    const { what, keepsWeights } = entry;
    const slots = { stage: stage.name ?? "", why: first.why, what, keepsWeights };
    return [restartLoses(entry.span, slots, keepsWeights ? { related, severity: "warning" } : { related })];
  });
}

interface Losing {
  readonly what: string;
  readonly span: Span;
  readonly layer: Layer;
  /** What is lost is all but the weights: the optimizer, the schedule, the place in the data. */
  readonly keepsWeights: boolean;
}

/** What keeps a stage from going on, and the layer that says it. */
function losing(stage: Instance): Losing | null {
  const resume = stage.values.get("resume");
  const how = textAt(stage, "resume");
  if (resume !== undefined && (how === "never" || how === "weights")) {
    const { span } = valued(stage, "resume");
    return { what: `\`resume = ${how}\``, span, layer: resume.by.layer, keepsWeights: how === "weights" };
  }
  const removed = stage.values.get("checkpoint");
  if (removed === undefined || group(stage, "checkpoint") !== null) return null;
  return { what: "`checkpoint = none`", span: removed.nameSpan, layer: removed.by.layer, keepsWeights: false };
}

/** How a launch brings back what stopped, in words; `null` where it does not. */
function restartsBy(launch: Instance): string | null {
  const target = choiceAt(launch, "target");
  if (target?.name !== "kubernetes") return null;
  const spot = textOf(argument(target, "spot"));
  if (spot !== null) return "runs on machines that can be reclaimed";
  const controller = argument(target, "controller");
  const retries = controller?.kind === "choice" ? numberOf(argument(controller, "retries")) : null;
  return retries !== null && retries > 0 ? `is restarted up to ${retries} times` : null;
}
