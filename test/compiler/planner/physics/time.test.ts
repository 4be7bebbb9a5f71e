import { expect, test } from "vitest";
import { collectiveSeconds, dispatchSeconds, groupOf } from "../../../../compiler/planner/physics/collective.ts";
import { constantsOf, generic } from "../../../../compiler/planner/physics/constants/index.ts";
import { machineNamed } from "../../../../compiler/planner/physics/constants/machines.ts";
import { megatron, megatron_2021 } from "../../../../compiler/planner/physics/engines/megatron.ts";
import type { Engine } from "../../../../compiler/planner/physics/engine.ts";
import type { Layout } from "../../../../compiler/planner/physics/layout.ts";
import type { Format } from "../../../../compiler/planner/physics/machine.ts";
import { alignmentOf, productSeconds } from "../../../../compiler/planner/physics/product.ts";
import { crowdOf, sendSeconds } from "../../../../compiler/planner/physics/send.ts";
import { timeOf, type StepTime } from "../../../../compiler/planner/physics/time.ts";
import { gpt, gpt3, plain, round } from "./cases.ts";

const exact = { products: 1, floor: 0, memory: 1 };

test("a product that fills its waves takes its FLOPs at the peak", () => {
  // 20 x 20 tiles are four full waves of 100 processors.
  const seconds = productSeconds(2560, 8192, 2560, "bf16", round, exact);
  expect(seconds).toBeCloseTo((2 * 2560 * 8192 * 2560) / 1e14);
});

test("one tile more costs a whole wave", () => {
  const full = productSeconds(1280, 8192, 1280, "bf16", round, exact);
  const more = productSeconds(1281, 8192, 1280, "bf16", round, exact);
  expect(more / full).toBeCloseTo(2);
});

test("a thin product takes the time that its weights need", () => {
  expect(productSeconds(1, 8192, 8192, "bf16", round, exact)).toBeCloseTo((2 * 8192 * 8192) / 1e12, 5);
});

test("operands in 8 and 4 bits pass memory so, what comes of them in 16", () => {
  const [k, n] = [8192, 16_384];
  const seconds = (format: Format): number => productSeconds(1, k, n, format, round, exact);
  expect(seconds("fp8")).toBeCloseTo((k + k * n + 2 * n) / 1e12, 9);
  expect(seconds("fp4")).toBeCloseTo((0.5625 * (k + k * n) + 2 * n) / 1e12, 9);
});

const network = { ...generic, near: 1, far: 1, near_latency: 0, far_latency: 0, congestion: 0 };

test("a ring moves (n - 1) / n of the payload, an all-reduce twice that", () => {
  const group = groupOf(8, 1, 8);
  expect(collectiveSeconds("gather", 8e9, group, round, network)).toBeCloseTo(0.07);
  expect(collectiveSeconds("reduce", 8e9, group, round, network)).toBeCloseTo(0.14);
});

test("a group drives the network cards of its ranks in a node", () => {
  const wide = collectiveSeconds("gather", 1e9, groupOf(16, 1, 8), round, network);
  const thin = collectiveSeconds("gather", 1e9, groupOf(16, 8, 8), round, network);
  expect(wide).toBeCloseTo((15 / 16) * (1 / 80));
  expect(thin).toBeCloseTo((15 / 16) * (1 / 10));
});

test("an all-reduce goes round its ring twice, and waits at each step", () => {
  const waiting = { ...network, near_latency: 1, far_latency: 10 };
  for (const [ranks, each] of [
    [8, 1],
    [16, 10],
  ] as const) {
    const group = groupOf(ranks, 1, 8);
    expect(collectiveSeconds("gather", 1, group, round, waiting)).toBeCloseTo((ranks - 1) * each);
    expect(collectiveSeconds("reduce", 1, group, round, waiting)).toBeCloseTo(2 * (ranks - 1) * each);
  }
});

test("widths that are no whole lines of memory slow a product down, odd ones most", () => {
  const seconds = (width: number): number => productSeconds(8192, 8192, width, "bf16", round, exact) / width;
  expect(seconds(1800) / seconds(1792)).toBeGreaterThan(1.3);
  expect(seconds(1801) / seconds(1800)).toBeGreaterThan(1.3);
  expect([64, 128, 1728, 8192].map(alignmentOf)).toEqual([1, 1, 1, 1]);
});

test("a group of one is silent", () => {
  expect(collectiveSeconds("reduce", 1e9, groupOf(1, 1, 8), round, generic)).toBe(0);
});

test("the bubble of equal stages is (p - 1) / m, divided by the chunks", () => {
  const shape = { ...gpt(32, 4096, 32), vocab: 1 };
  const batch = { micro: 1, count: 16, sequence: 2048 };
  const silent = { ...generic, send: 0, step: 0, host: 0 };
  const layout = { ...plain, pipeline: 4 };
  const plainly = timeOf(shape, layout, batch, megatron, round, silent).parts;
  const chunked = timeOf(shape, { ...layout, chunks: 4 }, batch, megatron, round, silent).parts;
  expect(plainly.pipeline_bubble / plainly.compute).toBeCloseTo(3 / 16, 2);
  expect(chunked.pipeline_bubble / plainly.pipeline_bubble).toBeCloseTo(1 / 4, 1);
});

test("each micro-batch waits at the boundaries of a stage in the middle; the others are crossed once in and once out", () => {
  const shape = { ...gpt(32, 4096, 32), vocab: 1 };
  const waits = (pipeline: number, count: number): number => {
    const batch = { micro: 1, count, sequence: 2048 };
    const step = (send: number): number =>
      timeOf(shape, { ...plain, pipeline }, batch, megatron, round, { ...generic, send }).step;
    return step(1) - step(0);
  };
  expect(waits(2, 1)).toBeCloseTo(1, 2);
  expect(waits(2, 16)).toBeCloseTo(16, 2);
  expect(waits(4, 16)).toBeCloseTo(2 * 16 + 1, 2);
  expect(waits(8, 16)).toBeCloseTo(2 * 16 + 5, 2);
});

test("zero bubble leaves a third of the bubble, half where forward runs again", () => {
  const batch = { micro: 1, count: 16, sequence: 2048 };
  const bubble = (more: Partial<Layout>): number =>
    timeOf(gpt(32, 4096, 32), { ...plain, pipeline: 4, ...more }, batch, megatron, round, { ...generic, send: 0 })
      .parts.pipeline_bubble;
  expect(bubble({}) / bubble({ schedule: "zero-bubble" })).toBeCloseTo(3);
  const again = { recompute: "full" } as const;
  expect(bubble(again) / bubble({ ...again, schedule: "zero-bubble" })).toBeCloseTo(2);
});

// Korthikanti et al. 2022, table 5: seconds of an iteration on A100s, full recomputation and sequence parallel with selective.
test.each([
  ["22B", gpt(48, 6144, 64), 8, 1, 1, 4, 4, 1.42, 1.1],
  ["175B", gpt3, 8, 8, 3, 1, 64, 18.13, 13.75],
  ["530B", gpt(105, 20_480, 128), 8, 35, 3, 1, 280, 49.05, 37.83],
] as const)(
  "the step of Megatron's %s comes within 20 %",
  (_, shape, tensor, pipeline, chunks, micro, global, full, selective) => {
    const machine = machineNamed("A100-SXM") ?? round;
    const constants = constantsOf("megatron-2021", machine.gpu);
    const batch = { micro, count: global / micro, sequence: 2048 };
    const layout = { ...plain, tensor, pipeline, chunks };
    const step = (more: object): number =>
      timeOf(shape, { ...layout, ...more }, batch, megatron_2021, machine, constants).step;
    expect(Math.abs(step({ recompute: "full" }) / full - 1)).toBeLessThan(0.2);
    expect(Math.abs(step({ recompute: "selective", sequence_parallel: true }) / selective - 1)).toBeLessThan(0.2);
  },
);

test("a token that goes once to each node and rank costs less than one copy an expert, and no more with one expert", () => {
  const group = groupOf(32, 1, 8);
  const seconds = (copies: number, once: boolean): number =>
    dispatchSeconds(1e9, copies, group, once, round, network);
  expect(seconds(8, true)).toBeLessThan(0.6 * seconds(8, false));
  expect(seconds(1, true)).toBeCloseTo(seconds(1, false));
});

test("a ring of context parallelism shows where the network cannot keep up with the core", () => {
  const shape = gpt(4, 1024, 8);
  const batch = { micro: 1, count: 4, sequence: 65_536 };
  const layout = { ...plain, context: 16 };
  const step = (link: number): number =>
    timeOf(shape, layout, batch, megatron, { ...round, network: link }, { ...generic, data_hidden: 0.98 }).parts
      .context_comm;
  expect(step(1e9)).toBeGreaterThan(0);
  expect(step(1e12)).toBeLessThan(0.1 * step(1e9));
});

test("weights are gathered in as many bytes as the engine says", () => {
  const shape = gpt(8, 4096, 32);
  const exchange = (gathered: object): number =>
    timeOf(
      shape,
      { ...plain, data: 8, zero: 1 },
      { micro: 1, count: 1, sequence: 2048 },
      { ...megatron, ...gathered },
      round,
      { ...network, data_hidden: 0 },
    ).parts.data_comm;
  // Gradients of four bytes are scattered and weights of two gathered, or of one.
  expect(exchange({ gathered: 1 }) / exchange({})).toBeCloseTo(5 / 6);
});

test("frozen weights spare a third of the products", () => {
  const shape = gpt(8, 4096, 32);
  const batch = { micro: 4, count: 4, sequence: 2048 };
  const step = (adapters: object): number =>
    timeOf({ ...shape, ...adapters }, plain, batch, megatron, round, { ...generic, traffic: 0.01 }).step;
  const ratio = step({ adapters: 8 }) / step({});
  expect(ratio).toBeGreaterThan(0.66);
  expect(ratio).toBeLessThan(0.78);
});

test("however many the nodes, a message stalls no longer than a stall", () => {
  const constants = { send: 1, send_far: 2, stall: 10 };
  expect(sendSeconds(1, constants)).toBe(1);
  const far = [2, 16, 64, 1000, 1e6].map((nodes) => sendSeconds(nodes, constants));
  expect(far).toEqual([...far].sort((a, b) => a - b));
  expect(far[0]).toBeCloseTo(2);
  expect(far.at(-1)).toBeCloseTo(12);
});

test("groups of tensor ranks in several nodes make a crowd as more nodes would", () => {
  const on = (tensor: number, nodes = 16): number =>
    crowdOf({ ...plain, tensor, pipeline: 2, data: (4 * nodes) / tensor }, round);
  expect([1, 8, 16, 32].map((tensor) => on(tensor))).toEqual([16, 16, 32, 64]);
  expect([8, 32].map((nodes) => on(32, nodes))).toEqual([64, 64]);
});

test("hooks on whole gradients make stages wait for their messages over the network, once micro-batches are many", () => {
  const stalling = { ...generic, send: 0, send_far: 0, stall: 1 };
  const waited = (layout: object, count = 16, gradients: "whole" | false = "whole"): number => {
    const engine = { ...megatron, overlaps: { ...megatron.overlaps, gradients } };
    const cut = { ...plain, pipeline: 4, data: 4, ...layout };
    const batch = { micro: 1, count, sequence: 128 };
    return Math.round(timeOf(gpt(8, 128, 1), cut, batch, engine, round, stalling).parts.pipeline_comm);
  };
  // An inner stage has two boundaries.
  expect(waited({})).toBe(2 * 16);
  expect(waited({ data: 2, tensor: 8 })).toBe(2 * 16);
  expect(waited({}, 8)).toBe(0);
  expect(waited({}, 16, false)).toBe(0);
  expect(waited({ zero: 1 })).toBe(0);
  // No replicas, a pair of them inside a node, and a single node.
  expect(waited({ data: 1, tensor: 4 })).toBe(0);
  expect(waited({ data: 2, tensor: 4 })).toBe(0);
  expect(waited({ pipeline: 2 })).toBe(0);
});

test("gradients that are cut into shards are waited for where only whole ones run beside backward", () => {
  const shape = gpt(8, 4096, 32);
  const exchange = (zero: 0 | 1, gradients: object): number =>
    timeOf(
      shape,
      { ...plain, data: 16, zero },
      { micro: 4, count: 1, sequence: 2048 },
      { ...megatron, overlaps: { ...megatron.overlaps, ...gradients } },
      round,
      network,
    ).parts.data_comm;
  expect(exchange(0, { gradients: "whole" })).toBe(exchange(0, {}));
  expect(exchange(1, { gradients: "whole" })).toBe(exchange(1, { gradients: false }));
  expect(exchange(1, { gradients: "whole" })).toBeGreaterThan(exchange(1, {}));
});

/** Layers of experts as wide as a model. */
function routed(layers: number): ReturnType<typeof gpt> {
  const shape = gpt(layers, 1024, 8);
  const experts = { experts: 64, top_k: 8, width: 1024, shared: 0, gated: true };
  const { attention } = shape.blocks[0] ?? {};
  const block = { ...(attention === undefined ? {} : { attention }), experts };
  return { ...shape, blocks: shape.blocks.map(() => block) };
}

test("experts keep the host as busy as four feed-forward layers do", () => {
  const tiny = { micro: 1, count: 1, sequence: 64 };
  const constants = { ...generic, host: 1 };
  const compute = (shape: ReturnType<typeof gpt>): number =>
    timeOf(shape, plain, tiny, megatron, round, constants).parts.compute;
  expect(compute(gpt(4, 1024, 8))).toBeCloseTo(4, 1);
  expect(compute(routed(4))).toBeCloseTo(4 * 2.5, 1);
});

test("an exchange of tokens beside products shows what they do not hide, and some of it always", () => {
  const layout = { ...plain, expert: 16, data: 16, zero: 1 as const };
  const exchange = (network: number, experts: object): number =>
    timeOf(
      routed(4),
      layout,
      { micro: 4, count: 4, sequence: 2048 },
      { ...megatron, overlaps: { ...megatron.overlaps, ...experts } },
      { ...round, network },
      { ...generic, data_hidden: 0.75 },
    ).parts.expert_comm;
  expect(exchange(1e10, { experts: true }) / exchange(1e10, {})).toBeCloseTo(0.25, 6);
  const slow = exchange(1e7, { experts: true }) / exchange(1e7, {});
  expect(slow).toBeGreaterThan(0.9);
  expect(slow).toBeLessThan(1);
});

test("a program that is short of memory stalls at each message on one node as on many", () => {
  const constants = { send: 1, send_far: 2, stall: 10 };
  expect(sendSeconds(1, constants, true)).toBe(11);
  expect(sendSeconds(4, constants, true)).toBe(12);
  expect(sendSeconds(1e6, constants, true)).toBeCloseTo(12);
});

test("hosts of tensor ranks that wait for one another cost what products do not hide, and nothing on one node", () => {
  const shape = gpt(8, 4096, 32);
  const passing = (micro: number, tensor: number, data: number, skew: number): number => {
    const layout = { ...plain, pipeline: 2, tensor, data };
    const constants = { ...generic, host: 0, tensor_hidden: 0, skew };
    return timeOf(shape, layout, { micro, count: 8, sequence: 2048 }, megatron, round, constants).parts.compute;
  };
  // Four layers a stage, each as slow as its host.
  const waits = 0.5;
  expect(passing(1, 4, 2, waits) - passing(1, 4, 2, 0)).toBeGreaterThan(0.9 * 8 * 4 * 3 * waits);
  expect(passing(1024, 4, 2, waits)).toBeCloseTo(passing(1024, 4, 2, 0), 6);
  expect(passing(1, 4, 1, waits)).toBe(passing(1, 4, 1, 0));
  expect(passing(1, 1, 8, waits)).toBe(passing(1, 1, 8, 0));
});

test("a pass that adds gradients takes as long as its bytes do, for each micro-batch", () => {
  const shape = gpt(8, 4096, 32);
  const other = (added: number, count: number): number =>
    timeOf(shape, plain, { micro: 1, count, sequence: 2048 }, { ...megatron, added }, round, generic).parts.other;
  const one = other(10, 1) - other(0, 1);
  expect(one).toBeGreaterThan(0);
  expect(other(10, 4) - other(0, 4)).toBeCloseTo(4 * one);
  expect(other(20, 1) - other(0, 1)).toBeCloseTo(2 * one);
});

test("messages of an interleaved pipeline hide behind a chunk's products, and no further", () => {
  const shape = gpt(8, 4096, 32);
  const sent = (network: number, chunks: number): number => {
    const machine = { ...round, domain: 1, network };
    const layout = { ...plain, pipeline: 4, chunks };
    const { parts } = timeOf(shape, layout, { micro: 1, count: 16, sequence: 2048 }, megatron, machine, generic);
    return parts.pipeline_comm;
  };
  const [slow, fast] = [1e7, 1e13];
  expect(sent(fast, 2)).toBeLessThan(1e-3 * sent(slow, 2));
  expect(sent(slow, 2)).toBeGreaterThan(1.9 * sent(slow, 1));
  expect(sent(slow / 2, 2) / sent(slow, 2)).toBeCloseTo(2, 1);
});

test("messages of an interleaved pipeline hide behind nothing while it fills and drains, unless Megatron is told so", () => {
  const shape = gpt(32, 4096, 32);
  const batch = { micro: 1, count: 16, sequence: 2048 };
  const [pipeline, chunks, network] = [4, 4, 50e9];
  const layout = { ...plain, pipeline, chunks };
  const partsOf = (engine: Engine, speed = network): StepTime["parts"] =>
    timeOf(shape, layout, batch, engine, { ...round, domain: 1, network: speed }, generic).parts;
  const lost = (engine: Engine): number => {
    const [slow, fast] = [partsOf(engine), partsOf(engine, 1e15)];
    return slow.pipeline_comm - fast.pipeline_comm + slow.pipeline_bubble - fast.pipeline_bubble;
  };
  const message = (2 * 2048 * 4096) / (generic.far * network);
  // Of each message two directions and two boundaries: of the (v - 1) p passes of the last stage, and once over the p - 3 other boundaries.
  expect(lost(megatron)).toBeCloseTo(message * (4 * (chunks - 1) * pipeline + 2 * (pipeline - 3)), 4);
  expect(lost({ ...megatron, overlaps: { ...megatron.overlaps, filling: true } })).toBe(0);
  const never = { ...megatron, overlaps: { ...megatron.overlaps, pipeline: false } };
  expect(lost(never)).toBeCloseTo(message * (4 * batch.count * chunks + 2 * (pipeline - 3)), 4);
});

test("two stages that share a table add up their gradients of it, in pieces of the tensor ranks and beside nothing", () => {
  const batch = { micro: 1, sequence: 2048, count: 8 };
  const costOf = (vocab: number, layout: Layout): number => {
    const shape = gpt(24, 2048, 16, vocab);
    const of = (tied: boolean): number =>
      timeOf({ ...shape, tied }, layout, batch, megatron, round, generic).parts.data_comm;
    return of(true) - of(false);
  };
  const four = { ...plain, pipeline: 4 };
  // Between nodes: 4 bytes of each element, which a reduction of two ranks moves once.
  const far = costOf(256_000, { ...four, data: 8, zero: 1 });
  expect(far).toBeGreaterThan((0.5 * (4 * 256_000 * 2048)) / round.network);
  expect(costOf(128_000, { ...four, data: 8, zero: 1 }) / far).toBeCloseTo(0.5, 1);
  expect(costOf(256_000, { ...four, data: 4, tensor: 2, zero: 1 }) / far).toBeCloseTo(0.5, 1);
  expect(costOf(256_000, four)).toBeLessThan(far);
});

test("a window costs what it leaves of the attention, and one as long as the sequence all of it", () => {
  const sequence = 32_768;
  const core = (window?: number): number => {
    const shape = gpt(1, 2048, 16);
    const blocks = shape.blocks.map((block) => {
      const { attention } = block;
      return attention === undefined ? block : { ...block, attention: { ...attention, ...(window && { window }) } };
    });
    const { terms } = timeOf({ ...shape, blocks }, plain, { micro: 1, count: 1, sequence }, megatron, round, {
      ...generic,
      host: 0,
    });
    return terms.layers[0]?.time.core ?? 0;
  };
  const shares = [sequence / 4, sequence / 2, sequence - 1, sequence, 2 * sequence].map(
    (width) => core(width) / core(),
  );
  // Of all pairs in the triangle a window of `w` leaves `1 - (1 - w) ** 2`.
  [7 / 16, 3 / 4, 1, 1, 1].forEach((share, at) => expect(shares[at]).toBeCloseTo(share, 6));
});

test("of the boundaries between stages those inside a node take its link: the stage that waits longest sets the pace", () => {
  const waited = (layout: object, machine: object): number => {
    const silent = { ...network, send: 0, send_far: 0, stall: 0, data_hidden: 0.9 };
    const cut = { ...plain, pipeline: 8, ...layout };
    const batch = { micro: 1, count: 4, sequence: 1024 };
    return timeOf(gpt(8, 1024, 8), cut, batch, megatron, { ...round, ...machine }, silent).parts.pipeline_comm;
  };
  // Two stages a node: an inner one has a boundary on the link and one on the network.
  const two = { data: 4 };
  const [link, far] = [waited(two, { network: 1e30 }), waited(two, { link: 1e30 })];
  expect(waited(two, {})).toBeCloseTo(link + far, 9);
  expect(link / far).toBeCloseTo(round.network / round.link);
  // One stage a node or more nodes for a stage: the network alone. Four a node: two boundaries of the link, where that is slower.
  expect(waited({ data: 8 }, { link: 1 })).toBe(waited({ data: 8 }, {}));
  expect(waited({ data: 2 }, { link: 1, network: 1e30 })).toBeCloseTo(2 * waited(two, { link: 1, network: 1e30 }), 3);
});

test("tensor ranks sum what they looked up in the table, the gradient of what its product read, and three numbers a token of the loss", () => {
  const talked = (layers: number): number =>
    timeOf(
      gpt(layers, 1024, 8),
      { ...plain, tensor: 8 },
      { micro: 1, count: 1, sequence: 2048 },
      megatron_2021,
      round,
      generic,
    ).parts.tensor_comm;
  const group = groupOf(8, 1, 8);
  const sums = (bytes: number): number => collectiveSeconds("reduce", bytes, group, round, generic);
  expect(2 * talked(1) - talked(2)).toBeCloseTo(2 * sums(2 * 2048 * 1024) + 3 * sums(4 * 2048), 9);
});
