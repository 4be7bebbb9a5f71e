import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Span } from "../../../dsl/source/source.ts";
import type { Value } from "../../../dsl/types/value.ts";
import { bestUnmeasured } from "../../diagnostics/pipeline.ts";
import { emaMissing } from "../../diagnostics/stage.ts";
import type { Handle } from "../../pipeline.ts";
import { measures } from "./measures.ts";
import { group, valued } from "./read.ts";

type HandleValue = Extract<Value, { kind: "handle" }>;
type Report = (diagnostic: Diagnostic) => void;

/** The checkpoint that a property names. */
export function handleAt(block: Instance, name: string, report: Report): Handle | null {
  const { value, span } = valued(block, name);
  if (value.kind !== "handle") return null;
  handleFaults(value, span).forEach(report);
  const { block: maker, which } = value;
  const step = maker.name ?? maker.kind.name;
  const at = value.at?.value;
  const taken = at?.kind === "number" ? (`step-${at.value}` as const) : (which as Handle["which"]);
  return { step, which: taken, span: block.span };
}

/** The best checkpoint is known only where its stage measures the validation loss, the mean one only where it keeps a mean. */
export function handleFaults({ block: maker, which }: HandleValue, span: Span): readonly Diagnostic[] {
  const step = maker.name ?? maker.kind.name;
  if (which === "best" && maker.kind.name === "stage" && !measures(maker)) {
    const fixes = [replacement(span, `${step}.last`)];
    return [bestUnmeasured(span, { stage: step, what: `${step}.best` }, { fixes })];
  }
  if (which === "mean" && group(maker, "ema") === null && maker.strangeGroups.size === 0)
    return [emaMissing(span, { stage: step })];
  return [];
}
