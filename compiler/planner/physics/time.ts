/** Seconds of one optimizer step. */
import { blockTime, type BlockConstants, type BlockTime, type ComputeConstants } from "./block-time.ts";
import { boundaryWaits, earlyPasses, otherWaits, ownBoundaries } from "./boundaries.ts";
import { collectiveSeconds, type Group, type NetworkConstants } from "./collective.ts";
import { endTalks } from "./ends.ts";
import type { Engine } from "./engine.ts";
import type { Batch, Layout } from "./layout.ts";
import type { Machine } from "./machine.ts";
import { orthogonalSeconds, type OrthogonalTime } from "./orthogonal.ts";
import { blockParameters, endParameters, paddedVocab, type Held } from "./parameters.ts";
import { productSeconds } from "./product.ts";
import { denseReplicas, expertReplicas, type Replicas } from "./replicas.ts";
import { scatterSeconds, sentBytes } from "./scatter.ts";
import type { Block, Shape } from "./shape.ts";
import { crowdOf, isHooked, sendSeconds, type SendConstants } from "./send.ts";
import { stagesOf } from "./stages.ts";
import { tiedSeconds } from "./tied.ts";

export interface TimeConstants extends BlockConstants, SendConstants {
  /** Bytes read and written per parameter by the optimizer. */
  readonly optimizer: number;
  /** Seconds of a step that nothing above explains. */
  readonly step: number;
}

/** What the parts of a step are sums and products of; layers are those of the slowest stage. */
export interface TimeTerms {
  readonly layers: readonly { readonly count: number; readonly time: BlockTime }[];
  readonly loss: number;
  /** Of tensor ranks at the ends of the model that the slowest stage has. */
  readonly talks: number;
  /** A stage's wait for its neighbours, for each micro-batch and chunk. */
  readonly send: number;
  /** The same of a stage on average, as what fills the pipeline meets all of them. */
  readonly passing: number;
  /** Seconds of all other stages for one micro-batch, and the share of them that a schedule leaves idle. */
  readonly others: number;
  readonly filling: number;
  /** Gradients and weights on their way, and how much of that runs beside the backward pass. */
  readonly exchanged: number;
  /** Gradients of a table that the first and the last stage share. */
  readonly shared: number;
  readonly hidden: number;
  /** Parameters that the optimizer of a rank steps, and seconds of its products. */
  readonly stepped: number;
  readonly made: number;
  /** Seconds in which gradients are added up and gathered weights widened. */
  readonly added: number;
}

export interface StepTime {
  readonly step: number;
  readonly terms: TimeTerms;
  readonly parts: {
    readonly compute: number;
    readonly tensor_comm: number;
    readonly expert_comm: number;
    readonly context_comm: number;
    readonly pipeline_comm: number;
    readonly pipeline_bubble: number;
    readonly data_comm: number;
    readonly optimizer: number;
    readonly other: number;
  };
}

export function timeOf(
  shape: Shape,
  layout: Layout,
  batch: Batch,
  engine: Engine,
  machine: Machine,
  constants: TimeConstants,
  /** Does the fullest rank want more than its card lets runs have? */
  isShort = false,
): StepTime {
  const { tensor, pipeline, data, context } = layout;
  const tokens = (batch.micro * batch.sequence) / context;
  const padded = paddedVocab(shape.vocab, layout, engine.padding);
  const ends = endParameters(shape, layout, padded);
  const stages = stagesOf(shape, layout, engine);
  const times = new Map<Block, BlockTime & { readonly held: Held; readonly orthogonal: OrthogonalTime }>();
  const sums = { compute: 0, tensor: 0, expert: 0, ring: 0 };
  let slowest = { compute: 0, tensor: 0, expert: 0, ring: 0 };
  let slow: TimeTerms["layers"] = [];
  let loss = 0;
  let talks = 0;
  let biggest = 0;
  let optimizer = 0;
  let stepping = { stepped: 0, made: 0 };
  let widest = 0;
  let exchanged = 0;
  let late = 0;
  const shards = layout.shard ?? data * context;
  const same = layout.shard ?? Math.max(1, (data * context * tensor) / (layout.expert * layout.expert_tensor));
  const replicas = denseReplicas(layout, machine.domain);
  const experts = expertReplicas(layout, machine.domain);

  const talked = endTalks(shape.hidden, layout, tokens, machine, constants);

  const add = (mine: typeof sums): void => {
    sums.compute += mine.compute;
    sums.tensor += mine.tensor;
    sums.expert += mine.expert;
    sums.ring += mine.ring;
  };
  let before = { stage: stages[0], mine: sums };
  stages.forEach((stage, index) => {
    // Of inner stages that run the same, one speaks for all.
    if (index > 1 && index < pipeline - 1 && stage === before.stage) return add(before.mine);
    const mine = { compute: 0, tensor: 0, expert: 0, ring: 0 };
    let dense = 0;
    let expert = 0;
    let frozen = 0;
    let blocks = 0;
    const layers: { count: number; time: BlockTime }[] = [];
    const turned = { dense: 0, expert: 0, longest: 0 };
    for (const { block, count } of stage) {
      let time = times.get(block);
      if (time === undefined) {
        const seconds = blockTime(shape, block, layout, batch, engine, machine, constants);
        const held = blockParameters(shape, block, layout);
        const orthogonal = orthogonalSeconds(shape, block, layout, engine, machine, constants);
        times.set(block, (time = { ...seconds, held, orthogonal }));
      }
      layers.push({ count, time });
      mine.compute += time.compute * count;
      mine.tensor += time.tensor * count;
      mine.expert += time.expert * count;
      mine.ring += time.ring * count;
      const { held, orthogonal } = time;
      turned.dense += orthogonal.dense * count;
      turned.expert += orthogonal.expert * count;
      turned.longest = Math.max(turned.longest, orthogonal.longest);
      dense += held.dense * count;
      expert += held.expert * count;
      // What is gathered for forward passes alone is gathered half as often.
      frozen += ((held.frozen ?? 0) * count) / (block.unreached === true ? 2 : 1);
      blocks += count;
    }
    const outer = (index === 0 ? ends.first : 0) + (index === pipeline - 1 ? ends.last : 0);
    if (shape.adapters === undefined) dense += outer;
    else frozen += outer;
    frozen += (index === 0 ? ends.frozen.first : 0) + (index === pipeline - 1 ? ends.frozen.last : 0);
    const ended =
      index === pipeline - 1 ? lossSeconds(shape, tokens, padded / tensor, engine, machine, constants) : 0;
    mine.compute += ended;
    const mineTalks = (index === 0 ? talked.first : 0) + (index === pipeline - 1 ? talked.last : 0);
    mine.tensor += mineTalks;
    const total = mine.compute + mine.tensor + mine.expert + mine.ring;
    if (total > slowest.compute + slowest.tensor + slowest.expert + slowest.ring) {
      slowest = mine;
      slow = layers;
      loss = ended;
      talks = mineTalks;
    }
    add(mine);
    before = { stage, mine };
    biggest = Math.max(biggest, dense + expert);
    widest = Math.max(widest, dense + expert + frozen);
    exchanged = Math.max(
      exchanged,
      gradientSeconds(dense, frozen, replicas, blocks, layout, batch, engine, machine, constants) +
        gradientSeconds(expert, 0, experts, blocks, layout, batch, engine, machine, constants),
    );
    if (engine.overlaps.weights === false && (layout.zero === 1 || layout.zero === 2)) {
      const of = (parameters: number, group: Group): number =>
        weightSeconds(parameters, group, engine, machine, constants);
      late = Math.max(late, of(dense, replicas.group) + of(expert, experts.group));
    }
    const stepped = layout.zero >= 1 ? dense / shards + expert / same : dense + expert;
    // Whole matrices are dealt to ranks (megatron/core/optimizer/layer_wise_optimizer.py): none has less than its share, nor one less than a matrix.
    const made =
      layout.zero >= 1
        ? Math.max(turned.longest, turned.dense / shards + turned.expert / same)
        : turned.dense + turned.expert;
    const update = (constants.optimizer * stepped) / machine.bandwidth + made;
    if (update > optimizer) {
      optimizer = update;
      stepping = { stepped, made };
    }
  });

  // An inner stage has two boundaries, each crossed forward and backward.
  // Megatron sends a slice from each tensor rank even without sequence parallelism (arXiv 2104.04473, 4.1), and beside
  // the products of another chunk where there is any.
  const sliced = layout.sequence_parallel || engine.overlaps.pipeline;
  const stream = (2 * tokens * shape.hidden) / (sliced ? tensor : 1);
  const crossed = (wire: number): number => (2 * stream) / wire;
  const near = crossed(constants.near * machine.link);
  const bytes = boundaryWaits(layout, machine.domain, near, crossed(constants.far * machine.network));
  const isStalled = isShort || isHooked(layout, batch, engine, machine);
  const latency = sendSeconds(crowdOf(layout, machine), constants, isStalled);
  const one = slowest.compute + slowest.tensor + slowest.expert + slowest.ring;
  const beside = engine.overlaps.pipeline && layout.chunks > 1 ? one / layout.chunks : 0;
  const boundaries = ownBoundaries(pipeline);
  const waits = (seconds: number, hidden: number): number => boundaries * latency + Math.max(0, seconds - hidden);
  const { count } = batch;
  const early = earlyPasses(layout, count) / (count * layout.chunks);
  const alone = engine.overlaps.filling === true ? beside : 0;
  const send = early * waits(bytes.slowest, alone) + (1 - early) * waits(bytes.slowest, beside);
  const passing = waits(bytes.mean, alone);

  const whole = sums.compute + sums.tensor + sums.expert + sums.ring;
  // The slowest stage works all the time but while the others fill and drain the pipeline. Gradients of weights fill much of that: of
  // `F + B + W` stays `F + B - W` (H1: arXiv 2401.10241, table 2), each as long as the others, `B` twice where it runs forward again.
  const filling = layout.schedule === "zero-bubble" ? (layout.recompute === "full" ? 2 / 4 : 1 / 3) : 1;
  const bubble = filling * ((whole - one) / layout.chunks + otherWaits(pipeline) * passing);
  const sends = count * send * layout.chunks;
  const backward = (2 / 3) * one * (layout.zero >= 2 ? count : 1);
  const reduced = exchanged - late;
  const { gradients } = engine.overlaps;
  const isWaiting = gradients === false || (gradients === "whole" && layout.zero > 0);
  const hiding = isWaiting ? 0 : Math.min(0.98, constants.data_hidden);
  const shared = tiedSeconds(shape, layout, engine, machine, constants);
  const data_comm = late + Math.max(reduced - hiding * backward, (1 - hiding) * reduced) + shared;
  const widened = layout.zero === 3 ? 2 * (engine.widened ?? 0) * widest : 0;
  const added = (count * ((engine.added ?? 0) * biggest + widened)) / (constants.memory * machine.bandwidth);
  const parts = {
    compute: count * slowest.compute,
    tensor_comm: count * slowest.tensor,
    expert_comm: count * slowest.expert,
    context_comm: count * slowest.ring,
    pipeline_comm: sends,
    pipeline_bubble: bubble,
    data_comm,
    optimizer,
    other: constants.step + added,
  };
  const terms = {
    layers: slow,
    loss,
    talks,
    send,
    passing,
    others: whole - one,
    filling,
    exchanged,
    shared,
    hidden: exchanged + shared - data_comm,
    ...stepping,
    added,
  };
  return { step: Object.values(parts).reduce((a, b) => a + b, 0), terms, parts };
}

/** Head, its two gradients, and the passes over the logits that a loss makes. */
export function lossSeconds(
  shape: Shape,
  tokens: number,
  rows: number,
  engine: Engine,
  machine: Machine,
  constants: ComputeConstants,
): number {
  const format = engine.format === "fp8" || engine.format === "fp4" ? "bf16" : engine.format;
  const product = productSeconds(tokens, shape.hidden, rows, format, machine, constants);
  return (
    (shape.adapters !== undefined || (shape.fixed_tables === true && shape.tied) ? 2 : 3) * product +
    (2 * engine.logits * tokens * rows) / (constants.memory * machine.bandwidth)
  );
}

/**
 * Stage 0 reduces gradients, 1 and 2 reduce them to shards and gather weights (FSDP2's stage 2 for each micro-batch), 3 gathers each layer twice a
 * micro-batch (three times with full recomputation) and scatters its gradients. Where groups of ranks hold a copy each, the shards are
 * summed across them as often as gradients are scattered: FSDP2 does both in one backward pass (fsdp/_fsdp_collectives.py: foreach_reduce).
 */
function gradientSeconds(
  parameters: number,
  /** Gathered by stage 3 with the others, and never reduced. */
  frozen: number,
  { group, back, copies, shards }: Replicas,
  blocks: number,
  layout: Layout,
  batch: Batch,
  engine: Engine,
  machine: Machine,
  constants: NetworkConstants,
): number {
  if (parameters + frozen === 0) return 0;
  const cost = (kind: "reduce" | "gather", bytes: number, messages: number, among = group): number =>
    collectiveSeconds(kind, bytes, among, machine, constants, messages);
  const gradients = engine.reduced * parameters;
  const buckets = bucketsOf(gradients, group, constants);
  if (layout.zero === 0) return cost("reduce", gradients, buckets);
  if (layout.zero < 3) {
    const scatters = layout.zero === 2 ? batch.count : 1;
    const scattered = cost("gather", gradients, buckets) + cost("reduce", gradients / shards, blocks, copies);
    if (layout.zero === 2 && engine.unshards === true)
      return scatters * (scattered + cost("gather", (engine.gathered ?? 2) * (parameters + frozen), blocks));
    return scatters * scattered + weightSeconds(parameters, group, engine, machine, constants);
  }
  const weights = sentBytes(engine) * (parameters + frozen);
  const gathers = cost("gather", weights, blocks) + cost("gather", weights, blocks, back);
  const scattered = scatterSeconds(parameters, group, engine, machine, constants, blocks);
  return batch.count * (gathers + scattered + cost("reduce", gradients / shards, blocks, copies));
}

/** Weights that the step of a sharded optimizer made, for all that share them. */
function weightSeconds(
  parameters: number,
  group: Group,
  engine: Engine,
  machine: Machine,
  constants: NetworkConstants,
): number {
  const bytes = (engine.gathered ?? engine.states.weights) * parameters;
  return collectiveSeconds("gather", bytes, group, machine, constants, bucketsOf(bytes, group, constants));
}

/**
 * Gradients and weights travel in messages that grow with the ranks, so that what each rank sends of them stays long enough (Megatron
 * Core, distributed_data_parallel.py: bucket_size = max(40000000, 1000000 * data-parallel ranks)).
 */
function bucketsOf(bytes: number, { ranks }: Group, { bucket }: NetworkConstants): number {
  return Math.max(1, bytes / (bucket * 1e6 * Math.max(1, ranks / 40)));
}
