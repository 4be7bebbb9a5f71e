/** Numbers of layers that a layout names and the model has not. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { layoutDetail } from "../../diagnostics/layout.ts";
import type { SizedModel } from "../../plan.ts";
import { detailText } from "../../planner/details.ts";
import type { LaidStage } from "./laid-stage.ts";

export function wrongDetails({ details = {}, layout, span }: LaidStage, { layers }: SizedModel): Diagnostic[] {
  const { block, uniform, offloaded } = details;
  const told = (property: string, most: number, why: string): Diagnostic => {
    const pin = layout.given.get(property);
    const what = `${property} = ${detailText(String(pin?.value), details)}`;
    return layoutDetail(pin?.span ?? span, { what, why }, { valid: [`<= ${most}`] });
  };
  return [
    ...(Math.max(block ?? 1, uniform ?? 1) > layers
      ? [told("recompute", layers, `the model has ${layers} layers`)]
      : []),
    ...((offloaded ?? 0) >= layers
      ? [told("offload", layers - 1, `the model has ${layers} layers, of which one stays on the device`)]
      : []),
  ];
}
