import { expect, test } from "vitest";
import { calibrate } from "../../bench/prediction/calibrate.ts";
import { constantsFor } from "../../bench/prediction/calibration.ts";
import { peakOf, refused, stepOf } from "../../bench/prediction/estimates.ts";
import { caseOf, networkOf, type Case } from "../../bench/prediction/cases.ts";
import { slowNetwork } from "../../bench/prediction/expected.ts";
import { fit } from "../../compiler/calibrate/fit.ts";
import { judge, reportOf } from "../../bench/prediction/report.ts";
import type { Row } from "../../bench/prediction/rows.ts";
import { scoreOf, spearman } from "../../bench/prediction/score.ts";
import { generic, timeIntervalOn } from "../../compiler/planner/physics/constants/index.ts";

function row(tp: number, pp: number, micro: number, measured: Row["measured"]): Row {
  const dp = 8 / tp / pp;
  return {
    id: `made-${tp}-${pp}-${micro}`,
    model: {
      family: "llama-like",
      layers: 16,
      hidden: 2048,
      heads: 16,
      kv_heads: 16,
      ffn: 8192,
      vocab: 32_000,
      seq: 4096,
      tied: false,
    },
    hardware: { gpu: "H100-SXM", mem_GB: 80, gpus: 8, nodes: 1 },
    parallel: { tp, pp, vp: null, cp: 1, ep: 1, dp, zero: 1, sp: tp > 1 },
    batch: { micro, grad_acc: 64 / micro / dp, global: 64 },
    precision: "bf16",
    recompute: "none",
    engine: "nanotron",
    measured,
    quality: "A",
    use: ["time", "memory", "fit"],
  };
}

const layouts = [1, 2, 4, 8].flatMap((tp) =>
  [1, 2].flatMap((pp) => [1, 2, 4].map((micro) => [tp, pp, micro] as const)),
);
const possible = layouts.filter(([tp, pp]) => tp * pp <= 8);

function cases(of: (one: Case) => Row["measured"]): Case[] {
  return possible.map(([tp, pp, micro]) => {
    const blank = caseOf(row(tp, pp, micro, {}));
    if (typeof blank === "string") throw new Error(blank);
    const found = caseOf(row(tp, pp, micro, of(blank)));
    if (typeof found === "string") throw new Error(found);
    return found;
  });
}

/** Runs of a machine whose products reach 0.55 of the peak and whose host takes 2 ms a layer. */
const truth = new Map([["nanotron/H100", { ...generic, products: 0.55, host: 2e-3 }]]);
const made = cases((one) => {
  const { time, memory } = judge(one, truth);
  return { step_time_s: time, peak_mem_GB: memory / 2 ** 30, oom: false };
});

test("a fit finds the constants that made the rows", () => {
  const calibration = calibrate(made);
  const [first] = made;
  expect(first && constantsFor(first, calibration).products).toBeCloseTo(0.55, 1);
  const { groups } = reportOf(made.map((one) => judge(one, calibration)));
  expect(groups["nanotron/H100"]?.time.mean).toBeLessThan(0.02);
  expect(groups["nanotron/H100"]?.memory.mean).toBeLessThan(0.02);
});

test("what was learned on other rows carries over to rows held out", () => {
  const calibration = calibrate(made.filter(({ layout }) => layout.tensor !== 8));
  const held = made.filter(({ layout }) => layout.tensor === 8).map((one) => judge(one, calibration));
  expect(reportOf(held).groups["all"]?.time.mean).toBeLessThan(0.05);
});

test("stalls are an engine's own: what is learned of all engines has none", () => {
  const spread = ["one", "two", "three"].flatMap((name) =>
    Array.from({ length: 2 }, () => made).flatMap((all) =>
      all.map((each): Case => {
        const one = { ...each, engine: { ...each.engine, name }, machine: { ...each.machine, domain: 2 } };
        return { ...one, time: stepOf(one, slowNetwork, false) };
      }),
    ),
  );
  const common = calibrate(spread).get("any/any");
  expect([common?.stall, common?.skew]).toEqual([generic.stall, generic.skew]);
});

test("sleeps that an engine's source states stand where nobody measured its stalls", () => {
  const [first] = made;
  expect(first && constantsFor(first, new Map()).stall).toBe(0.6);
  const measured = (nodes_most: number): number | undefined =>
    first && constantsFor(first, new Map([["nanotron/H100", { ...slowNetwork, nodes_most }]])).stall;
  expect([measured(16), measured(64)]).toEqual([0.6, slowNetwork.stall]);
  const other = first && { ...first, engine: { ...first.engine, polled: 0 } };
  expect(other && constantsFor(other, new Map()).stall).toBe(generic.stall);
});

test("few rows that agree say no narrower interval than the level above", () => {
  const few = made.slice(0, 12).map((one): Case => ({ ...one, engine: { ...one.engine, name: "made" } }));
  const interval = (rows: readonly Case[], key: string): number => calibrate(rows).get(key)?.time_interval ?? 0;
  const noisy = made.map((one, at): Case => ({ ...one, time: (one.time ?? 0) * (at % 2 === 0 ? 1.4 : 0.7) }));
  const above = interval([...few, ...noisy, ...noisy], "any/any");
  expect(above).toBeGreaterThan(0.1);
  expect(interval([...few, ...noisy, ...noisy], "made/H100")).toBeGreaterThanOrEqual(above);
  expect(few.length).toBeLessThan(24);
});

test("with the constants of the machine the first choice is the best plan", () => {
  const { regret } = reportOf(made.map((one) => judge(one, truth)));
  expect(regret).toMatchObject({ facets: 1, failed: 0, mean: 0 });
});

test("what divides runs from failures is the middle of what divides them as well", () => {
  const peaks = made.map((one) => peakOf(one, { ...generic, usable: Infinity }).fullest / one.machine.memory);
  const limit = 0.8;
  const scaled = made.map((one, i): Case => {
    // Half of them need a tenth less than the limit, half a tenth more.
    const memory = (one.machine.memory * (peaks[i] ?? 1)) / (limit * (i % 2 === 0 ? 0.9 : 1.1));
    return { ...one, machine: { ...one.machine, memory }, ran: i % 2 === 0 };
  });
  expect(calibrate(scaled).get("nanotron/H100")?.usable).toBeCloseTo(limit, 1);
});

test("a pipeline with fewer micro-batches than stages less one is refused where the engine asserts them", () => {
  const of = (count: number): boolean => {
    const [one] = made;
    if (one === undefined) throw new Error("no case");
    return refused({ ...one, layout: { ...one.layout, pipeline: 4 }, batch: { ...one.batch, count } });
  };
  expect([2, 3].map(of)).toEqual([true, false]);
});

test("a choice that fails is counted, not averaged", () => {
  const failed = made.map((one): Case => ({ ...one, row: { ...one.row, measured: { failed: true } }, ran: false }));
  const best = reportOf(made.map((one) => judge(one, truth))).regret.list[0]?.choice;
  const mixed = made.map((one, i) => (one.row.id === best ? (failed[i] ?? one) : one));
  expect(reportOf(mixed.map((one) => judge(one, truth))).regret).toMatchObject({ facets: 1, failed: 1 });
});

test("an outlier does not move a fit", () => {
  const x = [1, 2, 3, 4, 5, 6, 7, 8];
  const y = x.map((value) => (value === 8 ? 800 : 3 * value));
  const { constants } = fit({ slope: 1 }, ["slope"], ({ slope }) => x.map((value) => slope * value), y);
  expect(constants.slope).toBeCloseTo(3, 0);
});

test("a constant that its rows do not tell of stays where its like are, and the narrower its spread the nearer", () => {
  const learn = (spread: number): number =>
    fit({ slope: 2, weight: 1 }, ["slope"], ({ slope }) => [slope], [3], [1], {}, 25, {
      width: 0.2,
      pull: 0.05,
      spread: { slope: spread },
      center: { slope: 1 },
    }).constants.slope;
  expect(learn(10)).toBeCloseTo(3, 1);
  expect(learn(0.01)).toBeCloseTo(1, 1);
});

test("an engine that nobody measured takes what engines have in common, and says that it is a guess of them", () => {
  const awake = made.map((one): Case => ({ ...one, engine: { ...one.engine, polled: 0 } }));
  const other = awake.map((one): Case => ({ ...one, engine: { ...one.engine, name: "unheard of" } }));
  const calibration = calibrate(awake);
  const [mine, theirs] = [awake[0], other[0]];
  if (mine === undefined || theirs === undefined) throw new Error("no case");
  expect(constantsFor(theirs, calibration)).toBe(calibration.get("any/any"));
  expect(constantsFor(mine, calibration)).toBe(calibration.get("nanotron/H100"));
  expect(constantsFor(theirs, calibration).time_interval).toBeGreaterThanOrEqual(
    constantsFor(mine, calibration).time_interval,
  );
});

test("the interval of a time is wider on more nodes than any that were measured", () => {
  const constants = { ...generic, time_interval: 0.1, time_interval_beyond: 0.3, nodes_least: 2, nodes_most: 16 };
  expect([1, 2, 16, 17].map((nodes) => timeIntervalOn(nodes, constants))).toEqual([0.3, 0.1, 0.1, 0.3]);
});

test("Spearman's correlation of a published example", () => {
  // IQ and hours of television, the example of the article on it in Wikipedia: -29 / 165.
  const iq = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110];
  const hours = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17];
  expect(spearman(iq.map((estimate, i) => ({ estimate, measured: hours[i] ?? 0 })))).toBeCloseTo(-29 / 165);
});

test("scores are of estimate over measurement", () => {
  const score = scoreOf([
    { estimate: 110, measured: 100, interval: 0.2 },
    { estimate: 50, measured: 100, interval: 0.2 },
  ]);
  expect(score).toMatchObject({ n: 2, mean: 0.3, bias: -0.2, covered: 0.5 });
});

test("a row that says which cards its nodes have is judged with those", () => {
  const on = (interconnect: string | null, nodes = 4): number | undefined =>
    networkOf({ hardware: { gpu: "A100", gpus: 8 * nodes, nodes, interconnect } });
  expect(on("NVLink + 4x Omni-Path 100 Gbps")).toBeCloseTo(6.25e9);
  expect(on("8x HDR 200Gb/s")).toBeCloseTo(25e9);
  expect([on(null), on("NVLink"), on("8x A100"), on("8x HDR 200Gb/s", 1)]).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
  const slow = { ...row(1, 1, 1, {}) };
  const spread = {
    ...slow,
    hardware: { gpu: "H100-SXM", mem_GB: 80, gpus: 16, nodes: 2, interconnect: "1x EDR 100 Gb/s" },
  };
  expect(caseOf({ ...spread, batch: { micro: 1, grad_acc: 4, global: 64 } })).toMatchObject({
    machine: { network: 100e9 / 8 / 8 },
  });
});

test.each([
  ["fms-fsdp + torch.compile", "fsdp"],
  ["DeepSpeed ZeRO-1", "deepspeed"],
  ["PyTorch DDP", "ddp"],
])("%s is judged as %s, whoever started it", (engine, name) => {
  expect(caseOf({ ...row(1, 1, 1, {}), engine })).toMatchObject({ engine: { name } });
});

const made64 = (changes: Partial<Row>): Case => {
  const found = caseOf({ ...row(1, 1, 1, {}), ...changes });
  if (typeof found === "string") throw new Error(found);
  return found;
};

test("a step is of the whole batch, whatever a row counts as accumulated", () => {
  expect(made64({ batch: { micro: 1, grad_acc: 2, global: 64 } }).batch.count).toBe(8);
  expect(made64({ batch: { micro: 1, grad_acc: 2, global: null } }).batch.count).toBe(2);
});

const bridge = (engine: string, gpu: string, family: string, precision: string): Case =>
  made64({
    ...row(1, 2, 1, {}),
    engine,
    precision,
    hardware: { gpu, gpus: 8, nodes: 1 },
    model: { family, seq: 4096 },
  });

test.each([
  ["Megatron-Bridge 26.06", "GB200", "Qwen3_30B_a3B", "MXFP8", true],
  ["Megatron-Bridge verification card", "B300", "deepseek-v3", "fp8_mx", true],
  ["Megatron-Bridge 26.06", "B300", "Qwen3_30B_a3B", "MXFP8", false],
  ["Megatron-Bridge 26.04", "GB200", "Qwen3_30B_a3B", "MXFP8", false],
  ["Megatron-Bridge 26.06", "GB200", "Qwen3_30B_a3B", "BF16", false],
  ["Megatron-Bridge 26.06", "GB200", "GPT OSS 120B", "MXFP8", false],
])("%s on %s fuses the experts of %s in %s: %s", (engine, gpu, family, precision, fuses) => {
  const { fused = false, overlaps } = bridge(engine, gpu, family, precision).engine;
  expect([fused, overlaps.experts === true]).toEqual([fuses, fuses]);
});

test("FSDP2 beside a pipeline gathers its weights once, and holds them meanwhile", () => {
  const piped = made64({ ...row(1, 2, 1, {}), engine: "torchtitan" });
  expect(piped).toMatchObject({ layout: { zero: 1 }, engine: { states: { weights: 2, optimizer: 12 } } });
  const sharded = { ...row(1, 1, 1, {}), engine: "torchtitan", parallel: { tp: 1, pp: 1, dp: 8, zero: "fsdp8" } };
  expect(made64(sharded)).toMatchObject({ layout: { zero: 3 }, engine: { states: { weights: 4 } } });
});

test("stages that no number of chunks divides are one chunk each", () => {
  const open = { ...row(1, 8, 1, {}), engine: "torchtitan", batch: { micro: null, global: 8 } };
  expect(made64({ ...open, model: { ...open.model, layers: 12 } })).toMatchObject({
    layout: { chunks: 1 },
    batch: { micro: 1, count: 8 },
  });
});

test("adapters of Megatron's recipes stand beside one projection, and frozen products keep nothing of what they read", () => {
  const tuned = (engine: string): Case => made64({ engine, task: "lora" });
  const [mine, all] = [tuned("NeMo 24.07"), made64({ engine: "NeMo 24.07" })];
  expect(mine.shape.blocks[0]?.tuned?.matrices.map(({ name }) => name)).toEqual(["qkv"]);
  expect(tuned("NeMo AutoModel (PyTorch FSDP2)").shape.blocks[0]?.tuned).toBeUndefined();
  expect(all.engine.kept.gated - mine.engine.kept.gated).toBe(2);
  expect(all.engine.kept.stream - mine.engine.kept.stream).toBe(1);
});

test("what all cards reach is on each a share of what its best product does", () => {
  const calibration = new Map([["any/any", generic]]);
  const on = (gpu: string): number =>
    constantsFor(made64({ hardware: { gpu, gpus: 8, nodes: 1 } }), calibration).products;
  expect(on("H100-SXM")).toBe(generic.products);
  expect(on("A100-SXM") / on("GB200")).toBeCloseTo(0.87 / 0.73);
});

test("a row without what a case needs says why", () => {
  expect(caseOf({ ...row(1, 1, 1, {}), hardware: { gpu: "TPU v5p", gpus: 8, nodes: 1 } })).toContain("TPU v5p");
  expect(caseOf({ ...row(1, 1, 1, {}), parallel: {} })).toBe("the layout is not stated");
});
