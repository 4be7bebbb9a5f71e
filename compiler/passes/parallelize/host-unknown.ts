import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { memoryHostUnknown } from "../../diagnostics/layout.ts";
import type { ClusterSpec, StageStep } from "../../pipeline.ts";
import type { StagePlan } from "../../plan.ts";
import { bytes } from "../../planner/describe.ts";

/** A plan that lives from memory of hosts that nobody described. */
export function hostUnknown(
  { layout, span }: StageStep,
  { layout: { offload, gpus_per_node }, memory }: StagePlan,
  { name, ram, device }: ClusterSpec,
): Diagnostic[] {
  if (offload === "none" || ram !== null || device.kind === "cpu") return [];
  const slots = { need: bytes(memory.host_peak * gpus_per_node), offload, cluster: name };
  return [memoryHostUnknown(layout.given.get("offload")?.span ?? span, slots)];
}
