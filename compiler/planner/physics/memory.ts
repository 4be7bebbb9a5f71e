/** Bytes of a rank at its worst instant, stage by stage. */
import { activationBytes, aheadBytes, aheadLayers, stayingOf } from "./activations.ts";
import type { Engine } from "./engine.ts";
import { flyingOf, inFlight } from "./in-flight.ts";
import type { Batch, Layout } from "./layout.ts";
import { lossBytes } from "./loss.ts";
import { blockParameters, endParameters, paddedVocab, type Held } from "./parameters.ts";
import type { Block, Shape } from "./shape.ts";
import { gatheredAnew } from "./pieces.ts";
import { stagesOf, type Stages } from "./stages.ts";
import { stateBytes } from "./states.ts";
import { kindsOf } from "./tally.ts";

/** What only measurement tells of an engine on a machine. */
export interface MemoryConstants {
  /** Reserved by the allocator over what is allocated, as a share of activations and of the rest. */
  readonly slack: number;
  /** Bytes beside the model: contexts, communicators, workspaces. */
  readonly runtime: number;
}

/** What the parts of a rank are sums and products of. */
export interface MemoryTerms {
  readonly held: Held;
  /** The instant that is the worst: as the loss runs backward, the last layer, the first layer, or as the optimizer steps. */
  readonly instant: number;
  /** Micro-batches whose activations are held whole, bytes of one on the stage's layers, and bytes beside them. */
  readonly flying: number;
  readonly kept: number;
  readonly beside: number;
  readonly tokens: number;
  /** Parameters gathered at once, rows of the loss's table, and bytes of buffers by what they are. */
  readonly live: number;
  readonly rows: number;
  readonly buffers: {
    readonly gathered: number;
    readonly copies: number;
    readonly buckets: number;
    readonly sent: number;
    readonly other: number;
  };
  readonly narrow: number;
  readonly allocated: number;
}

export interface RankMemory {
  readonly terms: MemoryTerms;
  readonly stage: number;
  readonly peak: number;
  /** The peak of an allocator that is short of memory: without what it can take back. */
  readonly needed: number;
  readonly parts: {
    readonly weights: number;
    readonly gradients: number;
    readonly optimizer: number;
    readonly activations: number;
    readonly logits: number;
    readonly buffers: number;
    readonly runtime: number;
  };
}

/** Of all stages, or of those alone of which one may be the fullest. */
export function memoryOf(
  shape: Shape,
  layout: Layout,
  batch: Batch,
  engine: Engine,
  constants: MemoryConstants,
  which: "all" | "fullest" = "all",
): readonly RankMemory[] {
  const padded = paddedVocab(shape.vocab, layout, engine.padding);
  const ends = endParameters(shape, layout, padded);
  const stages = stagesOf(shape, layout, engine);
  const costs = new Map<Block, BlockMemory>();
  const routed =
    kindsOf(shape).reduce((sum, { block, count }) => sum + (block.experts === undefined ? 0 : count), 0) /
    layout.pipeline;
  const rankAt = (stage: Stages[number], index: number): RankMemory => {
    const last = index === layout.pipeline - 1;
    const outer = (index === 0 ? ends.first : 0) + (last ? ends.last : 0);
    let dense = shape.adapters === undefined ? outer : 0;
    let expert = 0;
    const tables = outer - dense + (index === 0 ? ends.frozen.first : 0) + (last ? ends.frozen.last : 0);
    const ownedByRoot = dense + tables;
    // FSDP2 gathers what is frozen as it lies there: in four bits where it has no more. Autocast copies what is wider than products read.
    const share = (engine.states.frozen ?? 2) / (engine.copies ?? 2);
    const read = engine.unshards === true ? Math.min(1, share) : share > 1 ? 1 : 0;
    let frozen = tables;
    let kept = 0;
    let largest = 0;
    let thrown = 0;
    let ahead = 0;
    let layers = 0;
    let unit = 0;
    let copied = 0;
    for (const { block, count } of stage) {
      let cost = costs.get(block);
      if (cost === undefined) costs.set(block, (cost = blockMemory(shape, block, layout, batch, engine, routed)));
      const { held } = cost;
      dense += held.dense * count;
      expert += held.expert * count;
      frozen += (held.frozen ?? 0) * count;
      unit = Math.max(unit, held.dense + held.expert + (held.frozen ?? 0));
      const isCopied = engine.unshards === true || block.unreached !== true;
      copied += (held.dense + held.expert + (isCopied ? read : 0) * (held.frozen ?? 0)) * count;
      kept += cost.kept * count;
      ahead += cost.ahead * count;
      layers += count;
      largest = Math.max(largest, cost.whole);
      thrown = Math.max(thrown, cost.whole - cost.kept);
    }
    const moments = outerMoments(index === 0 ? ends.first : 0, last ? ends.last : 0, shape, engine);
    const { step, gradients, transient, ...states } = stateBytes(
      { dense, expert, frozen, tables, moments },
      layout,
      engine,
    );
    const tokens = (batch.micro * batch.sequence) / layout.context;
    const logits = last ? lossBytes(shape, tokens, padded, layout, engine) : 0;
    const flying = kept === 0 ? 0 : flyingOf(shape.blocks.length, layout, batch, index);
    const stream = (2 * tokens * shape.hidden) / (layout.sequence_parallel ? layout.tensor : 1);
    // The last norm's input and output wait for the loss; the embedding's dropout keeps its mask.
    const ended = last && engine.modules !== true ? 2 * stream : 0;
    const begun = index === 0 && shape.dropout ? (inFlight(layout, batch, index) * stream) / 2 : 0;
    // Sends between stages hold what comes, what goes and its gradient, for each chunk.
    const sent = layout.pipeline > 1 ? 3 * stream * Math.min(2, layout.chunks) : 0;
    const mask = engine.mask === true ? batch.micro * batch.sequence ** 2 : 0;
    // Beside the blocks stay the embedding's output and the last norm's input, where modules run as they are.
    const outside = engine.modules === true ? (2 * (engine.stream ?? 2) * tokens * shape.hidden) / layout.tensor : 0;
    const live = layout.zero === 3 ? liveElements(unit, dense + expert + frozen, engine.reuse) : 0;
    const gathered = (engine.gathered ?? engine.states.weights) * live;
    const table = last ? (padded * shape.hidden) / layout.tensor : 0;
    // The tables are no layer's: FSDP2's root has gathered them from the loss to the end of backward.
    const root = engine.unshards === true ? (engine.gathered ?? 2) * ownedByRoot : 0;
    const copies = (engine.copies ?? 0) * (engine.unshards === true ? copied : copied + table) + root;
    const { bytes = 0, elements = 0 } = engine.buckets ?? {};
    const buckets = bytes * Math.min(elements, dense + expert);
    const shared = layout.tensor > 1 ? (engine.kept.shared ?? 0) * tokens * shape.hidden : 0;
    const other = (engine.table ?? 0) * table + mask + shared;
    const buffers = gathered + copies + buckets + sent + other;
    // What is made as backward goes is not there yet when a step's only micro-batch begins it, nor what is added to held gradients after each
    // micro-batch when the only one in flight begins it.
    const { whole = 0, pieces = 0 } = engine.collected ?? {};
    const isCollecting = whole > 0 && (layout.zero === 1 || layout.zero === 2) && layout.data * layout.context > 1;
    const isFresh = layout.pipeline === 1;
    const isFirst = engine.late === true && batch.count === 1 && layout.zero < 3;
    const early = isFirst ? 0 : gradients - (isFresh || isCollecting ? transient : 0);
    const running = layout.recompute === "full" ? largest * (layout.unit ?? 1) : largest;
    // Where only the first layers run again, the last ones have been through by then.
    const again = layout.recompute !== "full" ? thrown : (layout.share ?? 1) === 1 ? running : 0;
    const inputs = flying * kept + outside + begun;
    const spare = ahead === 0 ? 0 : (ahead / layers) * aheadLayers(layers, flying, layout, batch, engine);
    const collected = isCollecting ? (whole + pieces) * (dense + expert) : 0;
    // The loss runs backward, or the first layer that is recomputed does, or the last one to have gradients, or the
    // optimizer steps.
    const instants = [
      { gradients: early, activations: inputs + ended, logits, buffers },
      { gradients: early, activations: inputs + again, logits: 0, buffers },
      { gradients, activations: Math.max(0, flying - 1) * kept + running + outside + begun, logits: 0, buffers },
      {
        gradients: gradients - (collected > 0 ? transient : 0),
        activations: 0,
        logits: 0,
        buffers: sent + step + collected,
      },
    ];
    const sums = instants.map(sumOf);
    const most = Math.max(...sums);
    const instant = Math.max(0, sums.indexOf(most));
    const worst = instants[instant] as Instant;
    const rows = padded / layout.tensor;
    const anew = isCollecting
      ? gatheredAnew(shape, stage, dense + expert, tokens, last ? rows : 0, spare, layout, { whole, pieces })
      : 0;
    const held = Math.max(most, Math.max(...sums.slice(0, 3)) + spare + anew) - most;
    const { optimizer } = states;
    const weights = states.weights + (engine.narrow ?? 0) * copied;
    const parts = { weights, optimizer, ...worst, activations: worst.activations + held };
    const allocated = weights + optimizer + most + held;
    const runtime = constants.runtime + (engine.workspaces ?? 0) + (constants.slack - 1) * allocated;
    const peak = allocated + runtime;
    const full = [flying, flying, Math.max(0, flying - 1), 0][instant] ?? 0;
    const stepping = { gathered: 0, copies: 0, buckets: 0, sent, other: step + collected };
    const terms = {
      held: { dense, expert, frozen, tables, moments },
      instant,
      flying: full,
      kept,
      beside: parts.activations - full * kept,
      tokens,
      live,
      rows,
      buffers: instant === 3 ? stepping : { gathered, copies, buckets, sent, other },
      narrow: weights - states.weights,
      allocated,
    };
    return { stage: index, peak, needed: peak - constants.slack * held, parts: { ...parts, runtime }, terms };
  };
  const ranks: RankMemory[] = [];
  // Of inner stages that run the same, the first has most micro-batches in flight: no other needs more. Chunks cut one by one
  // may be in flight unlike each other, though a stage runs as many layers as the next.
  const isOrdered = which === "fullest" && layout.pieces === undefined;
  stages.forEach((stage, index) => {
    const isBelow = isOrdered && index > 1 && index < layout.pipeline - 1 && stage === stages[index - 1];
    if (!isBelow) ranks.push(rankAt(stage, index));
  });
  return ranks;
}

/**
 * What stage 3 has gathered at most: the running layer and the next one. Where layers stay until they are used again, those that
 * backward comes back to soon enough: of a distance, half is behind and half ahead as forward ends.
 */
function liveElements(unit: number, all: number, reuse = 0): number {
  return Math.max(2 * unit, Math.min(all, reuse / 2 + unit));
}

/** What the moments of the ends take over those of as many parameters of blocks. */
function outerMoments(first: number, last: number, shape: Shape, { states }: Engine): number {
  const { ends } = states;
  if (ends === undefined || shape.adapters !== undefined) return 0;
  return (ends.first - states.optimizer) * first + (ends.last - states.optimizer) * last;
}

interface BlockMemory {
  readonly held: Held;
  /** Bytes kept as the layout recomputes, and while the block runs backward. */
  readonly kept: number;
  readonly whole: number;
  /** Beside what is kept, while the host runs ahead. */
  readonly ahead: number;
}

function blockMemory(
  shape: Shape,
  block: Block,
  layout: Layout,
  batch: Batch,
  engine: Engine,
  routed: number,
): BlockMemory {
  const held = blockParameters(shape, block, layout);
  if (block.unreached === true) return { held, kept: 0, whole: 0, ahead: 0 };
  return {
    held,
    kept: stayingOf(shape, layout) * activationBytes(shape, block, layout, batch, engine, layout.recompute, routed),
    whole: activationBytes(shape, block, layout, batch, engine, "none"),
    ahead: aheadBytes(shape, block, layout, batch, engine),
  };
}

interface Instant {
  readonly gradients: number;
  readonly activations: number;
  readonly logits: number;
  readonly buffers: number;
}

const sumOf = ({ gradients, activations, logits, buffers }: Instant): number =>
  gradients + activations + logits + buffers;
