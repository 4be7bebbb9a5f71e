import { expect, test } from "vitest";
import { activationBytes } from "../../../../compiler/planner/physics/activations.ts";
import { fsdp } from "../../../../compiler/planner/physics/engines/fsdp.ts";
import { megatron, workspaceBytes } from "../../../../compiler/planner/physics/engines/megatron.ts";
import { inFlight, inFlightByChunk } from "../../../../compiler/planner/physics/in-flight.ts";
import { memoryOf } from "../../../../compiler/planner/physics/memory.ts";
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
  expect(layers(8)).toEqual([3, 3, 2, 3, 2, 3, 0, 0]);
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
