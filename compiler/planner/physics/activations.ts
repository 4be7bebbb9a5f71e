/** Bytes that one layer keeps for its backward pass, per rank. */
import type { Engine } from "./engine.ts";
import type { Batch, Layout } from "./layout.ts";
import { loadOf } from "./load.ts";
import { matricesOf } from "./matrices.ts";
import { isRecomputed } from "./recomputed.ts";
import { crowdOf, isHooked, stalledShare } from "./send.ts";
import type { Block, Shape } from "./shape.ts";

/**
 * With tensor and sequence parallelism everything is cut by the tensor ranks; without sequence parallelism the stream
 * is whole on each (Korthikanti et al. 2022, arXiv 2205.05198, 4.1 and 4.2.2: `s b h (10 + 24 / t)` and `34 s b h / t`).
 * Full recomputation keeps the layer's input (4.3). A module that is recomputed by itself keeps what comes into it: of a feed-forward
 * layer and of experts the norm's output, of experts' activation what the first product wrote, of latent projections their ranks.
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
  if (recompute === "full") {
    const { share = 1, unit = 1 } = layout;
    const again = (share * (engine.stream ?? 2) * tokens * hidden) / stream / unit;
    return share === 1
      ? again
      : again + (1 - share) * activationBytes(shape, block, layout, batch, engine, "none", layers);
  }
  if (engine.modules === true && block.stated !== undefined) {
    const { wide, cast, narrow } = block.stated.module;
    const isGathered = engine.unshards === true && engine.stream !== 4;
    const own = engine.autocast !== true ? narrow : isGathered ? cast : wide;
    const core = engine.materialised
      ? recompute === "selective"
        ? 0
        : own.scores
      : engine.masked === true
        ? own.masks
        : 0;
    return tokens * (own.stream / stream + (own.inner + core * batch.sequence) / t);
  }
  const again = { ...layout, recompute };
  let perToken = 0;
  const sublayer = (kept.stream * hidden) / stream;
  // Only norms that stand alone run again: before latent attention and experts. The others are fused into the product behind them
  // (Megatron-LM, core/models/gpt/gpt_layer_specs.py, and core/transformer/transformer_layer.py, recompute_input_layernorm).
  const normed = isRecomputed(again, "layernorm") ? sublayer - ((kept.read ?? 2) * hidden) / stream : sublayer;
  const { attention, mixer, ffn, experts } = block;
  if (attention !== undefined) {
    const { heads, kv_heads, head_dim, latent } = attention;
    const query = latent === undefined ? head_dim : latent.nope_dim + latent.rope_dim;
    const value = latent === undefined ? head_dim : latent.v_dim;
    const groups = latent === undefined ? kv_heads : heads;
    perToken += latent === undefined ? sublayer : normed;
    const isExpanded = latent === undefined || !isRecomputed(again, "mla_up_proj");
    if (isExpanded) perToken += (kept.qkv * (heads * query + groups * (query + value))) / t;
    perToken += (kept.core * heads * value) / t;
    if (latent !== undefined) perToken += 4 * (latent.q_rank + latent.kv_rank);
    // What the norms of queries and keys wrote.
    if (shape.qk_norm) perToken += (kept.qkv * (heads * query + groups * query)) / t;
    // Softmax statistics of the fused core, or the scores themselves.
    if (!engine.materialised || isRecomputed(again, "core_attn")) perToken += (4 * heads) / t;
    else perToken += (kept.scores * heads * batch.sequence) / t;
  }
  if (mixer !== undefined) {
    const { inner, groups, state, heads } = mixer;
    perToken += sublayer + (2 * (2 * (2 * inner + 2 * groups * state) + 2 * inner) + 4 * heads) / t;
  }
  if (ffn !== undefined) {
    const isKept = !isRecomputed(again, "mlp");
    perToken += sublayer + (isKept ? ((ffn.gated ? kept.gated : kept.plain) * ffn.width) / t : 0);
  }
  if (experts !== undefined && isRecomputed(again, "moe")) perToken += normed;
  else if (experts !== undefined) {
    perToken += normed + (4 * experts.experts) / stream;
    const each = experts.gated ? kept.gated : kept.plain;
    // The activation, and the same times the routing weights, which the second product reads.
    const activated = isRecomputed(again, "moe_act") ? (experts.gated ? 4 : 2) : each + (kept.routed ?? 0);
    // A token's copies, one an expert, enter and leave the experts beside what the experts keep themselves. Ranks that
    // share an expert's matrices gather each other's tokens first.
    const sent = experts.latent ?? hidden;
    const entering = (kept.read ?? 2) * sent * layout.expert_tensor;
    const load = loadOf(engine.routing, experts, layout, layers);
    perToken += (load * experts.top_k * (entering + 2 * sent + activated * experts.width)) / t;
    if (!isRecomputed(again, "shared_experts")) perToken += (each * experts.shared) / t;
  }
  return tokens * perToken;
}

/** Of these, what experts keep between their two products: what the first wrote, its activation, and that times the routing weights. */
export function insideBytes({ experts }: Block, layout: Layout, batch: Batch, { kept, routing }: Engine): number {
  if (experts === undefined) return 0;
  const tokens = (batch.micro * batch.sequence) / layout.context;
  const each = (experts.gated ? kept.gated : kept.plain) + (kept.routed ?? 0);
  return (tokens * loadOf(routing, experts, layout, 1) * experts.top_k * each * experts.width) / layout.tensor;
}

/** Share of what layers keep that stays on the device: of the layers that wait on the host, one is on its way. */
export function stayingOf({ blocks }: Shape, { moved = 0 }: Layout): number {
  return Math.min(1, 1 - moved + (moved > 0 ? 1 / blocks.length : 0));
}

/**
 * Bytes of the stream that a layer's forward pass leaves whole on each of several tensor ranks while the host runs ahead of the device: what a
 * collective read is not free until the device has passed it, so the next layer asks for new memory (torch, `Tensor.record_stream`). An allocator
 * that is short of memory waits and takes it back.
 */
export function aheadBytes(shape: Shape, block: Block, layout: Layout, batch: Batch, engine: Engine): number {
  const { hidden } = shape;
  const { whole } = engine.kept;
  if (whole === 0 || layout.tensor === 1) return 0;
  const { attention, mixer, ffn, experts } = block;
  const sublayers = [attention ?? mixer, ffn ?? experts].filter((part) => part !== undefined).length;
  const tokens = (batch.micro * batch.sequence) / layout.context;
  const paced = layout.pipeline === 2 ? pacedShare(shape, block, layout, tokens, engine) : 1;
  return paced * sublayers * whole * hidden * tokens;
}

/** What each tensor rank that the others wait for adds to the time of a layer's launches. */
const waiting = 0.2;

/** How far a host that two stages make wait after each pass runs ahead: only if the device takes longer for a layer than it does. */
function pacedShare(shape: Shape, block: Block, { tensor }: Layout, tokens: number, { pace = 0 }: Engine): number {
  const work = matricesOf(shape, block).reduce((sum, { inputs, outputs }) => sum + inputs * outputs, 0);
  const launched = (pace * (1 + waiting * (tensor - 1)) * tensor) / (6 * tokens * work);
  return 1 / (1 + launched ** 8);
}

/** Devices of the nodes on which programs were seen to wait. */
const node = 8;

/**
 * Layers whose passes the host of a stage has launched and the device has not passed. On the first of `p` stages forward passes begin at
 * once, but the last two of them wait for what comes back; of two stages, the first has a backward pass and the next forward pass to launch until it
 * waits again. A device takes some thousand launches, then the host waits.
 */
export function aheadLayers(layers: number, flying: number, layout: Layout, batch: Batch, engine: Engine): number {
  const { pipeline } = layout;
  const passes = pipeline === 2 ? flying : (flying * (pipeline > 1 ? pipeline - 2 : 1)) / pipeline;
  const launched = layers * passes;
  return Math.min(launched, engine.queue ?? Infinity) * runningShare(layout, batch, engine);
}

/**
 * How far the usual host runs ahead: not where messages stall, for it waits for each. Without stages it waits where a data group stands in as many
 * nodes, which sets in as steeply.
 */
function runningShare(layout: Layout, batch: Batch, engine: Engine): number {
  const { pipeline, tensor, data, context } = layout;
  const { waits = Infinity } = engine;
  if (isHooked(layout, batch, engine, { domain: node })) return 0;
  if (pipeline > 1) return 1 - stalledShare(crowdOf(layout, { domain: node }));
  return 1 / (1 + ((data * context * Math.min(tensor, node)) / waits) ** 8);
}
