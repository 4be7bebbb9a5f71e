/** Stages of every form that Megatron takes, as launches. */
import { launchOf, type Launch } from "../../compiler/engines/megatron/lower/launch.ts";
import { chatTemplates } from "../../compiler/kinds/data/source.ts";
import { plan } from "../../compiler/passes/parallelize.ts";
import type { ClusterSpec, FamilyName, Scalar, StageStep } from "../../compiler/pipeline.ts";
import type { StagePlan } from "../../compiler/plan.ts";
import { cluster, device, given, modelRequest, pipeline, settings, span, stage } from "./pipeline.ts";

export interface MegatronCase {
  readonly name: string;
  readonly step: StageStep;
  readonly plan: StagePlan;
  readonly on: ClusterSpec;
  readonly launch: Launch;
}

const shapes: Readonly<Record<string, readonly [FamilyName, Readonly<Record<string, Scalar>>]>> = {
  gpt2: ["gpt2", { layers: 12, d_model: 768 }],
  llama: ["llama", { layers: 16, d_model: 2048, heads: 32, kv_heads: 8, context: 4096 }],
  neox: ["gpt_neox", { layers: 8, d_model: 1024, parallel_residual: false }],
  mistral: ["mistral", { layers: 8, d_model: 1024, kv_heads: 8, window: 512 }],
  qwen2: ["qwen2", { layers: 8, d_model: 1024, kv_heads: 8 }],
  qwen3: ["qwen3", { layers: 8, d_model: 1024 }],
  nemotron: ["nemotron", { layers: 8, d_model: 1024 }],
  mixtral: ["mixtral", { layers: 8, d_model: 1024, context: 4096 }],
  qwen3_moe: ["qwen3_moe", { layers: 8, d_model: 1024, "moe.experts": 16, "moe.top_k": 4 }],
  deepseek_v2: ["deepseek_v2", { layers: 8, d_model: 2048, "moe.experts": 16 }],
  deepseek_v3: ["deepseek_v3", { layers: 8, d_model: 2048, "mla.q_rank": 1536, "moe.experts": 32 }],
  nemotron_h: ["nemotron_h", { layers: 12, d_model: 2048 }],
  mamba2: ["mamba2", { layers: 12, d_model: 1024, "ssm.groups": 8 }],
};

const layouts: Readonly<Record<string, Readonly<Record<string, Scalar>>>> = {
  chosen: {},
  tensor: { tensor_parallel: 4 },
  pipeline: { pipeline_parallel: 2, tensor_parallel: 2 },
  interleaved: { pipeline_parallel: 2, virtual_pipeline: 2, micro_batch: 1 },
  dealt: { pipeline_parallel: 2, virtual_pipeline: 3, micro_batch: 1 },
  context: { context_parallel: 2, tensor_parallel: 2 },
  experts: { expert_parallel: 4, tensor_parallel: 2 },
  sharded: { zero_stage: 1, recompute: "full" },
  selective: { tensor_parallel: 2, recompute: "selective", zero_stage: 1 },
};

const variants: readonly Partial<StageStep>[] = [
  {},
  {
    schedule: {
      ...stage(modelRequest("llama", {})).schedule,
      name: "wsd",
      cooldown: { unit: "fraction", value: 0.2 },
    },
    checkpoint: { every: { unit: "steps", value: 100 }, keepLast: 1, keepBest: null },
    eval: { every: { unit: "steps", value: 50 }, length: { unit: "batches", value: 4 } },
  },
  {
    schedule: { ...stage(modelRequest("llama", {})).schedule, name: "constant", to: 1 },
    precision: given("fp32"),
    clip: null,
    track: ["console", "wandb"],
    checkpoint: { every: null, keepLast: 3, keepBest: null },
    resume: "weights",
  },
  {
    precision: given("fp16"),
    determinism: "bitwise",
    attention: "eager",
    from: { step: "before", which: "last", span },
    checkpoint: { every: { unit: "tokens", value: 1e8 }, keepLast: null, keepBest: null },
  },
];

const narrow: readonly (readonly [string, string, Partial<StageStep>])[] = [
  ["fp8", "h100_sxm", { precision: given("fp8") }],
  ["fp8 by blocks", "h100_sxm", { precision: given("fp8"), narrow: { recipe: given("blockwise"), weights: false } }],
  ["fp8 weights", "h100_sxm", { precision: given("fp8"), narrow: { recipe: given("delayed"), weights: true } }],
  ["fp8 on Blackwell", "b200", { precision: given("fp8") }],
  ["fp8 weights on Blackwell", "b200", { precision: given("fp8"), narrow: { recipe: null, weights: true } }],
  ["fp4", "b200", { precision: given("fp4") }],
];

/** Dense models and experts with products in 8 and 4 bits, and a model that predicts more than the next token. */
export function narrowCases(version: string, options: Partial<StageStep["megatron"]> = {}): readonly MegatronCase[] {
  const megatron = { version: given(version), root: null, program: null, python: null, ...options };
  const layout = { given: settings({ tensor_parallel: 2, zero_stage: 1 }), bounds: new Map() };
  const made = (shape: string, name: string, gpu: string, changes: Partial<StageStep>): MegatronCase => {
    const [family, values] = shapes[shape] ?? ["llama", {}];
    const common = { engine: given("megatron" as const), megatron, layout };
    const step = stage(modelRequest(family, values), { ...common, ...changes });
    return planned(`${shape}, ${name}`, step, cluster({ device: device(gpu) }));
  };
  return [
    ...["llama", "mixtral"].flatMap((shape) => narrow.map(([name, gpu, changes]) => made(shape, name, gpu, changes))),
    made("deepseek_v3", "two tokens at once", "h100_sxm", {
      rawMegatron: { mtp_num_layers: 1, mtp_loss_scaling_factor: 0.3 },
    }),
  ];
}

const optimizers: Readonly<Record<string, Partial<StageStep["optimizer"]>>> = {
  "plain muon": { name: "muon", momentum: 0.95, muon: { nesterov: false, iterations: 5, rates: [] } },
  "muon that looks ahead": { name: "muon", momentum: 0.9, muon: { nesterov: true, iterations: 6, rates: [] } },
  sgd: { name: "sgd", momentum: 0.9 },
};

/** A dense model under each optimizer that has words of its own. */
export function optimizerCases(version: string): readonly MegatronCase[] {
  const megatron = { version: given(version), root: null, program: null, python: null };
  const [family, values] = shapes["llama"] ?? ["llama", {}];
  const { optimizer } = stage(modelRequest(family, values));
  return Object.entries(optimizers).map(([name, changes]) => {
    const step = stage(modelRequest(family, values), {
      engine: given("megatron" as const),
      megatron,
      optimizer: { ...optimizer, ...changes },
      layout: { given: settings({ tensor_parallel: 2 }), bounds: new Map() },
    });
    return planned(name, step, cluster());
  });
}

/** Conversations by each template, their tokenizer made before them or opened by its name. */
export function conversationCases(version: string): readonly MegatronCase[] {
  const megatron = { version: given(version), root: null, program: null, python: null };
  const [family, values] = shapes["llama"] ?? ["llama", {}];
  return chatTemplates.map((template, at) => {
    const named = {
      kind: "hf",
      name: "owner/name",
      revision: null,
      end: null,
      token_env: null,
      vocab: null,
    } as const;
    const read = { kind: "file", path: "tokenizer.json", end: "<end>", vocab: 32_000 } as const;
    const step = stage(modelRequest(family, values), {
      engine: given("megatron" as const),
      megatron,
      conversations: {
        template,
        tokenizer: at % 2 === 0 ? named : read,
        counts: template.startsWith("nemotron") ? "answers" : "all",
        span,
        lossSpan: span,
      },
      eval: { every: { unit: "steps", value: 50 }, length: { unit: "batches", value: 4 } },
      layout: { given: settings({ tensor_parallel: 2, micro_batch: 1 }), bounds: new Map() },
    });
    return planned(`conversations by ${template}`, step, cluster());
  });
}

/** Models whose layers no pipeline of theirs divides. */
export function unevenCases(version: string): readonly MegatronCase[] {
  const megatron = { version: given(version), root: null, program: null, python: null };
  const made = (layers: number, stages: number): MegatronCase => {
    const layout = { given: settings({ pipeline_parallel: stages, virtual_pipeline: 1 }), bounds: new Map() };
    const common = { engine: given("megatron" as const), megatron, layout };
    const step = stage(modelRequest("llama", { layers, d_model: 1024 }), common);
    return planned(`${layers} layers in ${stages} stages`, step, cluster({ nodes: stages }));
  };
  return [made(16, 3), made(17, 3), made(15, 4)];
}

function planned(name: string, step: StageStep, on: ClusterSpec): MegatronCase {
  const { plan: all, diagnostics } = plan(pipeline(step, on));
  const [one] = all.stages;
  if (one === undefined) throw new Error(`${name}: ${diagnostics.map(({ message }) => message).join("; ")}`);
  return { name, step, plan: one, on, launch: launchOf({ stage: step, plan: one, cluster: on }) };
}

/** Every family under every layout that divides it, the rest of the stage in turn. */
export function megatronCases(
  version: string,
  options: Partial<StageStep["megatron"]> = {},
): readonly MegatronCase[] {
  let turn = 0;
  return Object.entries(shapes).flatMap(([shape, [family, values]]) =>
    Object.entries(layouts).flatMap(([name, pins]) => {
      const on = cluster({
        nodes: turn % 3 === 0 ? 2 : 1,
        device: device(turn % 2 === 0 ? "h100_sxm" : "a100_80gb"),
      });
      const step = stage(modelRequest(family, values), {
        engine: given("megatron" as const),
        megatron: { version: given(version), root: null, program: null, python: null, ...options },
        layout: { given: settings(pins), bounds: new Map() },
        ...variants[turn++ % variants.length],
      });
      const { plan: planned, diagnostics } = plan(pipeline(step, on));
      const [one] = planned.stages;
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      if (
        one === undefined ||
        errors.some(({ code }) => code.startsWith("cdr/layout") || code.startsWith("cdr/memory"))
      )
        return [];
      return [
        { name: `${shape}, ${name}`, step, plan: one, on, launch: launchOf({ stage: step, plan: one, cluster: on }) },
      ];
    }),
  );
}
