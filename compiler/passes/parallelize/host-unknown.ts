import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { memoryHostUnknown } from "../../diagnostics/layout.ts";
import type { ClusterSpec, StageStep } from "../../pipeline.ts";
import type { StagePlan } from "../../plan.ts";
import { rawWord } from "../../engines/megatron/raw-word.ts";
import { bytes } from "../../planner/describe.ts";

/** A plan that lives from memory of hosts that nobody described. */
export function hostUnknown(
  { layout, span, rawMegatron, rawMegatronSpans }: StageStep,
  { layout: { offload }, memory }: StagePlan,
  { name, ram, device }: ClusterSpec,
): Diagnostic[] {
  if (ram !== null || device.kind === "cpu") return [];
  const need = bytes(memory.host_peak);
  const raw = rawWord(rawMegatron, "optimizer_cpu_offload") === true;
  if (offload === "none" && !raw) return [];
  const what = raw ? "optimizer_cpu_offload" : `offload = ${offload}`;
  const at = raw ? rawMegatronSpans.get("optimizer_cpu_offload") : layout.given.get("offload")?.span;
  return [memoryHostUnknown(at ?? span, { need, what, cluster: name })];
}
