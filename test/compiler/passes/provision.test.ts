/** How many nodes, against trying each number. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plan } from "../../../compiler/passes/parallelize.ts";
import { provision } from "../../../compiler/passes/provision.ts";
import type { Bound, ClusterSpec, Preference, StageStep } from "../../../compiler/pipeline.ts";
import { roomOf } from "../../../compiler/planner/search/evaluate.ts";
import { upper } from "../../../compiler/planner/upper.ts";
import { cluster, device, given, modelRequest, pipeline, settings, span, stage } from "../../support/pipeline.ts";

interface Tried {
  readonly nodes: number;
  readonly hours: number;
  readonly deviceHours: number;
  readonly estimate: number;
  readonly error: number;
}

/** The plan on each number of nodes on its own, with the plainest engine and where bounds may ask for it with the fastest. */
function tried(step: StageStep, on: ClusterSpec, nodes: readonly number[]): Tried[] {
  const steps =
    step.limits.bounds.size > 0 && step.engine === null ? [step, { ...step, isHurried: true as const }] : [step];
  return steps.flatMap((as) => triedOnce(as, on, nodes));
}

function triedOnce(step: StageStep, on: ClusterSpec, nodes: readonly number[]): Tried[] {
  return nodes.flatMap((count) => {
    const [only] = plan(pipeline(step, { ...on, nodes: count })).plan.stages;
    if (only === undefined || only.memory.peak > roomOf(only.memory)) return [];
    const { hours, gpu_hours, cost } = only.total;
    const limit = (name: string): number => step.limits.bounds.get(name)?.max ?? Infinity;
    const estimate = Math.max((hours * 3600) / limit("time"), (cost ?? 0) / limit("cost"));
    return [{ nodes: count, hours, deviceHours: gpu_hours, estimate, error: upper(only.time.error) }];
  });
}

function bestOf(all: readonly Tried[], prefer: Preference): number | null {
  const sure = all.filter(({ estimate, error }) => estimate * error <= 1);
  const likely = all.filter(({ estimate }) => estimate <= 1);
  if (all.length === 0) return null;
  if (sure.length + likely.length === 0) {
    const closest = Math.min(...all.map(({ estimate }) => estimate));
    return all.find(({ estimate }) => estimate === closest)?.nodes ?? null;
  }
  const able = sure.length > 0 ? sure : likely;
  if (prefer === "fewest") return Math.min(...able.map(({ nodes }) => nodes));
  const key = prefer === "cheapest" ? "deviceHours" : "hours";
  const least = Math.min(...able.map((one) => one[key]));
  const close = able.filter((one) => one[key] <= 1.03 * least);
  const then = prefer === "cheapest" ? "hours" : "nodes";
  return close.sort((a, b) => a[then] - b[then] || a.nodes - b.nodes)[0]?.nodes ?? null;
}

const atMost = (max: number): Bound => ({ min: null, max, oneOf: null, spans: [span] });

const problems = fc.record({
  engine: fc.constantFrom("megatron" as const, "deepspeed" as const, null),
  layers: fc.constantFrom(4, 8, 24),
  width: fc.constantFrom(1024, 2048, 5120),
  memory: fc.constantFrom(1, 0.5, 0.25),
  samples: fc.constantFrom(32, 96, 256),
  nodes: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 6 }),
  prefer: fc.constantFrom<Preference[]>("cheapest", "fastest", "fewest"),
  time: fc.constantFrom(null, 60, 600, 6000, 60_000),
  cost: fc.constantFrom(null, null, 1, 100),
});

function problemOf(drawn: typeof problems extends fc.Arbitrary<infer T> ? T : never): [StageStep, ClusterSpec] {
  const { width, layers } = drawn;
  const card = device("h100_sxm");
  const open = { nodes: drawn.nodes.toSorted((a, b) => a - b), prefer: drawn.prefer };
  const bounds = new Map(
    (["time", "cost"] as const).flatMap((name) => {
      const max = drawn[name];
      return max === null ? [] : [[name, atMost(max)] as const];
    }),
  );
  const model = modelRequest("llama", { layers, d_model: width, heads: width / 128, context: 1024 });
  return [
    stage(model, {
      engine: drawn.engine === null ? null : given(drawn.engine),
      batch: given({ unit: "samples", value: drawn.samples } as const),
      limits: { given: settings(), bounds },
    }),
    cluster({ open, device: { ...card, memory: drawn.memory * card.memory } }),
  ];
}

describe("the number of nodes", () => {
  it("is the one that trying each finds, whatever is preferred and however long it may take", () => {
    const chosen = new Set<unknown>();
    fc.assert(
      fc.property(problems, (drawn) => {
        const [step, on] = problemOf(drawn);
        const { choice, pipeline: provided } = provision(pipeline(step, on));
        const expected = bestOf(tried(step, on, on.open?.nodes ?? []), drawn.prefer);
        expect(choice?.nodes ?? null).toBe(expected);
        expect(provided.launch.cluster.nodes).toBe(expected ?? on.open?.nodes.at(-1));
        expect(choice?.tried.some(({ nodes }) => nodes === expected) ?? false).toBe(false);
        chosen.add(expected);
      }),
      { numRuns: 60, seed: 11 },
    );
    expect(chosen.size).toBeGreaterThan(3);
  }, 120_000);

  const step = (limits: Readonly<Record<string, number>> = {}): StageStep =>
    stage(modelRequest("llama", { layers: 16, d_model: 2048, heads: 16, context: 1024 }), {
      engine: given("megatron"),
      limits: {
        given: settings(),
        bounds: new Map(Object.entries(limits).map(([name, max]) => [name, atMost(max)])),
      },
    });
  const among = (prefer: Preference, nodes: readonly number[]): ClusterSpec => cluster({ open: { nodes, prefer } });

  it("says why, and why not those beside it", () => {
    const { choice } = provision(pipeline(step(), among("fewest", [2, 3, 4])));
    expect(choice).toMatchObject({ nodes: 2, reason: "the fewest nodes of 2..4 nodes" });
    expect(choice?.tried.map(({ nodes, why_not }) => [nodes, why_not])).toEqual([
      [3, "more nodes"],
      [4, "more nodes"],
    ]);
  });

  it("says which of several that are as good is taken, and lists the best of them", () => {
    const large = { ...step(), batch: given({ unit: "samples", value: 4096 } as const) };
    const { choice } = provision(pipeline(large, among("cheapest", [1, 2, 4, 8])));
    const alone = tried(large, among("cheapest", []), [1, 2, 4, 8]).toSorted((a, b) => a.deviceHours - b.deviceHours);
    const least = alone[0] ?? expect.fail("nothing fits");
    expect(choice?.nodes).not.toBe(least.nodes);
    expect(choice?.reason).toBe(
      "the least time of those in 1, 2, 4, 8 nodes that are within 3 % of the fewest device-hours",
    );
    expect(choice?.tried.find(({ nodes }) => nodes === least.nodes)?.why_not).toMatch(
      /less device-hours, which is within the estimate's error$/,
    );
  });

  it("lists all the nodes that there are, whatever they cost", () => {
    const { choice } = provision(pipeline(step(), among("fewest", [1, 2, 4, 8, 16])));
    expect(choice?.nodes).toBe(1);
    expect(choice?.tried.map(({ nodes }) => nodes)).toContain(16);
  });

  it("lists the cheapest that keeps a deadline, not one that is far beyond it", () => {
    const hours = plan(pipeline(step(), cluster({ nodes: 1 }))).plan.stages[0]?.total.hours ?? 0;
    const nodes = [1, 2, 3, 4, 6, 8, 12, 16, 24];
    const { choice } = provision(pipeline(step({ time: 0.3 * hours * 3600 }), among("fastest", nodes)));
    const able = tried(step({ time: 0.3 * hours * 3600 }), among("fastest", []), nodes).filter(
      ({ estimate, error }) => estimate * error <= 1,
    );
    const [cheapest] = able.toSorted((a, b) => a.deviceHours - b.deviceHours);
    expect([...(choice?.tried.map((one) => one.nodes) ?? []), choice?.nodes]).toContain(cheapest?.nodes);
  });

  it("takes more nodes for a deadline, and the closest where none keeps it", () => {
    const hours = plan(pipeline(step(), cluster({ nodes: 1 }))).plan.stages[0]?.total.hours ?? 0;
    const limit = (share: number) => ({ time: share * hours * 3600 });
    const nodes = (share: number): number =>
      provision(pipeline(step(limit(share)), among("fewest", [1, 2, 4, 8]))).pipeline.launch.cluster.nodes;
    expect(nodes(2)).toBe(1);
    expect(nodes(0.7)).toBeGreaterThan(1);
    const { choice } = provision(pipeline(step(limit(1e-3)), among("cheapest", [1, 2, 4, 8])));
    expect(choice?.nodes).toBe(8);
    expect(choice?.reason).toBe("no number of nodes stays within the stage's time: 8 nodes come closest");
  });

  it("takes the engine with which it is cheapest, and says that what keeps a deadline by a hair is not taken", () => {
    const model = modelRequest("llama", { layers: 16, d_model: 2048, heads: 16, context: 4096 });
    const free = { ...stage(model, { sequence: given(4096) }), engine: null };
    const nodes = [1, 2, 4, 8];
    const hoursOf = (as: StageStep, count: number): number =>
      plan(pipeline(as, cluster({ nodes: count }))).plan.stages[0]?.total.hours ?? 0;
    const deadline = 1.02 * hoursOf({ ...free, isHurried: true }, 2);
    const timed: StageStep = { ...free, limits: step({ time: deadline * 3600 }).limits };
    const { choice, pipeline: provided } = provision(pipeline(timed, among("cheapest", nodes)));
    expect(choice?.nodes).toBeGreaterThan(2);
    expect(choice?.reason).toMatch(/within the stage's time, with the estimate's error to spare$/);
    expect(choice?.tried.find((one) => one.nodes === 2)?.why_not).toBe(
      "within the stage's time by less than the estimate's error",
    );
    const [planned] = plan(provided).plan.stages;
    const hurried = hoursOf({ ...free, isHurried: true }, choice?.nodes ?? 0);
    expect(planned?.total.hours).toBe(hurried);
    expect(hurried).toBeLessThan(hoursOf(free, choice?.nodes ?? 0));
  });

  it("costs about as little as with any engine that could be named", () => {
    const wide = modelRequest("llama", { layers: 40, d_model: 5120, heads: 40, context: 2048 });
    const unnamed = stage(wide, { batch: given({ unit: "samples", value: 256 } as const) });
    const nodes = [1, 2, 4, 8];
    const { pipeline: provided } = provision(pipeline(unnamed, among("cheapest", nodes)));
    const [taken] = plan(provided).plan.stages;
    const named = (["torch", "deepspeed", "megatron"] as const).flatMap((engine) =>
      triedOnce({ ...unnamed, engine: given(engine) }, among("cheapest", []), nodes),
    );
    const least = Math.min(...named.map(({ deviceHours }) => deviceHours));
    // As cheap, and then as fast, may each be a few percent off.
    expect(taken?.total.gpu_hours).toBeLessThanOrEqual(1.03 ** 2 * least);
  });

  it("is what the plan is made on, with its reason as the origin", () => {
    const { pipeline: provided } = provision(pipeline(step(), among("fastest", [1, 2])));
    const [planned] = plan(provided).plan.stages;
    expect(planned?.layout.nodes).toBe(2);
    expect(planned?.origins["layout.nodes"]).toEqual({
      kind: "chosen",
      by: "planner",
      reason: "the least time of 1..2 nodes",
    });
  });

  it("is left alone where the file says it", () => {
    expect(provision(pipeline(step(), cluster({ nodes: 3 }))).choice).toBeNull();
  });
});
