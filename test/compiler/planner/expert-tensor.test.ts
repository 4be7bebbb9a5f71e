/** Ranks that share the matrices of each expert: what they hold, exchange and take, and what refuses them. */
import { describe, expect, it } from "vitest";
import { compileText } from "../../support/probes.ts";

function planned(
  layout: string,
  rest = "",
  { family = "mixtral", says = "kv_heads = 8, moe { experts = 8, top_k = 2, d_ff = 14336 }" } = {},
) {
  const { plan, diagnostics } = compileText(`import "std/clusters" { dgx_h200 }
data web { from = "c/*.txt", tokenizer = bpe(vocab = 32000), tokens = 100B tokens }
model m {
  family = ${family}, layers = 32, d_model = 4096, heads = 32, context = 4096 tokens
  ${says}
}
cluster pod extends dgx_h200 { nodes = 4 }
stage s {
  model = m, data = web, batch = 64 samples, length = 1B tokens, engine = megatron
  optimizer = adamw(lr = 3e-4)
  layout { ${layout} }
  ${rest}
}
launch l on pod { target = slurm() }`);
  return { stage: plan.stages[0], told: diagnostics.filter(({ severity }) => severity === "error") };
}

const pins =
  "tensor_parallel = 4, pipeline_parallel = 2, expert_parallel = 2, context_parallel = 1, micro_batch = 1 samples, recompute = full";

describe("ranks that share each expert", () => {
  it("hold a part of its matrices, and gather each other's tokens", () => {
    const [whole, cut] = [planned(pins).stage, planned(`${pins}, expert_tensor_parallel = 4`).stage];
    expect(whole?.layout.expert_tensor_parallel).toBe(1);
    expect(cut?.layout.expert_tensor_parallel).toBe(4);
    // 32 layers on two stages, four experts a rank: three quarters of them are elsewhere.
    const experts = 16 * 4 * 3 * 4096 * 14336;
    const spared = (whole?.memory.parts.weights ?? 0) - (cut?.memory.parts.weights ?? 0);
    expect(spared / (2 * 0.75 * experts)).toBeCloseTo(1, 1);
    expect(cut?.time.parts["expert_comm"]).toBeGreaterThan(2 * (whole?.time.parts["expert_comm"] ?? 0));
    expect(cut?.time.parts["data_comm"]).toBeLessThan(whole?.time.parts["data_comm"] ?? 0);
  });

  it("are chosen only where the layout speaks of them, and within what it says", () => {
    expect(planned("").stage?.layout.expert_tensor_parallel).toBe(1);
    expect(planned("expert_tensor_parallel in 2..4").stage?.layout.expert_tensor_parallel).toBeGreaterThan(1);
  });

  it("come from the engine's words too, and the layout is one that it starts", () => {
    const { stage, told } = planned("", "raw megatron { expert_tensor_parallel_size = 4 }");
    expect(told).toEqual([]);
    const { expert_tensor_parallel, expert_parallel, pipeline_parallel, world } = stage?.layout ?? {
      expert_tensor_parallel: 0,
      expert_parallel: 0,
      pipeline_parallel: 0,
      world: 1,
    };
    expect(expert_tensor_parallel).toBe(4);
    expect(world % (expert_tensor_parallel * expert_parallel * pipeline_parallel)).toBe(0);
    expect(stage?.origins["layout.expert_tensor_parallel"]?.kind).toBe("written");
  });

  it("are no matter of a model without experts that names them in the engine's words", () => {
    const says = "kv_heads = 32";
    const { stage, told } = planned("", "raw megatron { expert_tensor_parallel_size = 4 }", {
      family: "llama",
      says,
    });
    expect(told).toEqual([]);
    expect(stage?.layout.expert_tensor_parallel).toBe(1);
  });

  it.each([
    ["expert_tensor_parallel = 3", "experts of 14336 cannot be split into 3 equal parts"],
    [
      "expert_tensor_parallel = 8, expert_parallel = 8",
      "expert_parallel 8 x expert_tensor_parallel 8 = 64 does not divide 32 ranks",
    ],
  ])("are refused with the rule that does: %s", (layout, why) => {
    const [error] = planned(layout).told;
    expect(error?.code).toBe("cdr/layout-empty");
    expect(error?.message).toContain(why);
  });
});
