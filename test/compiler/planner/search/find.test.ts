import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { engines } from "../../../../compiler/engines/index.ts";
import { evaluate, hostFits, roomOf, type Evaluated } from "../../../../compiler/planner/search/evaluate.ts";
import { branchAndBound, fitsAny, tryAll } from "../../../../compiler/planner/search/find.ts";
import { floorsOf } from "../../../../compiler/planner/search/floors.ts";
import { layersOfChunk } from "../../../../compiler/planner/search/repeats.ts";
import { choiceOf, reckoned, spaceOf } from "../../../../compiler/planner/search/space.ts";
import { sumOf, worldFloor } from "../../../../compiler/planner/search/world-floor.ts";
import { alternativesOf } from "../../../../compiler/passes/parallelize/alternatives.ts";
import type { Details } from "../../../../compiler/planner/details.ts";
import { worldOf, type Setting } from "../../../../compiler/planner/setting.ts";
import { settings } from "../../../support/pipeline.ts";
import { mixed, problems } from "./spaces.ts";

/** The choice and what is shown beside it. */
function answer(ranked: readonly Evaluated[]): unknown {
  const [best, ...others] = ranked;
  if (best === undefined) return null;
  const shown = alternativesOf(best, others);
  return { choice: best.choice, fits: best.fits, step: best.time.step, peak: best.memory.peak, shown };
}

/** What a layout says beside its kinds, and what engines' own words change. */
const words: readonly {
  readonly pins: Readonly<Record<string, string>>;
  readonly details?: Details;
  readonly raw?: Setting["raw"] & {};
}[] = [
  { pins: { recompute: "full" }, details: { block: 2 } },
  { pins: { recompute: "full" }, details: { uniform: 3 } },
  { pins: { recompute: "selective" }, details: { modules: ["core_attn", "mlp"] } },
  { pins: { offload: "activations" }, details: { offloaded: 3 } },
  { pins: { offload: "optimizer" } },
  { pins: {}, raw: { activation_checkpointing: { cpu_checkpointing: true } } },
  { pins: {}, raw: { zero_optimization: { reduce_bucket_size: 1e6, overlap_comm: false } } },
  { pins: {}, raw: { zero_optimization: { zero_hpz_partition_size: 2 } } },
  { pins: {}, raw: { recompute_granularity: "full", recompute_method: "block", recompute_num_layers: 1 } },
];

const worded = fc.tuple(problems, fc.constantFrom(...words)).map(([{ setting, layout }, { pins, details, raw }]) => ({
  setting: { ...setting, ...(details === undefined ? {} : { details }), ...(raw === undefined ? {} : { raw }) },
  layout: { ...layout, given: new Map([...layout.given, ...settings(pins)]) },
}));

/** Pairs of ranks that hold a copy each, or a second one of the weights. */
const paired = problems.map(({ setting, layout }) => {
  const engine = setting.engine === engines.megatron ? engines.torch : setting.engine;
  const over = engine === engines.torch ? { shardOver: 2 } : { secondOver: 2 };
  return { setting: { ...setting, engine, ...over }, layout };
});

describe.each([
  ["plain", problems, 250, 2000, 1 / 2],
  ["with words", worded, 120, 1000, 1 / 2],
  // Engines that cut no matrices have few layouts to leave out.
  ["in pairs", paired, 120, 1000, 3 / 4],
  ["layers of several kinds", mixed, 80, 800, 3 / 4],
] as const)("branch and bound: %s", (_, problems, spaces, layouts, share) => {
  it("finds what trying every layout finds, and the same runners-up", () => {
    let considered = 0;
    let evaluated = 0;
    fc.assert(
      fc.property(problems, ({ setting, layout }) => {
        const space = spaceOf(setting, layout);
        fc.pre(space.size > 0 && space.size < 4000);
        const found = branchAndBound(setting, space);
        considered += found.considered;
        evaluated += found.evaluated;
        expect(answer(found.ranked)).toEqual(answer(tryAll(setting, space)));
      }),
      { numRuns: spaces, seed: 5 },
    );
    expect(evaluated).toBeLessThan(considered * share);
  });

  it("knows whether any layout fits", () => {
    const told = { some: 0, none: 0 };
    fc.assert(
      fc.property(problems, ({ setting, layout }) => {
        const space = spaceOf(setting, layout);
        fc.pre(space.size > 0 && space.size < 2000);
        const fits = tryAll(setting, space).some((one) => one.fits);
        expect(fitsAny(setting, layout)).toBe(fits);
        told[fits ? "some" : "none"]++;
      }),
      { numRuns: spaces, seed: 9 },
    );
    expect(told.some).toBeGreaterThan(0);
    expect(told.none).toBeGreaterThan(0);
  });

  it("is never told that a layout takes longer or more room than it does", () => {
    fc.assert(
      fc.property(problems, fc.nat(), fc.nat(), fc.nat(), fc.nat(), ({ setting, layout }, a, b, c, d) => {
        const { groups, variants } = spaceOf(setting, layout);
        const group = groups[a % groups.length];
        fc.pre(group !== undefined && variants.length > 0);
        if (group === undefined) return;
        const depth = group.depths[b % group.depths.length];
        if (depth === undefined) return;
        const micro = depth.micros[c % depth.micros.length] ?? 1;
        const at = d % variants.length;
        const variant = variants[at];
        if (variant === undefined) return;
        fc.pre(group.takes(variant));
        const { memory, time, objective, fits, choice } = reckoned(setting, group, depth, micro, variant);
        const floors = floorsOf(setting, variants);
        const kind = floors.kinds.findIndex((variants) => variants.includes(at));
        const whole = floors.of(group);
        const floor = whole.of(depth);
        expect(floor.seconds(micro, at)).toBeLessThanOrEqual(time.step);
        expect(floor.seconds(micro, at) + whole.risk(depth, micro)).toBeLessThanOrEqual(objective);
        expect(floor.bytes(micro, at)).toBeLessThanOrEqual(memory.peak);
        const repeats =
          choice.recompute !== "full" ? 0 : (choice.repeats ?? Math.max(1, layersOfChunk(setting, depth)));
        if (variant.least === true) expect(floor.repeats(micro, at)).toBeLessThanOrEqual(repeats);
        expect(floor.leanest(micro, at)).toBeLessThanOrEqual(floor.bytes(micro, at));
        const way = whole.ways.get(micro)?.find((one) => one.depth === depth);
        if (way === undefined) throw new Error("no way");
        expect(whole.passes(way, micro, kind)).toBeLessThanOrEqual(floor.seconds(micro, at));
        expect(whole.layers(way, kind)).toBeLessThanOrEqual(memory.peak);
        const [passing, roughly] = [whole.passing(micro, kind), whole.roughly(micro, kind)];
        expect(passing === null).toBe(roughly === null);
        // Where no pipeline holds the micro-batch nothing is said of its seconds.
        if (passing !== null && roughly !== null) {
          if (whole.layers(way, kind) <= roomOf(memory))
            expect(passing).toBeLessThanOrEqual(whole.passes(way, micro, kind));
          expect(roughly).toBeLessThanOrEqual(passing);
          expect(floors.seconds(group, kind)).toBeLessThanOrEqual(roughly);
          for (const expert_parallel of [1, group.expert_parallel])
            expect(floors.alike({ ...group, expert_parallel }, kind)).toBeLessThanOrEqual(
              floors.seconds(group, kind),
            );
        } else expect(fits).toBe(false);
        // Else nothing would ever be left out.
        expect(floor.seconds(micro, at)).toBeGreaterThan(0);
        const { even, split } = worldFloor(setting, layout);
        const world = worldOf(setting.cluster);
        const needed = hostFits(setting, memory) ? memory.peak : Infinity;
        expect(split(world, setting.globalBatch)).toBeLessThanOrEqual(needed);
        expect(sumOf(even(world))).toBeLessThanOrEqual(needed);
        expect(split(world, setting.globalBatch)).toBeGreaterThan(0);
      }),
      { numRuns: layouts, seed: 7 },
    );
  });
});

describe("layers that run again", () => {
  const dense = problems.map(({ setting, layout }) => ({
    setting: { ...setting, engine: engines.megatron },
    layout,
  }));

  it("are as few as fit: one more takes longer, one fewer has no room, and no other number is better", () => {
    const told = new Set<string>();
    fc.assert(
      fc.property(dense, fc.nat(), fc.nat(), fc.nat(), fc.nat(), ({ setting, layout }, a, b, c, d) => {
        const { groups, variants } = spaceOf(setting, layout);
        const group = groups[a % groups.length];
        const counted = variants.filter(({ least }) => least === true);
        const depth = group?.depths[b % group.depths.length];
        const variant = counted[d % counted.length];
        fc.pre(group !== undefined && depth !== undefined && variant !== undefined);
        if (group === undefined || depth === undefined || variant === undefined) return;
        fc.pre(group.takes(variant));
        const micro = depth.micros[c % depth.micros.length] ?? 1;
        const full = choiceOf(group, depth, micro, variant);
        const layers = layersOfChunk(setting, depth);
        const all = [
          evaluate(setting, { ...full, recompute: "none" }),
          ...(variant.spared === undefined
            ? []
            : [evaluate(setting, { ...full, recompute: "selective", modules: variant.spared })]),
          ...Array.from({ length: Math.max(0, layers - 1) }, (_, at) =>
            evaluate(setting, { ...full, repeats: at + 1 }),
          ),
          evaluate(setting, full),
        ];
        const fitting = all.filter(({ fits }) => fits).sort((x, y) => x.objective - y.objective);
        const { choice, fits, objective } = reckoned(setting, group, depth, micro, variant);
        expect(fits).toBe(fitting.length > 0);
        if (fits) expect(objective).toBe(fitting[0]?.objective);
        told.add(!fits ? "no" : choice.repeats !== undefined ? "some" : choice.recompute);
      }),
      { numRuns: 400, seed: 3 },
    );
    expect([...told].sort()).toEqual(["full", "no", "none", "selective", "some"]);
  });

  it("are all of them where the layout says so, and none where an engine takes no number", () => {
    fc.assert(
      fc.property(problems, ({ setting, layout }) => {
        const said = { ...layout, given: new Map([...layout.given, ...settings({ recompute: "full" })]) };
        expect(spaceOf(setting, said).variants.some(({ least }) => least === true)).toBe(false);
        if (setting.engine === engines.megatron) return;
        expect(spaceOf(setting, layout).variants.some(({ least }) => least === true)).toBe(false);
      }),
      { numRuns: 50, seed: 4 },
    );
  });
});
