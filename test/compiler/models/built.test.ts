/** A miniature of each family: the trainer builds it, it learns, and it has as many parameters as planned. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { builtBy } from "../../../compiler/models/build.ts";
import { families } from "../../../compiler/models/index.ts";
import { trainableOf } from "../../../compiler/models/measure.ts";
import { size } from "../../../compiler/passes/size.ts";
import type { Scalar } from "../../../compiler/pipeline.ts";
import { modelRequest } from "../../support/pipeline.ts";
import { hasPython, python } from "../../support/python.ts";

const small: Readonly<Record<string, Scalar>> = {
  heads: 2,
  kv_heads: 1,
  head_dim: 16,
  d_ff: 48,
  "moe.experts": 4,
  "moe.top_k": 2,
  "moe.d_ff": 16,
  "moe.shared_d_ff": 16,
  "mla.q_rank": 16,
  "mla.kv_rank": 16,
  "mla.nope_dim": 16,
  "mla.rope_dim": 8,
  "mla.v_dim": 16,
  "ssm.state": 8,
  "ssm.head_dim": 16,
  "ssm.groups": 1,
  "rwkv.head_dim": 16,
  window: 8,
};
/** One layer of each kind. */
const patterns: Readonly<Record<string, string>> = {
  nemotron_h: "M*-E",
  bamba: "M*",
  gemma2: "LG",
  gemma3: "LG",
  gpt_oss: "SF",
  cdrmix: "R*",
};

it.runIf(hasPython)(
  "every family builds, runs forward and backward, and counts as planned",
  () => {
    const cases = Object.values(families).map((family) => {
      const free = Object.entries(small).filter(([name]) => {
        const property = name as keyof typeof family.defaults;
        const follows = name === "moe.d_ff" && family.defaults["moe.d_ff"]?.rule === "d_ff";
        return property in family.defaults && family.fixed[property] === undefined && !follows;
      });
      const pattern = patterns[family.name];
      const values = {
        d_model: 32,
        vocab: 96,
        context: 32,
        ...Object.fromEntries(free),
        ...(pattern === undefined ? { layers: 2 } : { pattern }),
      };
      const { model, diagnostics } = size(modelRequest(family.name, values));
      if (model === null) throw new Error(`${family.name}: ${diagnostics.map((d) => d.message).join("; ")}`);
      return { family, model, parameters: trainableOf(family, model) };
    });
    const parts = cases.map(({ family, model, parameters }) => ({
      family: family.name,
      build: builtBy(family, model),
      vocab: model.vocab,
      parameters,
    }));
    const out: unknown = JSON.parse(
      execFileSync(python(), [join(import.meta.dirname, "../../support/step.py")], {
        input: JSON.stringify(parts),
        encoding: "utf8",
        stdio: ["pipe", "pipe", "ignore"],
      }),
    );
    const found = out as readonly {
      loss?: number;
      parameters?: number;
      moved?: number;
      lacks?: string[];
      error?: string;
    }[];
    const told = cases.map(({ family, parameters }, i) => {
      const { loss = NaN, parameters: counted, moved = 0, lacks, error } = found[i] ?? {};
      // A model that knows nothing yet is off by the logarithm of its vocabulary.
      const fresh = Math.abs(loss - Math.log(96)) < 1;
      return (
        error ??
        `${family.name} ${String(counted === parameters)} ${String(fresh || loss)} ${String(moved > 0)} ${String(lacks)}`
      );
    });
    expect(told).toEqual(
      cases.map(({ family }) => `${family.name} true true true ${String(family.build.lacks ?? [])}`),
    );
  },
  300_000,
);
