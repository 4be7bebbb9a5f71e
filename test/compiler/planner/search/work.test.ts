/** How much of a search is done: what takes time on any machine. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { engines } from "../../../../compiler/engines/index.ts";
import { families } from "../../../../compiler/models/index.ts";
import { size } from "../../../../compiler/passes/size.ts";
import { bestWithin, find, findAmong } from "../../../../compiler/planner/search/find.ts";
import { leastOf } from "../../../../compiler/planner/search/repeats.ts";
import type { Setting } from "../../../../compiler/planner/setting.ts";
import { cluster, device, modelRequest } from "../../../support/pipeline.ts";

const open = { given: new Map(), bounds: new Map() };

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

  it("reckons none twice for two questions about one problem", () => {
    const problem = { setting: mixture(16), layout: open };
    const best = bestWithin(problem, Infinity);
    const found = findAmong([problem]);
    expect(best).not.toBeNull();
    expect(found.ranked[0]).toBe(best);
    expect(findAmong([problem])).toBe(found);
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
