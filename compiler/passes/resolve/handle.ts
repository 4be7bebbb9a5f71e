import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { bestUnmeasured } from "../../diagnostics/pipeline.ts";
import { emaMissing } from "../../diagnostics/stage.ts";
import type { Handle } from "../../pipeline.ts";
import { measures } from "./measures.ts";
import { group, valued } from "./read.ts";

type Report = (diagnostic: Diagnostic) => void;

/** The checkpoint that a property names. The best one is known only where its stage measures the validation loss. */
export function handleAt(block: Instance, name: string, report: Report): Handle | null {
  const { value, span } = valued(block, name);
  if (value.kind !== "handle") return null;
  const { block: maker, which } = value;
  const step = maker.name ?? maker.kind.name;
  if (which === "best" && maker.kind.name === "stage" && !measures(maker)) {
    const fixes = [replacement(span, `${step}.last`)];
    report(bestUnmeasured(span, { stage: step, what: `${step}.best` }, { fixes }));
  }
  if (which === "mean" && group(maker, "ema") === null && maker.strangeGroups.size === 0)
    report(emaMissing(span, { stage: step }));
  const at = value.at?.value;
  const taken = at?.kind === "number" ? (`step-${at.value}` as const) : (which as Handle["which"]);
  return { step, which: taken, span: block.span };
}
