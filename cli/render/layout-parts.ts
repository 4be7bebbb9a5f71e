/** A layout in the words of a plan: what is split, and what a reader has to know to tell one from another. */
import { offloadText, recomputeText } from "./detail.ts";
import type { Alternative, Layout, StagePlan } from "../../compiler/plan.ts";
import { whole } from "./figures.ts";

/** How the model is split over ranks, besides its replicas. */
export function splitParts(layout: Layout): string[] {
  const sizes = {
    tensor: layout.tensor_parallel,
    pipeline: layout.pipeline_parallel,
    chunks: layout.virtual_pipeline,
    context: layout.context_parallel,
    expert: layout.expert_parallel,
    "expert tensor": layout.expert_tensor_parallel,
  };
  return [
    ...Object.entries(sizes).flatMap(([name, size]) => (size === 1 ? [] : [`${name} ${size}`])),
    // Who splits matrices splits what lies between them as well, unless it says not to.
    ...(layout.tensor_parallel > 1 && !layout.sequence_parallel ? ["no sequence parallelism"] : []),
  ];
}

/** What replicas share out among themselves, in the engine's word for it. */
export function shardedParts(engine: StagePlan["engine"], layout: Layout): string[] {
  const { zero_stage, data_parallel, context_parallel, shard_over: over } = layout;
  if (engine === "deepspeed" || (engine === "torch" && zero_stage > 0))
    return [`ZeRO stage ${zero_stage}${over === undefined ? "" : ` in groups of ${over}`}`];
  // Ranks that share a sequence hold the same weights, too.
  if (engine !== "megatron" || data_parallel * context_parallel === 1) return [];
  return [zero_stage === 1 ? "distributed optimizer" : "optimizer not distributed"];
}

/** Rows that an engine adds to the tables, and what the model has with them. */
export function paddedParts({ padded_vocab: rows, held_parameters: held }: Layout): string[] {
  if (rows === undefined) return [];
  return [`vocabulary padded to ${whole(rows)}${held === undefined ? "" : `: ${whole(held)} parameters held`}`];
}

/** A layout beside the one that was chosen: what replicas share out is said where that differs. */
export function besideParts(
  chosen: StagePlan,
  { engine, layout, batch }: Pick<Alternative, "engine" | "layout" | "batch">,
): string[] {
  const own = engine ?? chosen.engine;
  const isSaid =
    own === "deepspeed" ||
    engine !== undefined ||
    layout.zero_stage !== chosen.layout.zero_stage ||
    layout.shard_over !== chosen.layout.shard_over;
  return [
    ...(engine === undefined ? [] : [`engine ${engine}`]),
    ...splitParts(layout),
    `micro ${batch.micro_batch}`,
    ...(isSaid ? shardedParts(own, layout) : []),
    ...(isSaid && own === "torch" && layout.zero_stage === 0 ? ["nothing sharded"] : []),
    ...(layout.recompute === "none" ? [] : [`recompute ${recomputeText(layout)}`]),
    ...(layout.offload === "none" ? [] : [`offload ${offloadText(layout)}`]),
  ];
}
