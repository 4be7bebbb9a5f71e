/** What a run costs on machines of which some may be reclaimed. */
import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { priceOf } from "../../../compiler/planner/run/price.ts";
import { alone } from "../../support/alone.ts";

const totalOn = (prices: string, spot: string) => {
  const text = `/// x
import "std/clusters" { dgx_a100 }
cluster pod extends dgx_a100 { nodes = 4, ${prices} }
launch k8s on pod { target = kubernetes(spot = ${spot}) }
model m { family = llama, layers = 16, d_model = 2048, heads = 16, context = 2048 tokens }
data d { from = "x.txt", tokenizer = bytes }
stage s { model = m, data = d, length = 1000 steps, batch = 128 samples, optimizer = adamw(lr = 1e-3) }
`;
  const [stage] = compile({ path: "a.cdr", text }, alone).plan.stages;
  if (stage === undefined) throw new Error("no plan");
  return stage.total;
};

describe("a cost", () => {
  const both = "price = 5 usd/gpu/h, spot_price = 2 usd/gpu/h";

  it.each([
    [both, "none", 5, undefined],
    [both, "workers", 11 / 4, 3],
    [both, "all", 2, 4],
    ["price = 5 usd/gpu/h", "workers", 5, undefined],
  ] as const)("of %s with spot = %s is %d a device-hour", (prices, spot, price, nodes) => {
    const { cost, gpu_hours, spot_nodes, uncounted } = totalOn(prices, spot);
    expect((cost ?? 0) / gpu_hours).toBeCloseTo(price, 9);
    expect(spot_nodes).toBe(nodes);
    expect(uncounted.some((each) => each.includes("reclaimed"))).toBe(nodes !== undefined);
  });

  it("is not known where one of its prices is not", () => {
    const spot = { price: 2, kept: 1 };
    expect(priceOf({ price: null, spot, nodes: 4 })).toBeNull();
    expect(priceOf({ price: null, spot: { ...spot, kept: 0 }, nodes: 4 })).toBe(2);
  });
});
