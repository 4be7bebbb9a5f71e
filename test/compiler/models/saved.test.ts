import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { engines } from "../../../compiler/engines/index.ts";
import { builtBy } from "../../../compiler/models/build.ts";
import { families } from "../../../compiler/models/index.ts";
import { savedBytesPerToken } from "../../../compiler/models/measure.ts";
import { size } from "../../../compiler/passes/size.ts";
import type { FamilyName, Scalar } from "../../../compiler/pipeline.ts";
import { modelRequest } from "../../support/pipeline.ts";
import { hasPython, python } from "../../support/python.ts";

const sequence = 192;
const shape = { d_model: 256, heads: 4, d_ff: 1000, vocab: 300, context: 256 };

const variants: readonly (readonly [FamilyName, Readonly<Record<string, Scalar>>])[] = [
  ["gpt2", {}],
  ["gpt2", { activation: "gelu" }],
  ["gpt2", { activation: "relu2" }],
  ["gpt2", { activation: "relu" }],
  ["gpt_neox", {}],
  ["gpt_neox", { parallel_residual: false }],
  ["llama", {}],
  ["llama", { heads: 8, kv_heads: 2, head_dim: 48 }],
  ["llama", { activation: "gelu_tanh" }],
  ["mistral", {}],
  ["qwen2", {}],
  ["qwen3", { head_dim: 64 }],
  ["gemma", { head_dim: 64 }],
  ["olmo2", {}],
  ["phi", {}],
  ["nemotron", {}],
];

/** Phi has one for attention and MLP together. */
const norms = (family: FamilyName): number => (family === "phi" ? 1 : 2);

/** How each engine runs a precision, in the script's words. */
const modes = [
  ["fp32", engines.torch.widths("fp32")],
  ["autocast", engines.torch.widths("bf16")],
  ["bf16", engines.deepspeed.widths("bf16")],
] as const;

describe("activation memory", () => {
  it.runIf(hasPython)(
    "is what autograd keeps for a layer, to the byte",
    () => {
      const cases = variants.flatMap(([family, values]) => {
        const [one, model] = [1, 2].map(
          (layers) => size(modelRequest(family, { ...shape, ...values, layers })).model,
        );
        if (one == null || model == null) throw new Error(`${family} does not build`);
        const models = [one, model].map((m) => ({ ...m, build: builtBy(families[family], m) }));
        return modes.map(([mode, widths]) => ({ model, models, mode, widths, sequence }));
      });
      const script = join(import.meta.dirname, "../../support/saved.py");
      const input = JSON.stringify(cases);
      const measured: unknown = JSON.parse(
        execFileSync(python(), [script], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] }),
      );
      const expected = cases.map(({ model, mode, widths }) => {
        const attention = { materialised: false, sequence };
        const bytes = savedBytesPerToken(families[model.family], model, widths, attention);
        // A CPU keeps the statistics of LayerNorm in bf16, a GPU in fp32.
        return mode === "bf16" && model.norm === "layer" ? bytes - 4 * norms(model.family) : bytes;
      });
      const told = (bytes: unknown) =>
        cases.map(
          ({ model, mode }, i) => `${model.family} ${mode} ${model.activation}: ${String((bytes as number[])[i])}`,
        );
      expect(told(measured)).toEqual(told(expected));
    },
    180_000,
  );
});
