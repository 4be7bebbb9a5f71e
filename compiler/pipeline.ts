/**
 * The resolved pipeline: what the passes read. Everything is checked, typed and in plain units (bytes, seconds,
 * tokens, samples, steps, parameters, dollars); each value keeps its origin.
 */
import type { Origin } from "../dsl/eval/origin.ts";
import type { Span } from "../dsl/source/source.ts";
import type { Calibration } from "./calibration.ts";
import type { Expectation, PrepareConfig, SourceConfig, TokenizerConfig } from "./bundle/programs.ts";
import type { Document } from "./document.ts";
import type { Details } from "./planner/details.ts";

/** A value, where it was said (for diagnostics) and where it came from. */
export interface Given<T> {
  readonly value: T;
  readonly span: Span;
  readonly origin: Origin;
}

export type Scalar = number | string | boolean;

/** What `<=`, `>=` and `in` left of a property: they accumulate. */
export interface Bound {
  readonly min: number | null;
  readonly max: number | null;
  readonly oneOf: readonly Scalar[] | null;
  readonly spans: readonly Span[];
}

/** Values and bounds of a block by the names of `contracts.md`; nested blocks with a dot (`moe.experts`). */
export interface Settings {
  readonly given: ReadonlyMap<string, Given<Scalar>>;
  readonly bounds: ReadonlyMap<string, Bound>;
}

export type FamilyName =
  | "gpt2"
  | "gpt_neox"
  | "llama"
  | "mistral"
  | "mixtral"
  | "qwen2"
  | "qwen3"
  | "qwen3_moe"
  | "gemma"
  | "gemma2"
  | "gemma3"
  | "falcon"
  | "phi"
  | "olmo2"
  | "deepseek_v2"
  | "deepseek_v3"
  | "gpt_oss"
  | "mpt"
  | "nemotron"
  | "nemotron_h"
  | "bamba"
  | "mamba"
  | "mamba2"
  | "rwkv7"
  | "cdrmix";

export type EngineName = "torch" | "deepspeed" | "megatron";

/** A `model` block before sizing. */
export interface ModelRequest extends Settings {
  readonly name: string;
  readonly span: Span;
  readonly family: Given<FamilyName>;
  /** `size = auto(active = 1B params, within = 1%)`; `within` is a fraction. */
  readonly size: {
    readonly which: "total" | "active";
    readonly target: number;
    /** With `active`: all parameters, which a number of experts makes up. */
    readonly total?: number;
    /** How a budget decides the target. */
    readonly rule?: string;
    readonly within: number;
    readonly span: Span;
  } | null;
  /** Rows the tokenizer needs, when the model itself names no `vocab`. */
  readonly tokenizerVocab: Given<number> | null;
}

/** One kind of device; figures are the vendor's dense peaks, in FLOP/s and bytes/s. */
export interface Device {
  readonly name: string;
  readonly kind: "gpu" | "cpu";
  readonly memory: number;
  readonly flops: {
    readonly fp32: number;
    readonly bf16: number;
    readonly fp16: number;
    readonly fp8?: number;
    readonly fp4?: number;
  };
  readonly bandwidth: number;
  /** Watts, by its data sheet. */
  readonly power?: number;
}

export interface ClusterSpec {
  readonly name: string;
  readonly span: Span;
  readonly device: Device;
  readonly nodes: number;
  /** Devices per node; for a CPU machine, processes per node. */
  readonly gpusPerNode: number;
  /** Host memory per node in bytes and cores per node; `null` where nobody said. */
  readonly ram: number | null;
  /** Where a file of the user says it. */
  readonly ramSpan?: Span;
  readonly cores: number | null;
  /** Bytes of a node's own disk, where somebody said. */
  readonly disk?: number;
  /** Bytes/s, one direction, per device inside a node and per node between nodes. */
  readonly link: number;
  readonly network: number;
  /** Dollars per device and hour. */
  readonly price: number | null;
  /** What was measured of it, as far as the file says. */
  readonly calibration?: Partial<Calibration>;
  /** Where the file leaves the number of nodes to the planner. */
  readonly open?: OpenNodes;
}

/** What decides between numbers of nodes. */
export type Preference = "cheapest" | "fastest" | "fewest";

export interface OpenNodes {
  /** Ascending. */
  readonly nodes: readonly number[];
  readonly prefer: Preference;
  /** How the number in `nodes` of the cluster was chosen; absent until it is. */
  readonly reason?: string;
}

export type Length =
  | { readonly unit: "steps"; readonly value: number }
  | { readonly unit: "tokens"; readonly value: number }
  | { readonly unit: "samples"; readonly value: number }
  | { readonly unit: "epochs"; readonly value: number };

export type Period = { readonly unit: "steps" | "tokens" | "seconds"; readonly value: number };

export interface OptimizerSpec {
  /** A constructor of the language, or a plugin; the trainer has `adamw`. */
  readonly name: string;
  readonly lr: number;
  readonly betas: readonly [number, number];
  readonly eps: number;
  readonly weightDecay: number;
  /** Of `sgd`. */
  readonly momentum?: number;
  readonly span: Span;
}

/** Arithmetic of products; the narrow ones leave everything else in bf16. */
export type Precision = "fp32" | "bf16" | "fp16" | "fp8" | "fp4";

/** How `fp8` and `fp4` scale, where it was said, and whether weights are kept so. */
export interface NarrowSpec {
  readonly recipe: Given<string> | null;
  readonly weights: boolean;
}

/** What of a model is trained, where that is not all of it. */
export interface TuningSpec {
  /** Low-rank adapters beside the matrices of these parts; all weights are frozen then, and held in four bits where `quantized`. */
  readonly adapters: {
    readonly rank: number;
    /** An update counts `alpha / rank`. */
    readonly alpha: number;
    readonly dropout: number;
    readonly targets: readonly string[];
    readonly quantized: boolean;
    readonly span: Span;
  } | null;
  /** A share of the layers, from the input on, or the tables. */
  readonly freeze: { readonly lower: number } | "embeddings" | null;
}

export interface ScheduleSpec {
  /** A constructor of the language, or a plugin; the trainer has `cosine`, `linear`, `constant` and `wsd`. */
  readonly name: string;
  /** Steps, or a fraction of the run. */
  readonly warmup: { readonly unit: "steps" | "fraction" | "tokens"; readonly value: number };
  readonly cooldown: { readonly unit: "steps" | "fraction" | "tokens"; readonly value: number };
  /** Last rate over the first. */
  readonly to: number;
  readonly span: Span;
}

/** A value the program reads from an earlier step. */
export interface Handle {
  readonly step: string;
  readonly which: "last" | "best" | "result";
  readonly span: Span;
}

interface Step<K extends string> {
  readonly kind: K;
  readonly name: string;
  readonly span: Span;
  /** Names of the steps that must be done first, in order of reference. */
  readonly needs: readonly string[];
}

export interface TokenizerStep extends Step<"tokenizer"> {
  readonly tokenizer: Exclude<TokenizerConfig, { kind: "input" }>;
  readonly sources: readonly SourceConfig[];
  readonly seed: number;
}

/** `config.sequence` is filled in by the pass that knows the stage's context. */
export interface DataStep extends Step<"data"> {
  readonly config: PrepareConfig;
  /** The tokenizer step it reads, when `config.tokenizer.kind` is `input`. */
  readonly tokenizer: string | null;
  /** Tokens in the data, where the file states it. */
  readonly tokens: number | null;
}

export interface StageStep extends Step<"stage"> {
  readonly model: ModelRequest;
  readonly data: string;
  readonly from: Handle | null;
  /** `null`: the compiler chooses by what the layout asks for. */
  readonly engine: Given<EngineName> | null;
  /** Options of `engine = torch(…)` and `engine = deepspeed(…)`. */
  readonly sharding: {
    /** Ranks that share one copy; `null`: all of them. */
    readonly over: Given<number> | null;
    readonly quantize: Given<readonly ("weights" | "gradients")[]> | null;
    readonly nvme: Given<string> | null;
  };
  /** Options of `engine = megatron(…)`: its version as it was written, the folder of its programs, which of them, and its interpreter. */
  readonly megatron: {
    readonly version: Given<string> | null;
    /** Megatron Bridge instead of its own programs. */
    readonly entry?: Given<"bridge">;
    readonly root: string | null;
    readonly program: string | null;
    readonly python: string | null;
  };
  /** Tokens per sample. */
  readonly sequence: Given<number>;
  readonly length: Given<Length>;
  /** Samples or tokens per optimizer step, over all ranks. */
  /** `auto`: the planner sizes it, within `batchBound`. */
  readonly batch: Given<{ readonly unit: "samples" | "tokens" | "auto"; readonly value: number }>;
  /** In samples. */
  readonly batchBound?: Bound;
  readonly optimizer: OptimizerSpec;
  readonly schedule: ScheduleSpec;
  readonly clip: number | null;
  readonly precision: Given<Precision>;
  readonly narrow?: NarrowSpec;
  readonly tuning?: TuningSpec;
  readonly seed: number;
  readonly determinism: "default" | "bitwise";
  readonly attention: "sdpa" | "eager" | "flash_attention_2";
  readonly compile: boolean;
  readonly resume: "exact" | "weights" | "never";
  /** Pins and bounds in the plan's own names: `micro_batch`, `zero_stage`, `recompute`, `offload`, `tensor_parallel`, … */
  readonly layout: Settings;
  /** What it says beside the kinds of recomputation and offloading. */
  readonly details?: Details;
  readonly eval: { readonly every: Period; readonly batches: number | null } | null;
  readonly log: { readonly every: Period };
  readonly checkpoint: {
    readonly every: Period | null;
    readonly keepLast: number | null;
    readonly keepBest: "val_loss" | null;
  } | null;
  /** Root under which run directories are made, relative to the project or absolute; the default is `runs`. */
  readonly root: string;
  readonly track: readonly ("console" | "tensorboard" | "wandb")[];
  readonly expectations: readonly Expectation[];
  /** Bounds on what it may take: `cost` in dollars, `time` in seconds. */
  readonly limits: Settings;
  /** `raw deepspeed { … }`: keys as the engine spells them. */
  readonly raw: Readonly<Record<string, Document>>;
  readonly rawSpans: ReadonlyMap<string, Span>;
  /** `raw megatron { … }`, likewise. */
  readonly rawMegatron: Readonly<Record<string, Document>>;
  readonly rawMegatronSpans: ReadonlyMap<string, Span>;
}

export interface EvalStep extends Step<"eval"> {
  readonly model: Handle;
  readonly data: string;
  readonly split: "train" | "val";
  readonly batches: number | null;
  readonly seed: number;
}

export interface SampleStep extends Step<"sample"> {
  readonly model: Handle;
  /** Texts, or a file with one prompt a line. */
  readonly prompts: readonly string[] | { readonly file: string };
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topK: number | null;
  readonly topP: number | null;
  readonly seed: number;
}

export type PipelineStep = TokenizerStep | DataStep | StageStep | EvalStep | SampleStep;

/** How and where: the `launch` that was chosen, or the default of `--target`. */
export interface LaunchSpec {
  readonly name: string;
  /** Where it is declared, and where each option was written (`time`, `raw.mail-type`, `env.HF_TOKEN`). */
  readonly span: Span;
  readonly spans: ReadonlyMap<string, Span>;
  readonly cluster: ClusterSpec;
  readonly target: { readonly kind: "local"; readonly grace: number } | ({ readonly kind: "slurm" } & SlurmOptions);
  /** Plain values only; a secret is named, never read: `{ secret: "WANDB_API_KEY" }`. */
  readonly env: Readonly<Record<string, string | { readonly secret: string }>>;
}

export interface SlurmOptions {
  readonly partition: string | null;
  readonly account: string | null;
  readonly qos: string | null;
  /** Seconds; `null` leaves it to the partition. */
  readonly time: number | null;
  readonly requeue: boolean;
  /** Seconds between the save signal and the end of the job. */
  readonly lead: number;
  readonly exclusive: boolean;
  /** Cores per node; `null` leaves it to the site. */
  readonly cpus: number | null;
  /** Bytes per node; 0 asks for all of it, `null` leaves it to the site. */
  readonly memory: number | null;
  readonly constraint: string | null;
  readonly reservation: string | null;
  /** Further directives as written in `raw sbatch { … }`. */
  readonly raw: Readonly<Record<string, string | number | boolean>>;
}

/** All steps a file says, in an order in which each follows what it needs. */
export interface Pipeline {
  readonly steps: readonly PipelineStep[];
  readonly launch: LaunchSpec;
}
