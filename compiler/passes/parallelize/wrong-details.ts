/** Layers and parts of them that a layout names and the model has not. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { layoutDetail } from "../../diagnostics/layout.ts";
import { families } from "../../models/index.ts";
import { hasDense, routedOf } from "../../models/routed.ts";
import type { SizedModel } from "../../plan.ts";
import { detailText, modules } from "../../planner/details.ts";
import type { Module } from "../../planner/physics/layout.ts";
import type { LaidStage } from "./laid-stage.ts";

export function wrongDetails({ details = {}, layout, span }: LaidStage, model: SizedModel): Diagnostic[] {
  const { block, uniform, offloaded, modules: named = [] } = details;
  const { layers } = model;
  const wrong = (property: string, why: string, valid: readonly string[]): Diagnostic => {
    const pin = layout.given.get(property);
    const what = `${property} = ${detailText(String(pin?.value), details)}`;
    return layoutDetail(pin?.span ?? span, { what, why }, { valid });
  };
  const told = (property: string, most: number, why: string): Diagnostic => wrong(property, why, [`<= ${most}`]);
  const lacking = named.filter((module) => !hasModule(model, module));
  return [
    ...(lacking.length === 0
      ? []
      : [
          wrong(
            "recompute",
            `no layer of this ${model.family} has ${lacking.join(" or ")}`,
            modules.filter((module) => hasModule(model, module)),
          ),
        ]),
    ...(Math.max(block ?? 1, uniform ?? 1) > layers
      ? [told("recompute", layers, `the model has ${layers} layers`)]
      : []),
    ...((offloaded ?? 0) >= layers
      ? [told("offload", layers - 1, `the model has ${layers} layers, of which one stays on the device`)]
      : []),
  ];
}

/** Whether any layer has that part; one with experts has no dense feed-forward part (`mlp`). */
function hasModule(model: SizedModel, module: Module): boolean {
  const family = families[model.family];
  const routed = routedOf(family, model);
  switch (module) {
    case "core_attn":
      return model.heads > 0;
    case "layernorm":
      return true;
    case "mla_up_proj":
      return model.mla !== undefined;
    case "mlp":
      return hasDense(family, model);
    case "moe":
    case "moe_act":
      return routed !== undefined;
    case "shared_experts":
      return (model.moe?.shared_experts ?? 0) > 0;
  }
}
