import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtBy } from "../../../compiler/models/build.ts";
import type { Family, Property } from "../../../compiler/models/family.ts";
import { families } from "../../../compiler/models/index.ts";
import { trainableOf } from "../../../compiler/models/measure.ts";
import { splitsWidth } from "../../../compiler/models/heads.ts";
import { size } from "../../../compiler/passes/size.ts";
import type { FamilyName, Scalar } from "../../../compiler/pipeline.ts";
import type { SizedModel } from "../../../compiler/plan.ts";
import { count } from "../../../bench/parameters.ts";
import { modelRequest } from "../../support/pipeline.ts";
import { hasPython } from "../../support/python.ts";
import { random } from "../../support/random.ts";
import { inTransformers } from "../../support/transformers.ts";

type Values = Readonly<Record<string, Scalar>>;

function sized(family: FamilyName, values: Values): SizedModel {
  const { model, diagnostics } = size(modelRequest(family, values));
  if (model === null) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return model;
}

const inputs = random(20260823);
const { pick, below } = inputs;
const yes = (): boolean => pick([true, false]);

/** A random model of a family over everything that it can vary. */
function anyModel(family: Family): Values {
  const recurrent = family.defaults["ssm.heads"] !== undefined || family.defaults["rwkv.head_dim"] !== undefined;
  const heads = pick(recurrent ? [1, 2, 4] : [1, 2, 3, 4, 6, 8, 12]);
  const isFree = !splitsWidth(family, { head_dim: 16 });
  const d_model = recurrent ? 64 * (1 + below(8)) : isFree ? 8 * (1 + below(90)) : heads * pick([16, 32, 40, 64]);
  const layers = 1 + below(12);
  const free: Record<string, Scalar> = {
    layers,
    d_model,
    vocab: 100 + below(60000),
    context: 64 + below(4000),
    tied: yes(),
  };
  const choices: Record<string, () => Scalar> = {
    heads: () => heads,
    kv_heads: () => pick([1, 2, 3, 4, 6, 8, 12].filter((d) => heads % d === 0)),
    head_dim: () => pick([16, 48, 64, 128]),
    d_ff: () => 8 + below(4000),
    bias: yes,
    qkv_bias: yes,
    qk_norm: yes,
    parallel_residual: yes,
    rotary_fraction: () => pick([0.5, 1]),
    "moe.experts": () => pick([4, 8, 15]),
    "moe.top_k": () => pick([1, 2, 3]),
    "moe.d_ff": () => 8 + below(500),
    "moe.shared_experts": () => pick([1, 2, 3]),
    "moe.shared_d_ff": () => 8 + below(500),
    "moe.first_dense": () => below(4),
    "moe.every": () => pick([1, 2, 3]),
    "mla.q_rank": () => pick([0, 24, 48]),
    "mla.kv_rank": () => pick([32, 64]),
    "mla.nope_dim": () => pick([16, 32]),
    "mla.rope_dim": () => pick([8, 16]),
    "mla.v_dim": () => pick([16, 24]),
    "ssm.state": () => pick([8, 16, 64]),
    "ssm.groups": () => pick([1, 2]),
    "ssm.head_dim": () => pick([16, 32, 64]),
    "ssm.conv": () => pick([2, 4]),
    "ssm.dt_rank": () => pick([4, 12]),
    window: () => pick([16, 128]),
    "moe.aux_loss": () => 0.01,
  };
  for (const [property, choose] of Object.entries(choices)) {
    const only = family.fixed[property as Property];
    if (!(property in family.defaults) || only === "derived") continue;
    if (property === "moe.d_ff" && family.defaults["moe.d_ff"]?.rule === "d_ff") continue;
    free[property] = only === undefined ? choose() : (only[below(only.length)] ?? choose());
  }
  if (family.name === "nemotron_h")
    free["pattern"] = Array.from({ length: layers }, () => pick(["M", "*", "-", "E"])).join("");
  if (family.name === "nemotron_h") free["tied"] = false;
  if (family.name === "bamba") free["pattern"] = Array.from({ length: layers }, () => pick(["M", "*"])).join("");
  // Falcon's one-norm and two-norm layouts follow from its key-value heads and its residual.
  if (family.name === "falcon") delete free["norms"];
  return free;
}

const published: readonly (readonly [FamilyName, Values, number])[] = [
  ["gpt2", { layers: 12, d_model: 768 }, 124439808],
  ["gpt2", { layers: 24, d_model: 1024 }, 354823168],
  ["gpt2", { layers: 36, d_model: 1280 }, 774030080],
  ["gpt2", { layers: 48, d_model: 1600 }, 1557611200],
  ["gpt_neox", { layers: 44, d_model: 6144, heads: 64 }, 20554567680],
  ["gpt_neox", { layers: 12, d_model: 768, vocab: 50304 }, 162322944],
  ["llama", { layers: 32, d_model: 4096, d_ff: 11008 }, 6738415616],
  ["llama", { layers: 16, d_model: 2048, heads: 32, kv_heads: 8, d_ff: 8192, vocab: 128256, tied: true }, 1235814400],
  ["llama", { layers: 22, d_model: 2048, heads: 32, kv_heads: 4, d_ff: 5632 }, 1100048384],
];

describe("parameter counts", () => {
  it.each(published)("%s %j has %i parameters, as published", (family, values, total) => {
    expect(sized(family, values).parameters.total).toBe(total);
  });

  it.runIf(hasPython)(
    "are those of the modules that the trainer builds",
    () => {
      const cases = Object.values(families)
        .flatMap((family) => Array.from({ length: 14 }, () => [family, anyModel(family)] as const))
        .flatMap(([family, values]) => {
          const model = sized(family.name, values);
          const build = builtBy(family, model);
          return build === null ? [] : [{ family, model, build }];
        });
      expect(new Set(cases.map(({ family }) => family.name)).size).toBe(Object.keys(families).length);
      const out = inTransformers(cases);
      const counted = cases.map(({ family, model }) => trainableOf(family, model));
      const wrong = cases.flatMap(({ model }, i) => {
        const theirs = out[i];
        return theirs === counted[i] ? [] : [`${JSON.stringify(model)}: ${String(theirs)}`];
      });
      expect(wrong).toEqual([]);
    },
    300_000,
  );

  it.runIf(hasPython)(
    "heads need not divide the width in just the families whose classes build such models",
    () => {
      const written = { layers: 6, heads: 6, kv_heads: 6, vocab: 100 };
      const cases = Object.values(families).flatMap((family) => {
        const isMla = family.defaults["mla.nope_dim"] !== undefined;
        if (family.fixed.head_dim !== undefined && !isMla) return [];
        const own = isMla ? {} : { head_dim: 16 };
        const shape = sized(family.name, { ...written, ...own, d_model: 192 });
        const build = builtBy(family, { ...shape, d_model: 128 });
        const { model } = size(modelRequest(family.name, { ...written, ...own, d_model: 128 }));
        return [{ family, build, taken: model !== null }];
      });
      const out = inTransformers(cases);
      const theirs = cases.map(({ family }, i) => [family.name, typeof out[i] === "number"]);
      expect(cases.map(({ family, taken }) => [family.name, taken])).toEqual(theirs);
      expect(theirs.filter(([, builds]) => builds === false).length).toBeGreaterThan(0);
      expect(theirs.filter(([, builds]) => builds === true).length).toBeGreaterThan(5);
    },
    300_000,
  );

  it("of the corpus' rows of these families all match", () => {
    const rows = readFileSync(join(import.meta.dirname, "../../fixtures/model-parameters.jsonl"), "utf8");
    const report = count(rows);
    expect(report.mismatches).toEqual([]);
    expect(report.exact).toBe(rows.trim().split("\n").length);
  });

  it("split into embedding and non-embedding", () => {
    const { parameters } = sized("gpt2", { layers: 12, d_model: 768 });
    expect(parameters.embedding).toBe((50257 + 1024) * 768);
    expect(parameters.embedding + parameters.non_embedding).toBe(parameters.total);
  });
});
