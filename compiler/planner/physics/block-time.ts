/** Seconds that one micro-batch spends in one block, forward and backward. */
import { activationBytes, insideBytes } from "./activations.ts";
import { collectiveSeconds, dispatchSeconds, groupOf, type NetworkConstants } from "./collective.ts";
import type { Engine } from "./engine.ts";
import { worldOf, type Batch, type Layout } from "./layout.ts";
import { loadOf } from "./load.ts";
import type { Machine } from "./machine.ts";
import { matricesOf, type Matrix } from "./matrices.ts";
import { tunedOf } from "./parameters.ts";
import { alignmentOf, productSeconds } from "./product.ts";
import { isRecomputed, runsAgain } from "./recomputed.ts";
import type { Block, Shape } from "./shape.ts";
import { clearedBytes, walkedLayers } from "./walked.ts";

export interface ComputeConstants {
  /** Share of the peak that a large product reaches. */
  readonly products: number;
  /** How much less of its peak an 8- or 4-bit product reaches: its operands have to be scaled. */
  readonly narrow: number;
  /** The same for the attention core. */
  readonly core: number;
  /** Seconds that a product takes to fill and drain. */
  readonly floor: number;
  /** Share of the memory's bandwidth. */
  readonly memory: number;
  /** Bytes that the kernels between products move, for each byte that is kept. */
  readonly traffic: number;
  /** Seconds in which the host launches forward and backward of attention and a feed-forward layer. */
  readonly host: number;
  /** Share of tensor-parallel communication that runs beside products. */
  readonly tensor_hidden: number;
}

/** `data_hidden`: share of a backward pass that hides the gradients' communication. */
export interface BlockConstants extends ComputeConstants, NetworkConstants {
  readonly data_hidden: number;
  /** Seconds that each tensor rank adds to the host of a layer where stages talk over the network: every rank waits for the last. */
  readonly skew: number;
}

export interface BlockTime {
  readonly compute: number;
  /** Seconds that `compute` is the sum of: of matrix products, of the attention core, of kernels between; and of waiting for a host that is slower. */
  readonly products: number;
  readonly core: number;
  readonly between: number;
  readonly launches: number;
  /** What the products count, and bytes that the kernels between them move. */
  readonly flops: number;
  readonly moved: number;
  readonly tensor: number;
  readonly expert: number;
  /** Of context parallelism. */
  readonly ring: number;
}

/** Where some layers run forward again and others do not, a block is as much of each. */
export function blockTime(
  shape: Shape,
  block: Block,
  layout: Layout,
  batch: Batch,
  engine: Engine,
  machine: Machine,
  constants: BlockConstants,
): BlockTime {
  const of = (each: Layout): BlockTime => uniformTime(shape, block, each, batch, engine, machine, constants);
  const { share = 1, recompute } = layout;
  if (block.unreached === true) return of({ ...layout, recompute: "none" });
  if (recompute !== "full" || share === 1) return of(layout);
  const [again, once] = [of(layout), of({ ...layout, recompute: "none" })];
  const mixed = (part: keyof BlockTime): number => share * again[part] + (1 - share) * once[part];
  return {
    compute: mixed("compute"),
    products: mixed("products"),
    core: mixed("core"),
    between: mixed("between"),
    launches: mixed("launches"),
    flops: mixed("flops"),
    moved: mixed("moved"),
    tensor: mixed("tensor"),
    expert: mixed("expert"),
    ring: mixed("ring"),
  };
}

function uniformTime(
  shape: Shape,
  block: Block,
  layout: Layout,
  batch: Batch,
  engine: Engine,
  machine: Machine,
  constants: BlockConstants,
): BlockTime {
  const { tensor, context } = layout;
  const tokens = (batch.micro * batch.sequence) / context;
  const { format } = engine;
  const share =
    format === "fp8" || format === "fp4"
      ? { ...constants, products: constants.products * constants.narrow }
      : constants;
  // Backward repeats a product twice, once where weights are frozen; full recomputation runs forward again.
  const tuned = tunedOf(shape, block);
  const isForward = block.unreached === true;
  const trained = isForward ? 1 : tuned === undefined ? 3 : 2;
  // All ranks wait for the one with the most tokens.
  const load = block.experts === undefined ? 1 : loadOf(engine.routing, block.experts, layout, 1);
  const ofExperts = { products: share.products, floor: share.floor / 2, memory: share.memory };
  let products = 0;
  let flops = 0;
  for (const { name, inputs, outputs, split, of } of productsOf(shape, block, engine)) {
    const runs = runsAgain(layout, name) ? trained + 1 : trained;
    const by = of === undefined ? tensor : layout.expert_tensor;
    const k = split === "inputs" ? inputs / by : inputs;
    const n = split === "outputs" ? outputs / by : outputs;
    if (of === undefined) {
      products += runs * productSeconds(tokens, k, n, format, machine, share);
      flops += 2 * runs * tokens * k * n;
    } else {
      // Each rank runs its experts one after the other on their share of the tokens of the whole group.
      const local = Math.max(1, of.experts / layout.expert);
      const routed =
        (load * tokens * of.top_k * layout.expert_tensor) / (layout.sequence_parallel ? tensor : 1) / local;
      const rows = Math.max(1, routed);
      products += runs * local * productSeconds(rows, k, n, format, machine, ofExperts);
      flops += 2 * runs * local * rows * k * n;
    }
  }
  if (tuned !== undefined) {
    const { rank } = tuned;
    // Adapters are two narrow products beside each, forward and two backward: so narrow that memory alone counts.
    for (const { inputs, outputs, split } of tuned.matrices) {
      const width =
        (split === "inputs" ? inputs / tensor : inputs) + (split === "outputs" ? outputs / tensor : outputs);
      const moved = (2 * tokens * (width + 2 * rank)) / (constants.memory * machine.bandwidth);
      products += 3 * (moved + 2 * constants.floor);
      flops += 3 * 2 * tokens * rank * width;
    }
  }
  const core = coreSeconds(block, layout, batch, machine, constants, engine);
  const inside = engine.fused === true ? insideBytes(block, layout, batch, engine) : 0;
  const kept = activationBytes(shape, block, layout, batch, engine, "none") - inside;
  const again = layout.recompute === "full" ? 4 / 3 : isForward ? 1 / 3 : 1;
  const plainly = engine.modules === true ? block.stated?.plainly : undefined;
  const moved = constants.traffic * kept * again + tokens * batch.sequence * clearedBytes(plainly);
  const between = moved / (constants.memory * machine.bandwidth);
  const corePasses = isForward ? 1 : layout.recompute === "full" || isRecomputed(layout, "core_attn") ? 4.5 : 3.5;
  const ring =
    engine.trades === true
      ? tradeSeconds(block, layout, tokens, engine, machine, constants)
      : exposedRing(block, layout, tokens, corePasses * core, machine, constants);
  const merges = engine.trades === true ? 0 : mergeSeconds(block, layout, tokens, machine, constants);
  const attended = corePasses * core + merges;
  const device = products + attended + between;
  const far = layout.pipeline > 1 && worldOf(layout) > machine.domain;
  const host =
    (constants.host * (launchesOf(block) + walkedLayers(plainly, batch.sequence)) +
      (far ? constants.skew * (tensor - 1) : 0)) *
    again;

  const group = groupOf(tensor, 1, machine.domain);
  const bytes = 2 * tokens * shape.hidden;
  const sublayers = (block.attention || block.mixer ? 1 : 0) + (block.ffn || block.experts ? 1 : 0);
  const one = layout.sequence_parallel
    ? 2 * collectiveSeconds("gather", bytes, group, machine, constants)
    : collectiveSeconds("reduce", bytes, group, machine, constants);
  // Forward, backward, once more under full recomputation; with sequence parallelism inputs are gathered again.
  const rounds = isForward ? 1 : (layout.recompute === "full" ? 3 : 2) + (layout.sequence_parallel ? 0.5 : 0);
  const all = sublayers * rounds * one;
  const exposed = all * (1 - (engine.overlaps.tensor ? Math.min(0.95, constants.tensor_hidden) : 0));
  const launches = Math.max(0, host - exposed - device);
  const compute = device + launches;
  const sent = expertSeconds(shape, block, layout, load * tokens, engine, machine, constants);
  const expert = engine.overlaps.experts === true ? besideProducts(sent, compute, constants) : sent;
  return { compute, products, core: attended, between, launches, flops, moved, tensor: exposed, expert, ring };
}

/** Links and processors are shared with the products beside, as a backward pass shares them with its gradients. */
function besideProducts(sent: number, products: number, { data_hidden }: BlockConstants): number {
  return Math.max(sent - products, (1 - Math.min(0.98, data_hidden)) * sent);
}

/**
 * What the host launches for a block, as a share of attention and a feed-forward layer: of experts four times as much as of a feed-forward layer, for
 * tokens are routed, sorted, sent, multiplied group by group and brought back.
 */
function launchesOf({ attention, mixer, ffn, experts }: Block): number {
  const launched = [attention, mixer, ffn].filter((part) => part !== undefined).length / 2;
  return launched + (experts === undefined ? 0 : 2) || 1;
}

const productsOf = (shape: Shape, block: Block, { modules }: Engine): readonly Matrix[] =>
  modules === true && block.stated !== undefined ? block.stated.module.matrices : matricesOf(shape, block);

/** Tokens that a token attends to on average: the first ones of a sequence have fewer before them than a window holds. */
function reachOf(sequence: number, window = sequence): number {
  const width = Math.min(window, sequence);
  return width - (width * width) / (2 * sequence);
}

/** The scores and their product with the values, cut by heads; causal kernels skip half of it. */
function coreSeconds(
  { attention, mixer, stated }: Block,
  { tensor, context }: Layout,
  { micro, sequence }: Batch,
  machine: Machine,
  constants: ComputeConstants,
  engine: Engine,
): number {
  const peak = machine.flops[engine.format === "fp8" || engine.format === "fp4" ? "bf16" : engine.format];
  const plainly = engine.modules === true ? stated?.plainly : undefined;
  const tokens = (micro * sequence) / context;
  let seconds = 0;
  if (attention !== undefined) {
    const { heads, head_dim, latent, window } = attention;
    const width = latent === undefined ? 2 * head_dim : latent.nope_dim + latent.rope_dim + latent.v_dim;
    const scores = engine.materialised ? sequence : reachOf(sequence, window);
    // Fused kernels fill their tiles up; scores that are written come of products like any other.
    const even = engine.materialised ? alignmentOf(head_dim) : 1;
    seconds += (2 * tokens * scores * heads * width) / tensor / (peak * constants.core * even);
  }
  if (plainly !== undefined) {
    seconds += (tokens * plainly.flops) / tensor / (peak * constants.core);
  } else if (mixer !== undefined) {
    const { inner, state } = mixer;
    seconds += (2 * tokens * inner * state * 4) / tensor / (peak * constants.core * 0.5);
  } else if (stated !== undefined) {
    seconds += (tokens * stated.scan) / tensor / (peak * constants.core * 0.5);
  }
  return seconds;
}

/**
 * Rings of context parallelism pass keys and values on, beside the core: once forward, and backward with their gradients
 * (Liu et al. 2023, arXiv 2310.01889). The first part of the core has its own and waits for none; the others hide no more of what
 * they wait for than a backward pass hides of its gradients, for both take the same links and processors.
 */
function exposedRing(
  { attention, unreached }: Block,
  { context, tensor }: Layout,
  tokens: number,
  core: number,
  machine: Machine,
  constants: BlockConstants,
): number {
  if (context === 1 || attention === undefined) return 0;
  const { kv_heads, head_dim, latent, heads } = attention;
  const width =
    latent === undefined ? 2 * kv_heads * head_dim : heads * (latent.nope_dim + latent.rope_dim + latent.v_dim);
  const near = context * tensor <= machine.domain;
  const wire = near ? constants.near * machine.link : constants.far * machine.network;
  const hop = (near ? constants.near_latency : constants.far_latency) + (2 * tokens * width) / tensor / wire;
  const ring = (unreached === true ? 1 : 3) * (context - 1) * hop;
  return besideProducts(ring, ((context - 1) / context) * core, constants);
}

/**
 * Each part of the core but the first adds what it got to the sum, forward and backward: read, and read and written. Halves of sequences
 * are dealt so that all ranks mask as much, and three quarters of a rank's tokens take part in each on average.
 */
function mergeSeconds(
  { attention }: Block,
  { context, tensor }: Layout,
  tokens: number,
  machine: Machine,
  constants: ComputeConstants,
): number {
  if (context === 1 || attention === undefined) return 0;
  const { heads, head_dim, latent } = attention;
  const moved = 2 * 6 * 0.75 * tokens * ((heads * (latent?.v_dim ?? head_dim)) / tensor);
  return (context - 1) * (moved / (constants.memory * machine.bandwidth) + 4 * constants.floor);
}

/**
 * Ranks give each other the tokens of their heads and take back their own tokens of all heads: queries, keys, values and the core's output, once a
 * pass, and nothing runs beside (DeepSpeed runtime/sequence_parallel/ulysses_sp.py: _combine_local_sequences, _partition_global_sequence;
 * arXiv 2309.14509). Fewer key-value heads than ranks are repeated first.
 */
function tradeSeconds(
  { attention, unreached }: Block,
  { context, recompute }: Layout,
  tokens: number,
  { stream = 2 }: Engine,
  machine: Machine,
  constants: NetworkConstants,
): number {
  if (context === 1 || attention === undefined) return 0;
  const { heads, kv_heads, head_dim } = attention;
  const group = groupOf(context, 1, machine.domain);
  const exchange = (count: number): number =>
    collectiveSeconds("exchange", stream * tokens * count * head_dim, group, machine, constants);
  const pass = 2 * exchange(heads) + 2 * exchange(Math.max(kv_heads, context));
  return (unreached === true ? 1 : recompute === "full" ? 3 : 2) * pass;
}

/**
 * Tokens go to their experts and come back, forward, backward, and forward again where experts are recomputed. Ranks that share an expert's
 * matrices gather what each of them got, and add up what they made of it (megatron/core/transformer/moe/token_dispatcher.py:
 * MoEAlltoAllTokenDispatcher, `tp_size`).
 */
function expertSeconds(
  shape: Shape,
  { experts, unreached }: Block,
  layout: Layout,
  tokens: number,
  engine: Engine,
  machine: Machine,
  constants: NetworkConstants,
): number {
  const { expert, tensor, expert_tensor, sequence_parallel } = layout;
  if (experts === undefined || expert * expert_tensor === 1) return 0;
  const mine = sequence_parallel ? tokens / tensor : tokens;
  const group = groupOf(expert, expert_tensor, machine.domain);
  const bytes = 2 * mine * (experts.latent ?? shape.hidden);
  const trips = unreached === true ? 2 : runsAgain(layout, "expert_in") ? 6 : 4;
  const sent = dispatchSeconds(bytes, experts.top_k, group, engine.once === true, machine, constants);
  const gathered = expert_tensor * experts.top_k * bytes;
  const sharing = groupOf(expert_tensor, 1, machine.domain);
  return trips * (sent + collectiveSeconds("gather", gathered, sharing, machine, constants));
}
