/** What an `expect` speaks of, against what is measured where it stands, and what it may go back to. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { expectationsIn } from "../../../dsl/eval/formulas/expectation.ts";
import { heldGroup } from "../../../dsl/eval/blocks/implied.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { bestUnmeasured } from "../../diagnostics/pipeline.ts";
import { evalNever, expectRollback } from "../../diagnostics/course.ts";
import { lossExperts } from "../../diagnostics/losses.ts";
import { trainingMetrics } from "../../kinds/metrics.ts";
import { textIn } from "./expectations.ts";
import { measures, withEval } from "./measures.ts";
import { namesIn } from "./names-in.ts";
import { expertsOf, valued } from "./read.ts";

type Report = (diagnostic: Diagnostic) => void;

/** What a stage knows only where it measures the loss on its validation split. */
export const validated: ReadonlySet<string> = new Set(
  Object.keys(trainingMetrics).filter((name) => /^val\.|^best\.|^generalization_gap$/.test(name)),
);

/** What is counted behind a router, in a stage and in an eval. */
const routed: Readonly<Record<string, readonly string[]>> = {
  stage: ["overflow"],
  eval: ["overflow", "entropy", "utilization"],
};

export function checkMeasured(block: Instance, model: Instance | null, report: Report): void {
  if (model === null || model.strangeGroups.size > 0) return;
  for (const { node, condition } of expectationsIn(block)) {
    const term = namesIn(condition).find((name) => routed[block.kind.name]?.includes(name));
    if (term !== undefined && (expertsOf(model) ?? 2) < 2)
      report(lossExperts(node.condition.span, { term, model: model.name ?? "" }));
  }
}

/** A stage measures its validation loss, and saves on its way, where its expectations need that. */
export function checkWatching(stage: Instance, report: Report): void {
  const name = stage.name ?? "stage";
  for (const { node, condition, otherwise, to } of expectationsIn(stage)) {
    const asked = namesIn(condition).find((metric) => validated.has(metric));
    const best = otherwise === "rollback" && to === "best";
    if ((asked !== undefined || best) && !measures(stage) && !isLaidOver(stage, "eval")) {
      const what = asked === undefined ? "rollback(to = best)" : `expect ${textIn(node.condition)}`;
      const fix = `Add \`eval { every = 500 steps }\` to stage \`${name}\`${asked === undefined ? ", or return to the `last` checkpoint" : ""}.`;
      const fixes = [withEval(stage, node.span.source)].filter((each) => each !== null);
      const { span } = asked === undefined ? (node.otherwise ?? node) : node.condition;
      const told = bestUnmeasured(span, { stage: name, what }, { fix, fixes });
      // What is never measured is never judged; what is never saved is missing when it is asked for.
      report(best ? told : { ...told, severity: "warning" });
    } else if (otherwise === "rollback") checkSaved(stage, node.otherwise ?? node, report);
  }
}

/** What an eval that a stage lists may take back is saved by that stage. */
export function checkListed(listed: Instance, stage: Instance, report: Report): void {
  for (const { node, otherwise } of expectationsIn(listed))
    if (otherwise === "rollback") checkSaved(stage, node.otherwise ?? node, report);
}

function checkSaved(stage: Instance, at: { readonly span: Span }, report: Report): void {
  if (isLaidOver(stage, "checkpoint") || stage.strangeGroups.size > 0) return;
  const checkpoint = heldGroup(stage, "checkpoint");
  if (checkpoint !== null && valued(checkpoint, "every").value.kind !== "none") return;
  const why = checkpoint === null ? "`checkpoint = none`" : "it saves only at its end";
  report(expectRollback(at.span, { stage: stage.name ?? "stage", why }));
}

/** What a preset or an overlay takes away for a trial, it takes away with what depends on it. */
function isLaidOver(stage: Instance, name: string): boolean {
  const { origin } = valued(stage, name);
  return origin.kind === "written" && origin.layer !== "file";
}

/** An eval that no stage lists measures once: it has no period, no measurement before, and no run to take back. */
export function checkAlone(block: Instance, report: Report): void {
  const told = ({ span }: { readonly span: Span }, why: string, fix: string): void =>
    report(evalNever(span, { eval: block.name ?? "eval", why: `${why}: no stage lists it in \`evals\`` }, { fix }));
  const list = `list it in a stage, \`evals = ${block.name ?? "e"}\``;
  const every = valued(block, "every");
  if (every.value.kind !== "none")
    told(every, "measures only once, so its `every` has no effect", `Remove \`every\`, or ${list}.`);
  for (const { node, condition, otherwise } of expectationsIn(block)) {
    const before = namesIn(condition).find((metric) => /^(?:best|start)\./.test(metric));
    if (before !== undefined)
      told(
        node.condition,
        `measures only once, so \`${before}\` does not exist`,
        `Compare with a number, or ${list}.`,
      );
    else if (otherwise === "rollback")
      told(node.otherwise ?? node, "has no run to roll back", `Write \`else stop\`, or ${list}.`);
  }
}
