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

type Variant = readonly [FamilyName, Readonly<Record<string, Scalar>>];

const variants: readonly Variant[] = [
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

/** Classes whose softmax has a way of its own; what they keep beside their scores is held above. */
const written: readonly Variant[] = [
  ["llama", {}],
  ["gpt2", {}],
  ["gemma2", { head_dim: 64 }],
  ["gpt_oss", { head_dim: 64 }],
  ["mpt", { d_ff: 1024 }],
];

/** Phi has one for attention and MLP together. */
const norms = (family: FamilyName): number => (family === "phi" ? 1 : 2);

/** OLMo 2 hands sines and cosines on in fp32, and FSDP casts what comes into each layer: of a sequence, not of each in a batch. */
const turned = ({ family, head_dim }: { readonly family: FamilyName; readonly head_dim: number }): number =>
  family === "olmo2" ? 2 * 2 * head_dim : 0;

/** How each engine runs a precision, in the script's words. */
const modes = [
  ["fp32", engines.torch.widths("fp32")],
  ["autocast", engines.torch.widths("bf16")],
  ["sharded", engines.torch.widths("bf16", true)],
  ["bf16", engines.deepspeed.widths("bf16")],
] as const;

const modelsOf = (family: FamilyName, values: Variant[1]) => {
  const models = [1, 2].map((layers) => {
    const { model } = size(modelRequest(family, { ...shape, ...values, layers }));
    if (model === null) throw new Error(`${family} does not build`);
    return { ...model, build: builtBy(families[family], model) };
  });
  const [one, model] = models;
  if (one === undefined || model === undefined) throw new Error(family);
  return { model, models };
};

describe("activation memory", () => {
  it.runIf(hasPython)(
    "is what autograd keeps for a layer, to the byte, and of written scores what grows with the sequence",
    () => {
      const fused = variants.flatMap(([family, values]) =>
        modes.map(([mode, widths]) => ({
          ...modelsOf(family, values),
          mode,
          widths,
          runs: [sequence],
          attention: "sdpa",
        })),
      );
      const eager = written.flatMap(([family, values]) =>
        modes.slice(1).map(([mode, widths]) => ({
          ...modelsOf(family, values),
          mode,
          widths,
          runs: [sequence / 2, sequence],
          attention: "eager",
        })),
      );
      const cases = [...fused, ...eager];
      const script = join(import.meta.dirname, "../../support/saved.py");
      const input = JSON.stringify(
        cases.flatMap(({ models, mode, runs, attention }) =>
          runs.map((tokens) => ({ models, mode, sequence: tokens, attention })),
        ),
      );
      const measured: unknown = JSON.parse(
        execFileSync(python(), [script], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] }),
      );
      const bytes = measured as number[];
      const found = [
        ...fused.map((_, i) => bytes[i] ?? NaN),
        ...eager.map((_, i) =>
          Math.round((bytes[fused.length + 2 * i + 1] ?? NaN) - (bytes[fused.length + 2 * i] ?? NaN)),
        ),
      ];
      const expected = cases.map(({ model, mode, widths, attention }) => {
        const kept = (tokens: number): number =>
          savedBytesPerToken(families[model.family], model, widths, {
            materialised: attention === "eager",
            sequence: tokens,
          });
        if (attention === "eager") return kept(sequence) - kept(sequence / 2);
        // A CPU keeps the statistics of LayerNorm in bf16, a GPU in fp32.
        const slimmer = widths.residual === 2 && model.norm === "layer" ? 4 * norms(model.family) : 0;
        return kept(sequence) - slimmer + (mode === "sharded" ? turned(model) : 0);
      });
      const told = (numbers: readonly number[]) =>
        cases.map(
          ({ model, mode, attention }, i) =>
            `${model.family} ${mode} ${attention} ${model.activation}: ${String(numbers[i])}`,
        );
      expect(told(found)).toEqual(told(expected));
    },
    180_000,
  );
});
