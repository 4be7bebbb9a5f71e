/** What a stage does beside its steps: evaluations, lines of its log, checkpoints, words to trackers. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { setTwice } from "../../../dsl/diagnostics/catalog/properties.ts";
import { suggest } from "../../../dsl/diagnostics/suggest.ts";
import { heldGroup } from "../../../dsl/eval/blocks/implied.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { none, show } from "../../../dsl/types/value.ts";
import { bestUnmeasured, checkpointMetric } from "../../diagnostics/pipeline.ts";
import type { EvaluationLength, StageStep } from "../../pipeline.ts";
import { textIn } from "./expectations.ts";
import { measures } from "./measures.ts";
import { maybePeriod, periodOf } from "./period.ts";
import { argument, group, numberOf, textAt, unitOf, valued } from "./read.ts";

type Report = (diagnostic: Diagnostic) => void;

type Upkeep = Pick<StageStep, "eval" | "log" | "checkpoint" | "root" | "track">;

export function upkeepOf(block: Instance, report: Report): Upkeep {
  const evaluation = group(block, "eval");
  const log = heldGroup(block, "log");
  const checkpoint = heldGroup(block, "checkpoint");
  return {
    eval:
      evaluation === null
        ? null
        : { every: periodOf(valued(evaluation, "every").value), length: evaluationLength(evaluation) },
    log: { every: periodOf(log === null ? none : valued(log, "every").value) },
    checkpoint:
      checkpoint === null
        ? null
        : { every: maybePeriod(valued(checkpoint, "every").value), ...retention(checkpoint, block, report) },
    root: (checkpoint === null ? null : textAt(checkpoint, "to")) ?? "runs",
    track: trackersOf(block),
  };
}

function evaluationLength(evaluation: Instance): EvaluationLength | null {
  const length = valued(evaluation, "length").value;
  if (length.kind !== "number") return null;
  return { unit: unitOf(length) === "batch" ? "batches" : "samples", value: length.value };
}

function retention(
  checkpoint: Instance,
  stage: Instance,
  report: Report,
): { keepLast: number | null; keepBest: "val_loss" | null } {
  const keep = valued(checkpoint, "keep").value;
  if (keep.kind === "number") return { keepLast: keep.value, keepBest: null };
  if (keep.kind !== "list") return { keepLast: null, keepBest: null };
  const rules = keep.items.flatMap((item) =>
    item.value.kind === "choice" ? [{ rule: item.value, span: item.span }] : [],
  );
  const [last, again] = rules.filter(({ rule }) => rule.name === "last");
  if (last !== undefined && again !== undefined && show(last.rule) !== show(again.rule)) {
    const related = [{ message: "the first time", span: last.span }];
    const fix = "Remove one of the two: the larger one keeps the others' checkpoints too.";
    report(setTwice(again.span, { name: "last", where: "`keep`" }, { related, fix }));
  }
  const best = rules.filter(({ rule }) => rule.name === "best");
  for (const { rule, span } of best) {
    const metric = rule.arguments.get("metric");
    if (metric === undefined || metric.value.kind === "unknown") continue;
    const written = textIn(metric.value.kind === "formula" ? metric.value.expression : metric);
    if (written !== "val.loss") {
      report(checkpointMetric(metric.span, { written }, suggest(metric.span, written, ["val.loss"])));
    } else if (!measures(stage)) {
      report(bestUnmeasured(span, { stage: stage.name ?? "stage", what: `best(${written})` }));
    }
  }
  return {
    keepLast: last === undefined ? 1 : numberOf(argument(last.rule, "count")),
    keepBest: best.length > 0 ? "val_loss" : null,
  };
}

function trackersOf(block: Instance): StageStep["track"] {
  const track = valued(block, "track").value;
  if (track.kind !== "list") return ["console"];
  return track.items.flatMap((item) => (item.value.kind === "choice" ? [item.value.name as "console"] : []));
}
