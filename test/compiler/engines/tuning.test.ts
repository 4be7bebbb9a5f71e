/** What the training program is told to train, where that is not all of a model. */
import { describe, expect, it } from "vitest";
import { adapters as rule } from "../../../compiler/engines/rules/adapters.ts";
import { adaptedMatrices, trainerTuning } from "../../../compiler/engines/trainer-tuning.ts";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { FamilyName, StageStep, TuningSpec } from "../../../compiler/pipeline.ts";
import type { StagePlan } from "../../../compiler/plan.ts";
import { cluster, given, modelRequest, pipeline, span, stage } from "../../support/pipeline.ts";

const on = cluster({ gpusPerNode: 1 });

interface Planned {
  readonly step: StageStep;
  readonly planned: StagePlan;
}

function planned(family: FamilyName, tuning: TuningSpec, more: Readonly<Record<string, string>> = {}): Planned {
  const request = modelRequest(family, { layers: 4, d_model: 64, vocab: 128, context: 32, ...more });
  const usual = stage(request, { engine: given("torch"), sequence: given(32) });
  const step = { ...usual, batch: given({ unit: "samples", value: 2 } as const), tuning };
  const [first] = plan(pipeline(step, on)).plan.stages;
  if (first === undefined) throw new Error(`${family} was not planned`);
  return { step, planned: first };
}

const lora = (targets: readonly string[], dropout = 0, freeze: TuningSpec["freeze"] = null): TuningSpec => ({
  adapters: { rank: 4, alpha: 8, dropout, targets, quantized: false, span },
  freeze,
});

const refusals = ({ step, planned }: Planned): readonly string[] =>
  rule.check(step, planned, on).map(({ message }) => message);

describe("the training program is told", () => {
  it("which modules get adapters, from which layer on, and how many parameters that are", () => {
    const { step, planned: one } = planned("llama", lora(["q", "down"], 0.1, { lower: 0.5, tables: false }));
    const { d_model, d_ff, heads, head_dim } = one.model;
    expect(trainerTuning(step, one)).toEqual({
      tuning: {
        adapters: { rank: 4, alpha: 8, dropout: 0.1, modules: ["self_attn.q_proj", "mlp.down_proj"], parameters: [] },
        layers: 2,
        tables: false,
        parameters: 2 * 4 * (d_model + heads * head_dim + d_ff + d_model),
      },
    });
  });

  it("which parameters do that are no modules", () => {
    const { planned: one } = planned("mixtral", lora(["all"]));
    expect(adaptedMatrices(one.model, lora(["all"]))).toMatchObject({
      parameters: ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"],
    });
  });

  it.each(["llama", "gpt2", "phi", "rwkv7"] as const)("what is left of a %s with frozen layers", (family) => {
    const of = (freeze: { readonly lower?: number; readonly tables?: boolean }): number => {
      const { step, planned: one } = planned(family, {
        adapters: null,
        freeze: { lower: 0, tables: false, ...freeze },
      });
      return trainerTuning(step, one).tuning?.parameters ?? 0;
    };
    const tables = (family === "gpt2" ? 128 + 32 : 128) * 64;
    const [one, two] = [of({ lower: 0.25 }), of({ lower: 0.5 })];
    expect(of({ lower: 0 }) - one - (one - two)).toBe(family === "rwkv7" ? 2 * 64 : 0);
    expect(of({ lower: 0 }) - of({ tables: true })).toBe(tables);
    expect(two - of({ lower: 0.5, tables: true })).toBe(tables);
  });

  it("nothing where all is trained", () => {
    const { step, planned: one } = planned("llama", lora(["q"]));
    const { tuning: _, ...whole } = step;
    expect(trainerTuning(whole, one)).toEqual({});
  });
});

describe("what peft makes no adapters of is refused", () => {
  it.each([
    ["llama", lora(["mamba"]), "no trained layer of the model"],
    ["mamba2", lora(["all"]), "reads mixer.out_proj directly"],
    ["deepseek_v3", lora(["mlp"]), "peft treats mlp.gate_proj as part of the experts"],
    ["rwkv7", lora(["time_mix"]), "adapters of att and of its parts"],
    ["mixtral", lora(["experts"], 0.1), "whose inputs could be dropped"],
  ] as const)("%s", (family, tuning, why) => {
    expect(refusals(planned(family, tuning)).join()).toContain(why);
  });

  it.each([
    ["llama", lora(["all"], 0.1)],
    ["mixtral", lora(["all"])],
    ["qwen3_moe", lora(["attention"], 0.1)],
    ["rwkv7", lora(["channel_mix"])],
    ["mamba2", { adapters: null, freeze: { lower: 0.5, tables: false } }],
  ] as const)("and nothing of %s", (family, tuning) => {
    expect(refusals(planned(family, tuning))).toEqual([]);
  });
});
