/** Where a schedule ends: a share of the peak rate, below it, and no rate. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { type ChoiceValue, number, show, showNumber, type Valued } from "../../../dsl/types/value.ts";
import { scheduleFlat, scheduleRate } from "../../diagnostics/stage.ts";
import { textIn } from "./expectations.ts";
import { choiceAt, numberOf, valued } from "./read.ts";

type Report = (diagnostic: Diagnostic) => void;

/** Nobody trains on at less than a thousandth of the peak, and nobody trains at a peak of more. */
const leastShare = 1e-3;

export function checkSchedule(block: Instance, report: Report): void {
  const schedule = choiceAt(block, "schedule");
  const to = schedule === null || schedule.declared !== undefined ? undefined : schedule.arguments.get("to");
  if (schedule === null || to?.value.kind !== "number") return;
  if (to.value.value === 1) return report(flat(schedule, valued(block, "schedule")));
  const rate = choiceAt(block, "optimizer")?.arguments.get("lr");
  const lr = numberOf(rate?.value);
  const peak = rate === undefined ? "" : textIn(rate);
  const { value, percent } = to.value;
  if (percent || value === 0 || lr === null || lr <= 0 || !(value < leastShare || value === lr)) return;
  const [written, asShare, ofPeak] = [textIn(to), share(value), share(value / lr)];
  const isLess = value < lr;
  const fixes = (isLess ? [ofPeak, asShare] : [asShare]).map((text) => replacement(to.span, text));
  report(
    scheduleRate(
      to.span,
      {
        to: written,
        share: asShare,
        lr: literal.test(peak) ? peak : show(number(lr)),
        ofPeak: isLess ? ofPeak : null,
      },
      // What stands there may be a name.
      { fixes: literal.test(written) ? fixes : [] },
    ),
  );
}

const literal = /^\d[\d._]*(?:e[+-]?\d+)?$/i;

const share = (value: number): string =>
  showNumber({ kind: "number", value: Number(value.toPrecision(2)), dimension: {}, percent: true });

function flat(schedule: ChoiceValue, { span }: Valued): Diagnostic {
  const warmup = schedule.arguments.get("warmup");
  const written = warmup === undefined || warmup.origin.kind === "default" ? "" : `(warmup = ${show(warmup.value)})`;
  const fixes = [replacement(span, `constant${written}`)];
  return scheduleFlat(span, { schedule: show({ ...schedule }) }, { fixes });
}
