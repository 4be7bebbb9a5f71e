import { expect, test } from "vitest";
import { activationBytes } from "../../../../compiler/planner/physics/activations.ts";
import { fsdp } from "../../../../compiler/planner/physics/engines/fsdp.ts";
import { functional, megatron, workspaceBytes } from "../../../../compiler/planner/physics/engines/megatron.ts";
import { inFlight, inFlightByChunk } from "../../../../compiler/planner/physics/in-flight.ts";
import { memoryOf } from "../../../../compiler/planner/physics/memory.ts";
import type { Engine } from "../../../../compiler/planner/physics/engine.ts";
import type { Layout } from "../../../../compiler/planner/physics/layout.ts";
import { lossBytes } from "../../../../compiler/planner/physics/loss.ts";
import type { Block, Shape } from "../../../../compiler/planner/physics/shape.ts";
import { emptyStage, stagesOf } from "../../../../compiler/planner/physics/stages.ts";
import { gpt, plain } from "./cases.ts";

const none = { slack: 1, runtime: 0 };
const batch = { micro: 1, count: 8, sequence: 2048 };

test("workspaces: two of cuBLAS, one of Transformer Engine, four more for grouped products", () => {
  const libraries = { deterministic: false, transformer_engine: true, grouped: false } as const;
  const MiB = 2 ** 20;
  expect(workspaceBytes({ ...libraries, generation: "ampere" })).toBe((2 * 8.125 + 4) * MiB);
  expect(workspaceBytes({ ...libraries, generation: "ampere", deterministic: true })).toBe(68 * MiB);
  expect(workspaceBytes({ ...libraries, generation: "hopper", grouped: true })).toBe((64 + 5 * 32) * MiB);
});

test("chunks in flight add up, and the first ones lead by a turn", () => {
  const layout = { ...plain, pipeline: 4, chunks: 2 };
  expect(inFlightByChunk(layout, batch, 3)).toEqual([4, 1]);
  for (const stage of [0, 1, 2, 3]) {
    const all = inFlightByChunk(layout, batch, stage).reduce((sum, n) => sum + n, 0);
    expect(all / 2).toBe(inFlight(layout, batch, stage));
  }
});

/** Llama 1B of nanotron's sweep: a head that weighs as much as four layers. */
const small: Shape = {
  ...gpt(16, 2048, 32, 131_072),
  blocks: Array.from({ length: 16 }, (): Block => ({
    attention: { heads: 32, kv_heads: 32, head_dim: 64 },
    ffn: { width: 8192, gated: true },
  })),
};

test("work dealt to stages: 34 of 34 such plans with ZeRO ran on eight, none of 21 on sixteen", () => {
  const byWork = { partition: "work" } as const;
  const layers = (pipeline: number): number[] =>
    stagesOf(small, { ...plain, pipeline }, byWork).map((stage) => stage.reduce((sum, { count }) => sum + count, 0));
  expect(layers(8)).toEqual([3, 2, 3, 2, 3, 2, 1, 0]);
  // Peaks of these grow with the micro-batch as those of ten and five layers do.
  expect([layers(2), layers(4)]).toEqual([
    [10, 6],
    [5, 5, 5, 1],
  ]);
  expect(emptyStage(small, { ...plain, pipeline: 8 }, byWork)).toBe(false);
  expect(emptyStage(small, { ...plain, pipeline: 16 }, byWork)).toBe(true);
});

test("the embedding and the loss take the place of layers", () => {
  const layout = { ...plain, pipeline: 4, chunks: 2, ends: { embedding: 1, loss: 1 } };
  const counts = stagesOf(gpt(6, 512, 8), layout, megatron).map((stage) => stage[0]?.count);
  expect(counts).toEqual([1, 2, 2, 1]);
});

test("frozen weights have no gradients and no states; adapters have", () => {
  const shape = gpt(4, 1024, 8);
  const [whole] = memoryOf(shape, plain, batch, megatron, none);
  const [tuned] = memoryOf({ ...shape, adapters: 16 }, plain, batch, megatron, none);
  const adapters = 4 * 16 * (1024 + 3072 + (1024 + 1024) + (1024 + 4096) * 2);
  expect(tuned?.parts.optimizer).toBe(12 * adapters);
  expect(tuned?.parts.gradients).toBe(4 * adapters);
  expect((tuned?.parts.weights ?? 0) - (whole?.parts.weights ?? 0)).toBeCloseTo(2 * adapters);
});

test("recomputing by operator keeps every second product", () => {
  const [block = {}] = small.blocks;
  const bytes = (recompute: "none" | "selective" | "full"): number =>
    activationBytes(small, block, { ...plain, recompute }, batch, fsdp);
  expect(bytes("selective")).toBeLessThan(0.5 * bytes("none"));
  expect(bytes("selective")).toBeGreaterThan(3 * bytes("full"));
});

test("stage 3 that keeps layers for backward holds half of the distance, or all that there is", () => {
  const block = 12 * 1024 ** 2 + 13 * 1024;
  const outer = 51_200 * 1024 + 2048 * 1024 + 2 * 1024;
  const engine = { ...megatron, reuse: 1e9 };
  const buffers = (layers: number): number | undefined =>
    memoryOf(gpt(layers, 1024, 8), { ...plain, data: 8, zero: 3 }, batch, engine, none)[0]?.parts.buffers;
  expect(buffers(100)).toBe(2 * (0.5e9 + block));
  expect(buffers(8)).toBe(2 * (8 * block + outer));
});

/** What the loss of a model of 4,096 by 128,256 holds of 8,192 tokens. */
const lossOf = (more: Partial<Engine>, layout: Partial<Layout> = {}): number =>
  lossBytes(
    { ...gpt(1, 4096, 32), vocab: 128_256 },
    8192,
    128_256,
    { ...plain, ...layout },
    { ...fsdp, logits: 2, ...more },
  );

test("a loss in chunks holds one chunk's logits, the gradient of its input and of the head", () => {
  const rest = 2 * 4096 * (8192 + 128_256);
  // 128,256 / 4,096 rounds up to 32, and 8,192 / 32 is a power of two.
  expect(lossOf({ chunked: "by-width" })).toBe(2 * 256 * 128_256 + rest);
  expect(lossOf({ chunked: 8 })).toBe(2 * 1024 * 128_256 + rest);
  expect(lossOf({})).toBe(2 * 8192 * 128_256);
});

test("tensor ranks hold their rows of the logits, and all of a chunk's input", () => {
  expect(lossOf({}, { tensor: 8 })).toBe(lossOf({}) / 8);
  expect(lossOf({ chunked: 8 }, { tensor: 8 })).toBe((2 * 1024 * 128_256) / 8 + 2 * 4096 * (8192 + 128_256 / 8));
});

test("Transformer Engine's loss writes the gradient over the logits", () => {
  const options = { fp16: false, dropout: false, core: "cudnn", deferred: 0, mask: false } as const;
  const libraries = { generation: "hopper", deterministic: false, transformer_engine: true, grouped: false } as const;
  const logits = (loss: "plain" | "jitted" | "in-place"): number =>
    functional({ ...options, loss, libraries }).logits;
  expect(["plain", "jitted", "in-place"].map((loss) => logits(loss as "plain"))).toEqual([6, 10, 2]);
});

/** Llama whose head is small beside its layers, on tensor ranks of a pipeline. */
const piped = { ...plain, tensor: 8, sequence_parallel: true };
const ahead: Engine = { ...megatron, kept: { ...megatron.kept, whole: 2 }, waits: 384 };
const spareOf = (layout: Layout, engine: Engine = ahead): number =>
  memoryOf(small, layout, batch, engine, none).reduce((most, { peak, needed }) => Math.max(most, peak - needed), 0);

test("a host that runs ahead holds the stream whole, which an allocator in need takes back", () => {
  expect(spareOf(piped)).toBeCloseTo(16 * 2 * 2 * 2048 * 2048, -3);
  expect(spareOf(piped, megatron)).toBe(0);
  expect(spareOf({ ...piped, tensor: 1 })).toBe(0);
});

test("it runs as far ahead as a device's queue takes launches, however deep the model and however many micro-batches are in flight", () => {
  const queued = { ...ahead, queue: 4 };
  expect(spareOf(piped, queued)).toBeCloseTo(spareOf(piped) / 4, -3);
  expect(spareOf({ ...piped, pipeline: 4 }, queued)).toBeCloseTo(spareOf(piped, queued), -3);
  expect(spareOf(piped, { ...ahead, queue: 100 })).toBe(spareOf(piped));
});

test("of two stages that wait for each other it is ahead only if its device is slower, and nowhere if messages stall", () => {
  const two = { ...piped, pipeline: 2 };
  const layer = 4 * 2048 ** 2 + 3 * 2048 * 8192;
  const work = (6 * 2048 * layer) / 8;
  expect(spareOf(two, { ...ahead, pace: work / 10 })).toBeGreaterThan(0.9 * spareOf(two));
  expect(spareOf(two, { ...ahead, pace: 10 * work })).toBeLessThan(spareOf(two) / 1000);
  expect(spareOf({ ...piped, pipeline: 4 })).toBeGreaterThan(0);
  expect(spareOf({ ...piped, pipeline: 4, data: 64 })).toBeLessThan(spareOf({ ...piped, pipeline: 4 }) / 100);
});

/** What a descriptor's widths add to the buffers, gradients and activations of a rank's worst instant. */
const added = (more: { states?: object; kept?: object }, layout: Layout): number => {
  const wider = {
    ...megatron,
    states: { ...megatron.states, ...more.states },
    kept: { ...megatron.kept, ...more.kept },
  };
  const peakOf = (engine: Engine): number => memoryOf(small, layout, batch, engine, none)[0]?.peak ?? 0;
  return peakOf(wider) - peakOf(megatron);
};

test("buffers for gathers are whole on each tensor rank, once for all layers, and not there without", () => {
  expect(added({ kept: { shared: 6 } }, piped)).toBeCloseTo(6 * 2048 * 2048, -2);
  expect(added({ kept: { shared: 6 } }, { ...piped, tensor: 1 })).toBe(0);
});

test("buckets of hooks take room where there are replicas of whole gradients", () => {
  const wider = { states: { hooked: 2 } };
  const held = (memoryOf(small, plain, batch, megatron, none)[0]?.parts.weights ?? 0) / 2;
  expect(added(wider, { ...plain, data: 2 })).toBeCloseTo(2 * held, -2);
  expect(added(wider, { ...plain, data: 2, zero: 1 })).toBe(0);
  expect(added(wider, plain)).toBe(0);
});

test("gathering weights that a sharded step made reserves all in one piece and one of each rank, unless a piece as long was freed", () => {
  const gathering: Engine = { ...megatron, collected: { whole: 2, pieces: 2 } };
  const peak = (layout: Layout, engine: Engine): number => memoryOf(small, layout, batch, engine, none)[0]?.peak ?? 0;
  const anew = (layout: Layout): number => peak(layout, gathering) - peak(layout, megatron);
  const held = (memoryOf(small, plain, batch, megatron, none)[0]?.parts.weights ?? 0) / 2;
  const sharded = { ...plain, zero: 1 as const };
  expect(anew({ ...sharded, data: 2 })).toBeCloseTo(4 * held, -2);
  expect(anew({ ...sharded, data: 1024 })).toBeCloseTo(2 * held, -2);
  for (const layout of [plain, sharded, { ...plain, data: 2 }]) expect(anew(layout)).toBe(0);
  const [rank] = memoryOf(small, { ...sharded, data: 2 }, batch, gathering, none);
  expect((rank?.peak ?? 0) - (rank?.needed ?? 0)).toBeGreaterThan(0);
});

test("gradients that backward makes are not there when the loss of the only micro-batch in flight begins it", () => {
  const wider = { states: { transient: 2 } };
  expect(added(wider, plain)).toBe(0);
  expect(added(wider, { ...plain, pipeline: 2 })).toBeGreaterThan(0);
});
