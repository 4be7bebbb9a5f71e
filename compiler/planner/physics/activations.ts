/** Bytes that one layer keeps for its backward pass, per rank. */
import type { Engine } from "./engine.ts";
import type { Batch, Layout } from "./layout.ts";
import { loadOf } from "./load.ts";
import type { Block, Shape } from "./shape.ts";

/**
 * With tensor and sequence parallelism everything is cut by the tensor ranks; without sequence parallelism the stream
 * is whole on each (Korthikanti et al. 2022, arXiv 2205.05198, 4.1 and 4.2.2: `s b h (10 + 24 / t)` and `34 s b h / t`).
 * Full recomputation keeps the layer's input (4.3).
 */
export function activationBytes(
  shape: Shape,
  block: Block,
  layout: Layout,
  batch: Batch,
  engine: Engine,
  recompute = layout.recompute,
  /** Layers whose bytes are added up: what one has more of than its share another has less of. */
  layers = 1,
): number {
  const { hidden } = shape;
  const tokens = (batch.micro * batch.sequence) / layout.context;
  const t = layout.tensor;
  const stream = layout.sequence_parallel ? t : 1;
  const kept = recompute === "selective" ? (engine.selective ?? engine.kept) : engine.kept;
  if (recompute === "full") return ((engine.stream ?? 2) * tokens * hidden) / stream;
  if (engine.modules === true && block.stated !== undefined) {
    const { module } = block.stated;
    const scores = engine.materialised && recompute !== "selective" ? module.scores * batch.sequence : 0;
    return tokens * (module.stream / stream + (module.inner + scores) / t);
  }
  let perToken = 0;
  const sublayer = (kept.stream * hidden) / stream + kept.whole * hidden;
  const { attention, mixer, ffn, experts } = block;
  if (attention !== undefined) {
    const { heads, kv_heads, head_dim, latent } = attention;
    const query = latent === undefined ? head_dim : latent.nope_dim + latent.rope_dim;
    const value = latent === undefined ? head_dim : latent.v_dim;
    const groups = latent === undefined ? kv_heads : heads;
    perToken += sublayer;
    perToken += (kept.qkv * (heads * query + groups * (query + value))) / t;
    perToken += (kept.core * heads * value) / t;
    if (latent !== undefined) perToken += 4 * (latent.q_rank + latent.kv_rank);
    // What the norms of queries and keys wrote.
    if (shape.qk_norm) perToken += (kept.qkv * (heads * query + groups * query)) / t;
    // Softmax statistics of the fused core, or the scores themselves.
    if (!engine.materialised || recompute === "selective") perToken += (4 * heads) / t;
    else perToken += (kept.scores * heads * batch.sequence) / t;
  }
  if (mixer !== undefined) {
    const { inner, groups, state, heads } = mixer;
    perToken += sublayer + (2 * (2 * (2 * inner + 2 * groups * state) + 2 * inner) + 4 * heads) / t;
  }
  if (ffn !== undefined) perToken += sublayer + ((ffn.gated ? kept.gated : kept.plain) * ffn.width) / t;
  if (experts !== undefined) {
    perToken += sublayer + (4 * experts.experts) / stream;
    const each = experts.gated ? kept.gated : kept.plain;
    // A token's copies, one an expert, enter and leave the experts beside what the experts keep themselves. Ranks that
    // share an expert's matrices gather each other's tokens first.
    const sent = experts.latent ?? hidden;
    const entering = 2 * sent * layout.expert_tensor;
    const load = loadOf(engine.routing, experts, layout, layers);
    perToken += (load * experts.top_k * (entering + 2 * sent + (each + (kept.routed ?? 0)) * experts.width)) / t;
    perToken += (each * experts.shared) / t;
  }
  return tokens * perToken;
}
