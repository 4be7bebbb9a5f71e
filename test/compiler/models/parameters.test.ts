import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { size } from "../../../compiler/passes/size.ts";
import type { FamilyName, Scalar } from "../../../compiler/pipeline.ts";
import type { SizedModel } from "../../../compiler/plan.ts";
import { count } from "../../../bench/parameters.ts";
import { modelRequest } from "../../support/pipeline.ts";
import { hasPython, python } from "../../support/python.ts";
import { random } from "../../support/random.ts";

type Values = Readonly<Record<string, Scalar>>;

function sized(family: FamilyName, values: Values): SizedModel {
  const { model, diagnostics } = size(modelRequest(family, values));
  if (model === null) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return model;
}

/** Shapes over everything the three classes can vary. */
function cases(n: number): (readonly [FamilyName, Values])[] {
  const { pick, below } = random(20260823);
  return Array.from({ length: n }, () => {
    const family = pick(["gpt2", "gpt_neox", "llama"] as const);
    const heads = pick([1, 2, 3, 4, 6, 8, 12]);
    const d_model = heads * pick([16, 32, 40, 64]);
    const shared = {
      heads,
      d_model,
      layers: 1 + below(5),
      d_ff: 8 + below(4000),
      vocab: 100 + below(60000),
      context: 64 + below(4000),
      tied: pick([true, false]),
    };
    switch (family) {
      case "gpt2":
        return [family, shared] as const;
      case "gpt_neox": {
        const free = {
          parallel_residual: pick([true, false]),
          qkv_bias: pick([true, false]),
          rotary_fraction: pick([0.25, 0.5, 1]),
        };
        return [family, { ...shared, ...free }] as const;
      }
      case "llama": {
        const kv_heads = pick([1, 2, 3, 4, 6, 8, 12].filter((d) => heads % d === 0));
        const free = {
          kv_heads,
          head_dim: pick([16, 48, 64, 128]),
          bias: pick([true, false]),
          qkv_bias: pick([true, false]),
        };
        return [family, { ...shared, ...free }] as const;
      }
    }
  });
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
    "are those of the modules that transformers builds",
    () => {
      const models = [...cases(60), ...published.map(([family, values]) => [family, values] as const)].map(
        ([family, values]) => sized(family, values),
      );
      const script = join(import.meta.dirname, "../../support/parameters.py");
      const out = execFileSync(python(), [script], {
        input: JSON.stringify(models),
        encoding: "utf8",
        stdio: ["pipe", "pipe", "ignore"],
      });
      expect(models.map((m) => m.parameters.total)).toEqual(JSON.parse(out));
    },
    180_000,
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
