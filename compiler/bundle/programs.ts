/**
 * What the Python programs of `trainer/` read: one JSON file per step, written by lowering.
 *
 * All sizes are bytes, all times seconds, all counts plain numbers. No file holds an absolute path: sources are
 * relative to the project (the folder of the `.cdr` file), artefacts of other steps arrive as named inputs on the
 * command line (`--input data=RUN_DIR@result`). The same plan therefore lowers to the same bytes on any machine.
 */
import type { Json, Shape } from "../models/family.ts";
import type { FamilyName } from "../pipeline.ts";
import type { WeightsConfig } from "./data-programs.ts";

/** `python -m cdr_trainer.node` starts one of these under torchrun (`train`, `measure`) or as a single process (the others). */
export type Program = "tokenize" | "prepare" | "train" | "evaluate" | "generate" | "measure";

/** The module that the training program builds. */
export interface ModelConfig {
  readonly family: FamilyName;
  /** Classes of `transformers` and the configuration's values; `null` for a family that the program has itself. */
  readonly build: {
    readonly model: string;
    readonly config: string;
    readonly values: Readonly<Record<string, Json>>;
  } | null;
  /** What the program's own families read. */
  readonly shape: Shape;
  readonly vocab: number;
  /** Longest sequence the model takes, in tokens. */
  readonly context: number;
  readonly tied: boolean;
  /** Exact count; the trainer refuses to start when the module it builds has another one. */
  readonly parameters: number;
}

export interface ScheduleConfig {
  /** The trainer has `cosine`, `linear`, `constant` and `wsd`, and refuses others. */
  readonly name: string;
  readonly warmup_steps: number;
  /** The last learning rate as a share of the first. */
  readonly final_ratio: number;
  /** `wsd` only: length of the decay at the end. */
  readonly cooldown_steps: number;
}

export interface CheckpointConfig {
  readonly every_steps: number | null;
  readonly every_seconds: number | null;
  /** How many of the newest to keep; `null` keeps all. */
  readonly keep_last: number | null;
  /** Keep the one with the lowest value of this metric as well. */
  readonly keep_best: "val_loss" | null;
}

/** A formula over the metrics that watches the run (`expect loss.at(10_000 steps) <= 3.2 else warn`). */
export interface Expectation {
  readonly source: string;
  readonly metric: string;
  readonly at_step: number | null;
  readonly op: "<" | "<=" | ">" | ">=" | "==";
  readonly value: number;
  readonly otherwise: "warn" | "stop";
}

/** What a stage trains of its model. */
export interface TuningConfig {
  /** Low-rank matrices, by the names of what they stand beside within a layer: modules, and parameters that are none. */
  readonly adapters: {
    readonly rank: number;
    readonly alpha: number;
    readonly dropout: number;
    readonly modules: readonly string[];
    readonly parameters: readonly string[];
  } | null;
  /** So many layers, from the input on, stay as they are, and have no adapters. */
  readonly layers: number;
  /** The tables of tokens and positions stay as they are. */
  readonly tables: boolean;
  /** Exact count of what is trained; the trainer refuses to start when it would be another one. */
  readonly parameters: number;
}

/** `train`: one stage. */
export interface TrainConfig {
  readonly format: 1;
  readonly step: string;
  readonly engine: "torch" | "deepspeed";
  /** File beside this one, or `null` for the `torch` engine. */
  readonly deepspeed: string | null;
  /** Of the `torch` engine, where its ranks share the model: the stage of ZeRO that this amounts to, and how many hold one copy. */
  readonly sharding?: { readonly stage: 2 | 3; readonly over: number };
  /** Where not all of the model is trained. */
  readonly tuning?: TuningConfig;
  readonly seed: number;
  readonly determinism: "default" | "bitwise";
  readonly model: ModelConfig;
  readonly precision: "fp32" | "bf16" | "fp16";
  readonly attention: "sdpa" | "eager" | "flash_attention_2";
  readonly recompute: "none" | "full";
  readonly compile: boolean;
  readonly world: number;
  /** Ranks that share a sequence; absent where each reads its own. */
  readonly context_parallel?: number;
  /** Ranks that share the experts of a layer; absent where each has all. */
  readonly expert_parallel?: number;
  /** Ranks that share the layers; absent where each has all. */
  readonly pipeline_parallel?: number;
  readonly batch: {
    readonly micro_batch: number;
    readonly accumulation: number;
    readonly global_batch: number;
    readonly sequence: number;
  };
  readonly length: { readonly steps: number; readonly tokens: number };
  readonly optimizer: {
    /** The trainer has `adamw`, and refuses others. */
    readonly name: string;
    readonly lr: number;
    readonly betas: readonly [number, number];
    readonly eps: number;
    /** On matrices only; norms, biases and embeddings of positions take none. */
    readonly weight_decay: number;
  };
  readonly schedule: ScheduleConfig;
  readonly clip: number | null;
  readonly eval: { readonly every_steps: number; readonly batches: number | null } | null;
  readonly log: { readonly every_steps: number };
  readonly checkpoint: CheckpointConfig;
  /** `exact`: continue from the newest valid checkpoint of this run; `never`: refuse to; `weights`: its weights only. */
  readonly resume: "exact" | "weights" | "never";
  /** True when the stage begins with weights: `--input from=DIR` names another step's checkpoint, or the folder of `weights`. */
  readonly from_input: boolean;
  readonly weights?: WeightsConfig;
  readonly expectations: readonly Expectation[];
  readonly track: readonly ("console" | "tensorboard" | "wandb")[];
}

/** `evaluate`: loss and perplexity of a checkpoint on a split. Inputs: `model`, `data`. */
export interface EvaluateConfig {
  readonly format: 1;
  readonly step: string;
  readonly seed: number;
  readonly precision: "fp32" | "bf16" | "fp16";
  readonly split: "train" | "val";
  readonly micro_batch: number;
  readonly batches: number | null;
}

/** `generate`: text from a checkpoint. Input: `model`. Writes `samples.jsonl` and prints the text. */
export interface GenerateConfig {
  readonly format: 1;
  readonly step: string;
  readonly seed: number;
  /** Texts, or a file of the project with one prompt a line. */
  readonly prompts: readonly string[] | { readonly file: string };
  readonly max_tokens: number;
  readonly temperature: number;
  readonly top_k: number | null;
  readonly top_p: number | null;
}

/** `measure`: what products, memory, attention and collectives of so many ranks take. Writes `measurements.json`. */
export interface MeasureConfig {
  readonly format: 1;
  readonly step: string;
  readonly seed: number;
  /** How often each case is sampled; the fastest counts. */
  readonly rounds: number;
  readonly dtypes: readonly ("float32" | "bfloat16")[];
  /** Rows, inputs, outputs. */
  readonly products: readonly (readonly [number, number, number])[];
  /** Sizes of what a memory-bound kernel reads and writes. */
  readonly bytes: readonly number[];
  /** Samples, heads, sequence, width of a head. */
  readonly attention: readonly (readonly [number, number, number, number])[];
  /** Sizes of collectives. */
  readonly messages: readonly number[];
}
