/** What a stage asks of engines. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { layoutWaits } from "../../diagnostics/layout.ts";
import type { Engine } from "../../engines/engine.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { boundText } from "../size/bounds.ts";
import { engineChoice, leastOf, split, unable } from "./candidates.ts";
import { impossiblePins, wrongWorld } from "./impossible.ts";
import { wrongDetails } from "./wrong-details.ts";
import type { LaidStage } from "./laid-stage.ts";

/** The engines that are tried, in this order, or what is wrong with what was written. */
export function askedOf(
  stage: LaidStage,
  cluster: ClusterSpec,
  model: SizedModel,
): { candidates: readonly Engine[]; reason: string; wrong: readonly Diagnostic[] } {
  const wrong = [...impossiblePins(stage), ...wrongWorld(stage, cluster), ...wrongDetails(stage, model)];
  const { candidates, reason } = engineChoice(stage);
  if (wrong.length > 0) return { candidates, reason, wrong };
  // A stage that names no engine waits for one that has its model.
  if (stage.engine !== null) return { candidates, reason, wrong };
  const able = candidates.filter((engine) => unable(engine, stage, model, cluster) === null);
  const [first] = candidates;
  const why = first === undefined ? null : unable(first, stage, model, cluster);
  return { candidates: able, reason, wrong: able.length > 0 ? [] : waitingSplits(stage, why ?? "") };
}

function waitingSplits(stage: LaidStage, why: string): Diagnostic[] {
  return split
    .filter((property) => leastOf(stage, property) > 1)
    .map((property) => {
      const pin = stage.layout.given.get(property);
      const bound = stage.layout.bounds.get(property);
      const value = pin === undefined ? (bound === undefined ? "" : boundText(bound)) : `= ${String(pin.value)}`;
      return layoutWaits(pin?.span ?? bound?.spans[0] ?? stage.span, { property, value, why });
    });
}
