import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { engines } from "../../../compiler/engines/index.ts";
import { builtBy } from "../../../compiler/models/build.ts";
import { families } from "../../../compiler/models/index.ts";
import { savedBytesPerToken, widthsOnCards, type Widths } from "../../../compiler/models/measure.ts";
import { shapeOf } from "../../../compiler/planner/adapter/shape.ts";
import { size } from "../../../compiler/passes/size.ts";
import type { FamilyName, Scalar } from "../../../compiler/pipeline.ts";
import { modelRequest, span } from "../../support/pipeline.ts";
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
  ["falcon", {}],
  ["falcon", { kv_heads: 2 }],
  ["falcon", { kv_heads: 2, norms: 1 }],
  ["falcon", { kv_heads: 4, parallel_residual: false, bias: true, positions: "alibi" }],
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

/** Phi has one for attention and MLP together, Falcon one or two. */
const normsOf = ({ family, norms = 2 }: { readonly family: FamilyName; readonly norms?: number }): number =>
  family === "phi" ? 1 : norms;

/** OLMo 2 hands sines and cosines on in fp32, and FSDP casts what comes into each layer: of a sequence, not of each in a batch. */
const turned = ({ family, head_dim }: { readonly family: FamilyName; readonly head_dim: number }): number =>
  family === "olmo2" ? 2 * 2 * head_dim : 0;

type Sized = Parameters<typeof widthsOnCards>[1] & { readonly family: FamilyName };
type Mode = readonly [name: string, widths: (model: Sized) => Widths];

/** How each engine runs a precision, in the script's words. */
const onProcessors: readonly Mode[] = [
  ["fp32", () => engines.torch.widths("fp32")],
  ["autocast", () => engines.torch.widths("bf16")],
  ["sharded", () => engines.torch.widths("bf16", true)],
  ["bf16", () => engines.deepspeed.widths("bf16")],
];
const onCards: readonly Mode[] = [4, 2].map((stream) => [
  stream === 4 ? "cuda autocast" : "cuda sharded",
  (model) => widthsOnCards(families[model.family], model, 2, stream),
]);

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

/** The modules of Llama, and how `adapters` call them. */
const modules: readonly (readonly [targets: readonly string[], modules: readonly string[]])[] = [
  [
    ["q", "v"],
    ["self_attn.q_proj", "self_attn.v_proj"],
  ],
  [["attention"], ["q", "k", "v", "o"].map((name) => `self_attn.${name}_proj`)],
  [
    ["attention", "mlp"],
    [
      ...["q", "k", "v", "o"].map((name) => `self_attn.${name}_proj`),
      ...["gate", "up", "down"].map((name) => `mlp.${name}_proj`),
    ],
  ],
];

interface Asked extends ReturnType<typeof modelsOf> {
  readonly mode: string;
  readonly widths: Mode[1];
  readonly runs: readonly number[];
  readonly attention: "sdpa" | "eager";
  readonly adapters: { readonly rank: number; readonly dropout: number; readonly modules: readonly string[] } | null;
}

function measured(cases: readonly Asked[]): readonly number[] {
  const script = join(import.meta.dirname, "../../support/saved.py");
  const input = JSON.stringify(
    cases.flatMap(({ models, mode, runs, attention, adapters }) =>
      runs.map((tokens) => ({
        models,
        mode,
        sequence: tokens,
        attention,
        adapters: adapters && { ...adapters, alpha: 8, parameters: [] },
      })),
    ),
  );
  const found = JSON.parse(
    execFileSync(python(), [script], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] }),
  ) as number[];
  let at = 0;
  return cases.map(({ runs }) => {
    const [first = NaN, second] = found.slice(at, (at += runs.length));
    return second === undefined ? first : Math.round(second - first);
  });
}

function stated({ model, mode, widths, attention }: Asked): number {
  const kept = (tokens: number): number =>
    savedBytesPerToken(families[model.family], model, widths(model), {
      materialised: attention === "eager",
      masked: attention === "sdpa",
      sequence: tokens,
    });
  if (attention === "eager") return kept(sequence) - kept(sequence / 2);
  // A CPU keeps the statistics of LayerNorm in bf16, a GPU in fp32.
  const isSlim = mode === "sharded" || mode === "bf16";
  const slimmer = isSlim && model.norm === "layer" ? 4 * normsOf(model) : 0;
  return kept(sequence) - slimmer + (mode === "sharded" ? turned(model) : 0);
}

const fused = (modes: readonly Mode[]): Asked[] =>
  variants.flatMap(([family, values]) =>
    modes.map(([mode, widths]) => ({
      ...modelsOf(family, values),
      mode,
      widths,
      runs: [sequence],
      attention: "sdpa" as const,
      adapters: null,
    })),
  );

const eager = (): Asked[] =>
  written.flatMap(([family, values]) =>
    onProcessors.slice(1).map(([mode, widths]) => ({
      ...modelsOf(family, values),
      mode,
      widths,
      runs: [sequence / 2, sequence],
      attention: "eager" as const,
      adapters: null,
    })),
  );

describe("activation memory is what autograd keeps for a layer, to the byte", () => {
  it.runIf(hasPython).each([
    ["on processors, and of written scores what grows with the sequence", () => [...fused(onProcessors), ...eager()]],
    ["under CUDA's autocast, on tensors without memory", () => fused(onCards)],
  ])(
    "%s",
    (_, casesOf) => {
      const cases = casesOf();
      const told = (numbers: readonly number[]) =>
        cases.map(
          ({ model, mode, attention }, i) =>
            `${model.family} ${mode} ${attention} ${model.activation}: ${String(numbers[i])}`,
        );
      expect(told(measured(cases))).toEqual(told(cases.map(stated)));
    },
    180_000,
  );

  it.runIf(hasPython)(
    "beside adapters, which narrow what is frozen and copy what they read",
    () => {
      const cases = modules.flatMap(([targets, names]) =>
        [0, 0.1].flatMap((dropout) =>
          onCards.map(([mode, widths]) => ({
            ...modelsOf("llama", {}),
            mode,
            widths,
            targets,
            runs: [sequence],
            attention: "sdpa" as const,
            adapters: { rank: 8, dropout, modules: names },
          })),
        ),
      );
      const expected = cases.map(({ model, mode, targets, adapters: { rank, dropout } }) => {
        const tuning = { adapters: { rank, alpha: 8, dropout, targets, quantized: false, span }, freeze: null };
        const [block] = shapeOf(families.llama, model, 2, sequence, tuning).blocks;
        const { wide, cast } = block?.stated?.module ?? expect.fail("a block has a module");
        const { stream, inner } = mode === "cuda sharded" ? cast : wide;
        return stream + inner;
      });
      expect(measured(cases).map(Math.round)).toEqual(expected.map(Math.round));
    },
    180_000,
  );
});
