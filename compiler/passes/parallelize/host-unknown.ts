import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { memoryHostUnknown } from "../../diagnostics/layout.ts";
import type { ClusterSpec, StageStep } from "../../pipeline.ts";
import type { StagePlan } from "../../plan.ts";
import { rawEntry } from "../../engines/megatron/raw-word.ts";
import { bytes } from "../../planner/describe.ts";

/** A plan that lives from memory of hosts that nobody described. */
export function hostUnknown(
  { layout, span, rawMegatron, rawMegatronSpans }: StageStep,
  { layout: { offload }, memory }: StagePlan,
  { name, ram, device }: ClusterSpec,
): Diagnostic[] {
  if (ram !== null || device.kind === "cpu") return [];
  const need = bytes(memory.host_peak);
  const raw = rawEntry(rawMegatron, "optimizer_cpu_offload");
  const isRaw = raw?.value === true;
  if (offload === "none" && !isRaw) return [];
  const what = isRaw ? "optimizer_cpu_offload" : `offload = ${offload}`;
  const at = isRaw ? rawMegatronSpans.get(raw.key) : layout.given.get("offload")?.span;
  return [memoryHostUnknown(at ?? span, { need, what, cluster: name })];
}
