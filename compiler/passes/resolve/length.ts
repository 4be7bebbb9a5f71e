import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { show } from "../../../dsl/types/value.ts";
import { batchLength } from "../../diagnostics/batch.ts";
import { lengthFraction } from "../../diagnostics/pipeline.ts";
import type { Length, StageStep } from "../../pipeline.ts";
import { given, unitOf, valued } from "./read.ts";

const units: Readonly<Record<string, Length["unit"]>> = { token: "tokens", sample: "samples", epoch: "epochs" };

/** `null` where there is none, or one that no run can have; the latter was reported. */
export function lengthOf(block: Instance, report: (diagnostic: Diagnostic) => void): StageStep["length"] | null {
  const length = valued(block, "length");
  if (length.value.kind !== "number") return null;
  const unit = unitOf(length.value);
  const { value } = length.value;
  if (value <= 0) {
    report(batchLength(length.span, { length: show(length.value), batch: null }));
    return null;
  }
  const isWhole = unit !== "step" || Number.isInteger(value);
  if (!Number.isFinite(value) || !isWhole) {
    const whole = Math.max(1, Math.round(value));
    const fixes =
      Number.isFinite(value) && length.origin.kind === "written"
        ? [replacement(length.span, `${whole} step${whole === 1 ? "" : "s"}`)]
        : [];
    report(lengthFraction(length.span, { length: show(length.value) }, { fixes }));
    return null;
  }
  return given({ unit: units[unit ?? ""] ?? "steps", value }, length);
}
