import { expect, test } from "vitest";
import { activationBytes } from "../../../../compiler/planner/physics/activations.ts";
import type { Engine } from "../../../../compiler/planner/physics/engine.ts";
import { ddp } from "../../../../compiler/planner/physics/engines/ddp.ts";
import { fsdp2 } from "../../../../compiler/planner/physics/engines/fsdp2.ts";
import { megatron, megatron_2021 } from "../../../../compiler/planner/physics/engines/megatron.ts";
import { inFlight } from "../../../../compiler/planner/physics/in-flight.ts";
import type { Layout, Module } from "../../../../compiler/planner/physics/layout.ts";
import type { Block } from "../../../../compiler/planner/physics/shape.ts";
import { gpt3, plain } from "./cases.ts";

const [block = {}] = gpt3.blocks;
const [s, b, h, a] = [2048, 1, 12_288, 96];
const batch = { micro: b, count: 8, sequence: s };
const bytes = (layout: Partial<Layout>): number =>
  activationBytes(gpt3, block, { ...plain, ...layout }, batch, megatron_2021);

// Korthikanti et al. 2022 (arXiv 2205.05198), table 2, for one layer; statistics of a fused core are ours.
test("no parallelism: s b h (34 + 5 a s / h)", () => {
  expect(bytes({})).toBe(s * b * (34 * h + 5 * a * s));
});

test("tensor parallelism: s b h (10 + 24 / t + 5 a s / (h t))", () => {
  expect(bytes({ tensor: 8 })).toBe(s * b * h * (10 + 24 / 8 + (5 * a * s) / (h * 8)));
});

test("with sequence parallelism: s b h / t (34 + 5 a s / h)", () => {
  expect(bytes({ tensor: 8, sequence_parallel: true })).toBe((s * b * (34 * h + 5 * a * s)) / 8);
});

test("selective recomputation: 34 s b h / t and the statistics of the softmax", () => {
  const layout = { tensor: 8, sequence_parallel: true, recompute: "selective" } as const;
  expect(bytes(layout)).toBe((s * b * (34 * h + 4 * a)) / 8);
});

test("full recomputation keeps the layer's input: 2 s b h", () => {
  expect(bytes({ recompute: "full" })).toBe(2 * s * b * h);
});

test("context parallelism divides the sequence", () => {
  const fused = { recompute: "selective" } as const;
  expect(bytes({ ...fused, context: 4 })).toBe(bytes(fused) / 4);
});

test.each([
  ["GPipe holds every micro-batch", { schedule: "gpipe" }, 0, 32],
  ["1F1B's first stage holds as many as stages", {}, 0, 8],
  ["its last stage holds one", {}, 7, 1],
  ["interleaved: 1 + (p - 1) / (p v) of the plain schedule on the first", { chunks: 4 }, 0, 8 * (1 + 7 / 32) - 0],
  ["zero bubble's first stage holds what 1F1B's holds", { schedule: "zero-bubble" }, 0, 8],
] as const)("%s", (_, layout, stage, expected) => {
  const held = inFlight({ ...plain, pipeline: 8, ...layout }, { count: 32 }, stage);
  // The published ratio counts p (v + 1) - 1 chunks as warm; the schedule adds the one that is running.
  expect(Math.abs(held - expected)).toBeLessThanOrEqual(1 / 4);
});

test("zero bubble keeps what the gradients of weights read, of as many micro-batches as stages before", () => {
  const held = (stage: number, count: number): number =>
    inFlight({ ...plain, pipeline: 8, schedule: "zero-bubble" }, { count }, stage);
  expect(held(3, 32)).toBeCloseTo(5 + (3 * 32) / 34);
  expect(held(7, 32)).toBeCloseTo(1 + (7 * 32) / 34);
  expect(held(7, 2)).toBeCloseTo(1 + 32 / 34);
});

/** Of a layer of experts with latent attention, 4,096 tokens on one rank. */
const routed: Block = {
  attention: {
    heads: 16,
    kv_heads: 16,
    head_dim: 192,
    latent: { q_rank: 0, kv_rank: 512, nope_dim: 128, rope_dim: 64, v_dim: 128 },
  },
  experts: { experts: 64, top_k: 6, width: 1408, shared: 2816, gated: true },
};
const dense: Block = { ffn: { width: 11_264, gated: true } };
const saved = (of: Block, ...modules: Module[]): number => {
  const kept = (layout: Partial<Layout>): number =>
    activationBytes(gpt3, of, { ...plain, ...layout }, { ...batch, sequence: 4096 }, { ...megatron, kept: wide }) /
    4096;
  return kept({}) - kept({ recompute: "selective", modules });
};
const wide = { ...megatron.kept, stream: 4, routed: 2 };

test.each([
  ["the activation of experts: its output, and that times the weights", routed, "moe_act", 6 * 4 * 1408],
  ["expanded queries, keys and values", routed, "mla_up_proj", 2 * (2 * 16 * 192 + 16 * 128)],
  ["a dense feed-forward layer", dense, "mlp", 6 * 11_264],
  ["no dense layer where there is none", routed, "mlp", 0],
  ["shared experts", routed, "shared_experts", 6 * 2816],
  ["what two norms wrote", routed, "layernorm", 2 * 2 * h],
  ["no norm that is fused into the product behind it", dense, "layernorm", 0],
] as const)("recomputed by module: %s", (_, of, module, expected) => {
  expect(saved(of, module)).toBeCloseTo(expected);
});

test("recomputed whole, experts keep what comes in; modules add up", () => {
  expect(saved(routed, "moe")).toBeGreaterThan(saved(routed, "moe_act", "shared_experts"));
  expect(saved(routed, "layernorm", "moe_act")).toBeCloseTo(saved(routed, "layernorm") + saved(routed, "moe_act"));
});

test("FSDP2 keeps what autocast does of a stream in 16 bits, DDP of one in 32; a mask is read by PyTorch's fused attention alone", () => {
  const module = {
    matrices: [],
    wide: { stream: 40, inner: 8, scores: 5, masks: 2 },
    cast: { stream: 20, inner: 10, scores: 5, masks: 2 },
    narrow: { stream: 20, inner: 8, scores: 5, masks: 2 },
  };
  const block: Block = { stated: { parameters: { cut: 0, whole: 0, routed: 0 }, module, scan: 0 } };
  const kept = (engine: Engine): number =>
    activationBytes({ ...gpt3, blocks: [block] }, block, plain, { ...batch, sequence: 1, micro: 1 }, engine);
  expect(kept(ddp("bf16", 8))).toBe(48);
  expect(kept(fsdp2("bf16", 3, 8))).toBe(30);
  expect(kept(fsdp2("fp32", 3, 8))).toBe(48);
  expect(kept({ ...ddp("bf16", 8), masked: true })).toBe(50);
  expect(kept({ ...ddp("bf16", 8), masked: true, materialised: true })).toBe(53);
});
