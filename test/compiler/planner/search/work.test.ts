/** How much of a search is done: what takes time on any machine. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { engines } from "../../../../compiler/engines/index.ts";
import type { Bound } from "../../../../compiler/pipeline.ts";
import { families } from "../../../../compiler/models/index.ts";
import { size } from "../../../../compiler/passes/size.ts";
import { bestWithin, find, findAmong, fitsAny } from "../../../../compiler/planner/search/find.ts";
import { leastOf } from "../../../../compiler/planner/search/repeats.ts";
import { spaceOf } from "../../../../compiler/planner/search/space.ts";
import type { Setting } from "../../../../compiler/planner/setting.ts";
import { cluster, device, modelRequest, span } from "../../../support/pipeline.ts";

const open = { given: new Map(), bounds: new Map() };
const oneOf = (...values: readonly string[]): Bound => ({ min: null, max: null, oneOf: values, spans: [span] });

function mixture(nodes: number): Setting {
  const shape = { layers: 94, d_model: 4096, heads: 64, kv_heads: 4, head_dim: 128, vocab: 151936, context: 32768 };
  const moe = { "moe.experts": 128, "moe.top_k": 8, "moe.d_ff": 1536 };
  const { model } = size(modelRequest("qwen3_moe", { ...shape, ...moe }));
  if (model === null) throw new Error("no model");
  return {
    ...{ family: families.qwen3_moe, model, engine: engines.megatron, sequence: 4096, globalBatch: 4 * 8 * nodes },
    ...{ precision: "bf16", attention: "sdpa", compile: false, tf32: true },
    cluster: cluster({ nodes, gpusPerNode: 8, ram: 2 ** 41, device: device("h100_sxm") }),
  };
}

describe("a search", () => {
  it("reckons a few of two million layouts in full", () => {
    const { considered, evaluated } = find(mixture(128), open);
    expect(considered).toBeGreaterThan(2_000_000);
    expect(evaluated).toBeLessThan(50);
  });

  it("ends at once where a figure is no number", () => {
    const setting = mixture(128);
    const teacher = { family: setting.family, model: { ...setting.model, vocab: NaN } };
    const problem = { setting: { ...setting, teacher }, layout: open };
    expect(findAmong([problem]).evaluated).toBeLessThan(50);
    expect(bestWithin(problem, 10)).toBeNull();
    expect(fitsAny(problem.setting, open)).toBe(false);
  });

  it("reckons none twice for two questions about one problem", () => {
    const problem = { setting: mixture(16), layout: open };
    const best = bestWithin(problem, Infinity);
    const found = findAmong([problem]);
    expect(best).not.toBeNull();
    expect(found.ranked[0]).toBe(best);
    expect(findAmong([problem])).toBe(found);
  });
});

describe("parts of layers", () => {
  const setting = mixture(128);

  it("run again before whole layers do", () => {
    const { choice, fits, objective } = find(setting, open).ranked[0] ?? {};
    expect(choice).toMatchObject({ recompute: "selective", modules: ["moe_act"] });
    expect(fits).toBe(true);
    const whole = find({ ...setting, engine: { ...setting.engine, spared: () => [] } }, open).ranked[0];
    expect(whole?.choice.recompute).toBe("full");
    expect(objective).toBeLessThan(whole?.objective ?? 0);
  });

  it("do not where the layout, the model, the precision or the release leaves none", () => {
    const { spared } = engines.megatron;
    expect(spared?.(setting)).toEqual(["moe_act"]);
    expect(spared?.({ ...setting, narrow: { format: "fp8" } as never })).toEqual([]);
    const { moe: _, ...dense } = setting.model;
    expect(spared?.({ ...setting, model: dense as never })).toEqual([]);
    const bounded = { ...open, bounds: new Map([["recompute", oneOf("none", "full")]]) };
    expect(spaceOf(setting, bounded).variants.every((variant) => variant.spared === undefined)).toBe(true);
    expect(spaceOf(setting, open).variants.some((variant) => variant.spared !== undefined)).toBe(true);
  });
});

describe("the fewest layers", () => {
  it("are those of which the test holds, asked from below", () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(40), fc.nat(50), (fewest, more, least) => {
        const most = fewest + more;
        const asked: number[] = [];
        const found = leastOf(fewest, most, (count) => {
          asked.push(count);
          return count >= least;
        });
        expect(found).toBe(Math.min(most, Math.max(fewest, least)));
        expect(asked.every((count) => count >= fewest && count <= most)).toBe(true);
        // What was said to be the least mostly is.
        if (least <= fewest) expect(asked.length).toBeLessThanOrEqual(1);
      }),
      { seed: 2 },
    );
  });
});
