/** A pipeline small enough to train in seconds on a CPU: text files -> bytes -> a two-layer model -> text. */
import type { BundleFile, StepRun } from "../../compiler/bundle/steps.ts";
import type { PrepareConfig, TokenizerConfig, WeightsConfig } from "../../compiler/bundle/data-programs.ts";
import type { EvaluateConfig, GenerateConfig, ModelConfig, TrainConfig } from "../../compiler/bundle/programs.ts";
import type { StartedLaunch } from "../../compiler/pipeline.ts";
import { trainerFiles } from "../../compiler/bundle/trainer.ts";
import type { Compiled } from "../../runtime/run/compiled.ts";

export interface TinyOptions {
  readonly steps?: number;
  readonly processes?: number;
  readonly checkpointEvery?: number | null;
  readonly patterns?: readonly string[];
  readonly tokenizer?: TokenizerConfig;
  readonly weights?: WeightsConfig;
  readonly env?: StartedLaunch["env"];
}

const layers = 2;
const width = 32;
const hidden = 64;
const rows = 260;

const parameters = rows * width + layers * (4 * width * width + 3 * width * hidden + 2 * width) + width;

const model: ModelConfig = {
  family: "llama",
  build: {
    model: "LlamaForCausalLM",
    config: "LlamaConfig",
    values: {
      vocab_size: rows,
      initializer_range: 0.02,
      tie_word_embeddings: true,
      hidden_size: width,
      num_hidden_layers: layers,
      num_attention_heads: 2,
      num_key_value_heads: 2,
      intermediate_size: hidden,
      max_position_embeddings: 64,
      rms_norm_eps: 1e-5,
    },
  },
  shape: {
    layers,
    d_model: width,
    heads: 2,
    kv_heads: 2,
    head_dim: 16,
    d_ff: hidden,
    vocab: rows,
    context: 64,
    tied: true,
    bias: false,
    qkv_bias: false,
    norm: "rms",
    norm_eps: 1e-5,
    activation: "silu",
    gated: true,
    qk_norm: false,
    parallel_residual: false,
    positions: "rope",
    rotary_fraction: 1,
    rope_theta: 10_000,
    dropout: 0,
    init_std: 0.02,
  },
  vocab: rows,
  context: 64,
  tied: true,
  parameters,
};

export function tinyLaunch(env: StartedLaunch["env"] = {}): StartedLaunch {
  const span = { source: { path: "tiny.cdr", text: "" }, start: 0, end: 0 };
  return {
    name: "here",
    span,
    spans: new Map(),
    cluster: {
      name: "here",
      span,
      device: {
        name: "cpu",
        kind: "cpu",
        memory: 4e9,
        flops: { fp32: 5e10, bf16: 5e10, fp16: 5e10 },
        bandwidth: 2e10,
      },
      nodes: 1,
      gpusPerNode: 1,
      ram: 8e9,
      cores: 2,
      link: 1e10,
      network: 1e9,
      price: null,
    },
    target: { kind: "local", grace: 30 },
    env: { OMP_NUM_THREADS: "1", ...env },
  };
}

export function tiny(project: string, options: TinyOptions = {}): Compiled {
  const { steps = 40, processes = 1, checkpointEvery = 10, patterns = ["texts"] } = options;
  const files: BundleFile[] = [];
  const write = (path: string, value: PrepareConfig | TrainConfig | EvaluateConfig | GenerateConfig): string => {
    files.push({ path, text: `${JSON.stringify(value, null, 2)}\n` });
    return path;
  };
  const data = write("stages/corpus/prepare.json", {
    format: 1,
    step: "corpus",
    seed: 1,
    sources: [{ kind: "files", name: "texts", share: 1, max_epochs: null, patterns, column: "text" }],
    tokenizer: options.tokenizer ?? { kind: "bytes", specials: ["<|end|>"], vocab: rows },
    sequence: 64,
    document_end: true,
    split: { val: 0.1, seed: 1 },
    shuffle: true,
    limit_files: null,
  });
  const train = write("stages/pretrain/trainer.json", {
    format: 1,
    step: "pretrain",
    engine: "torch",
    deepspeed: null,
    seed: 7,
    determinism: "default",
    model,
    precision: "fp32",
    attention: "sdpa",
    recompute: "none",
    compile: false,
    world: processes,
    batch: { micro_batch: 4 / processes, accumulation: 1, global_batch: 4, sequence: 64 },
    length: { steps, tokens: steps * 256 },
    optimizer: { name: "adamw", lr: 3e-3, betas: [0.9, 0.95], eps: 1e-8, weight_decay: 0.1 },
    schedule: { name: "cosine", warmup_steps: 5, final_ratio: 0.1, cooldown_steps: 0 },
    clip: 1,
    eval: { every_steps: 20, batches: 2 },
    log: { every_steps: 1 },
    checkpoint: { every_steps: checkpointEvery, every_seconds: null, keep_last: 2, keep_best: null },
    resume: "exact",
    from_input: options.weights !== undefined,
    ...(options.weights === undefined ? {} : { weights: options.weights }),
    expectations: [],
    track: [],
  });
  const generate = write("stages/sample/generate.json", {
    format: 1,
    step: "sample",
    seed: 3,
    prompts: ["The "],
    max_tokens: 24,
    temperature: 0.8,
    top_k: null,
    top_p: null,
  });
  const common = { files: [], nodes: 1, processes: 1, device: "cpu", root: "runs", estimate: null } as const;
  const runs: StepRun[] = [
    {
      ...common,
      name: "corpus",
      kind: "data",
      program: "prepare",
      config: data,
      inputs: [],
      total: null,
      unit: "bytes",
    },
    {
      ...common,
      name: "pretrain",
      kind: "stage",
      program: "train",
      config: train,
      processes,
      inputs: [{ name: "data", step: "corpus", which: "result" }],
      total: steps,
      unit: "steps",
      estimate: { memory: 5e8, step_seconds: 0.05 },
    },
    {
      ...common,
      name: "sample",
      kind: "sample",
      program: "generate",
      config: generate,
      inputs: [{ name: "model", step: "pretrain", which: "last" }],
      total: 1,
      unit: "prompts",
    },
  ];
  const listing = { path: "steps.json", text: JSON.stringify(runs) };
  const bundle = { files: [...files, listing, ...trainerFiles()], steps: runs };
  const read = new Set(runs.flatMap(({ inputs }) => inputs.map(({ step }) => step)));
  const declared = runs.map(({ name }) => ({ name, importedFrom: null, isEnd: !read.has(name) }));
  return { file: "tiny.cdr", project, flags: [], bundle, declared, launch: tinyLaunch(options.env) };
}

/** Some text to learn from; the same every time. */
export function tinyText(): string {
  const words = "the model reads the text and the text reads like a model of a small world with words in it".split(
    " ",
  );
  let state = 1;
  return Array.from({ length: 8000 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return words[state % words.length] ?? "";
  }).join(" ");
}
