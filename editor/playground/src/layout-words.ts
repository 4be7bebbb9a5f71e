/** What a layout says, in the field's words; what it leaves alone is not spoken of. */
import type { PlannedStage } from "./messages.ts";

type Said = Pick<PlannedStage, "engine" | "layout" | "batch">;

export function layoutWords({ engine, layout, batch }: Said): string[] {
  const split = (name: string, parts: number): string[] => (parts > 1 ? [`${name} ${parts}`] : []);
  return [
    `micro ${batch.micro_batch}`,
    ...split("data", layout.data_parallel),
    ...split("tensor", layout.tensor_parallel),
    ...split("pipeline", layout.pipeline_parallel),
    ...split("virtual pipeline", layout.virtual_pipeline),
    ...split("context", layout.context_parallel),
    ...split("expert", layout.expert_parallel),
    ...(layout.sequence_parallel ? ["sequence parallel"] : []),
    ...(engine !== "torch" || layout.zero_stage > 0 ? [`ZeRO ${layout.zero_stage}`] : []),
    layout.recompute === "none" ? "nothing recomputed" : `recompute ${layout.recompute}`,
    ...(layout.offload === "none" ? [] : [`offload ${layout.offload}`]),
  ];
}

export function ranksSentence({ layout: { nodes, gpus_per_node, world } }: Pick<PlannedStage, "layout">): string {
  if (world === 1) return "1 rank";
  if (nodes === 1) return `${world} ranks on 1 node`;
  return `${nodes} nodes × ${gpus_per_node} = ${world} ranks`;
}
