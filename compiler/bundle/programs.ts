/**
 * What the Python programs of `trainer/` read: one JSON file per step, written by lowering.
 *
 * All sizes are bytes, all times seconds, all counts plain numbers. No file holds an absolute path: sources are
 * relative to the project (the folder of the `.cdr` file), artefacts of other steps arrive as named inputs on the
 * command line (`--input data=RUN_DIR@result`). The same plan therefore lowers to the same bytes on any machine.
 */
import type { Json, Shape } from "../models/family.ts";
import type { ChatTemplate, FamilyName } from "../pipeline.ts";

/** `python -m cdr_trainer.node` starts one of these under torchrun (`train`, `measure`) or as a single process (the others). */
export type Program = "tokenize" | "prepare" | "train" | "evaluate" | "generate" | "measure";

/** Where documents come from. */
export type SourceConfig = {
  readonly name: string;
  /** Share of the mix; the shares of one data set sum to 1. */
  readonly share: number;
  /** `null`: as often as the mix needs; otherwise at most so many passes over the source. */
  readonly max_epochs: number | null;
} & (
  | {
      readonly kind: "files";
      /** Globs relative to the project (`**` recurses; a folder means everything below it). */
      readonly patterns: readonly string[];
      /** Column or key that holds the text of jsonl, parquet and csv rows. */
      readonly column: string;
    }
  /** The text that every Python installation has: its standard library's sources, or its documentation strings. */
  | { readonly kind: "python_stdlib"; readonly part: "source" | "docs" }
  | {
      readonly kind: "hub";
      readonly repository: string;
      readonly subset: string | null;
      readonly split: string;
      readonly revision: string | null;
      readonly column: string;
      /** Name of the environment variable that holds the access token on the target. */
      readonly token_env: string | null;
    }
);

export type TokenizerConfig =
  /** Values 0-255 are the bytes, then the specials in order (`<|end|>` first). `vocab` = 256 + specials, padded. */
  | { readonly kind: "bytes"; readonly specials: readonly string[]; readonly vocab: number }
  /** Byte-level BPE, learned on at most `sample_bytes` of the documents. */
  | {
      readonly kind: "bpe";
      readonly specials: readonly string[];
      readonly vocab: number;
      readonly sample_bytes: number;
    }
  /** A `tokenizer.json` relative to the project. */
  | { readonly kind: "file"; readonly path: string; readonly end: string; readonly vocab: number }
  /** Made by an earlier step: `--input tokenizer=DIR`. */
  | { readonly kind: "input"; readonly vocab: number | null }
  /** Of the Hub, or a folder of the project. `vocab` is `null` where only the tokenizer knows it, `end` where it names one. */
  | {
      readonly kind: "hf";
      readonly name: string;
      readonly revision: string | null;
      readonly end: string | null;
      readonly token_env: string | null;
      readonly vocab: number | null;
    }
  /** Made by others; no program loads one yet. */
  | { readonly kind: "tiktoken" | "sentencepiece"; readonly name: string; readonly vocab: number | null };

/** Weights that others trained; the node agent fetches them, and the program gets their folder as its input `from`. */
export type WeightsConfig =
  | {
      readonly kind: "hub";
      readonly repository: string;
      /** Branch, tag or commit; `null`: its main branch. */
      readonly revision: string | null;
      readonly token_env: string | null;
    }
  /** As `transformers` saves them, relative to the project. */
  | { readonly kind: "folder"; readonly path: string };

/** `tokenize`: learns a tokenizer and writes `tokenizer.json`, `meta.json`. */
export interface TokenizeConfig {
  readonly format: 1;
  readonly step: string;
  readonly seed: number;
  readonly sources: readonly SourceConfig[];
  readonly tokenizer: Exclude<TokenizerConfig, { kind: "input" }>;
}

/**
 * `prepare`: documents -> `tokenizer.json`, `train.bin`, `val.bin`, their document index, `meta.json`;
 * conversations -> `train.jsonl`, `val.jsonl`, `meta.json`, and the tokenizer where it is a file or made here.
 */
export interface PrepareConfig {
  readonly format: 1;
  readonly step: string;
  readonly seed: number;
  readonly sources: readonly SourceConfig[];
  readonly tokenizer: TokenizerConfig;
  /** Rows are conversations, whose `column` (of each source) holds messages; who writes their turns out. */
  readonly conversations?: { readonly template: ChatTemplate };
  /** Length of one packed training sample, in tokens. */
  readonly sequence: number;
  /** Put an end token after every document. */
  readonly document_end: boolean;
  /** Shares of documents; `train` takes the rest. */
  readonly split: { readonly val: number; readonly seed: number };
  readonly shuffle: boolean;
  /** `null`: all of it; otherwise stop after so many files. */
  readonly limit_files: number | null;
}

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

/** What the node agent knows of a stage whose engine brings its own program: `script` starts that on one node. */
export interface OwnProgramConfig {
  readonly format: 1;
  readonly step: string;
  /** Beside this file. */
  readonly script: string;
  readonly world: number;
  readonly model: Pick<ModelConfig, "parameters">;
  readonly batch: Pick<TrainConfig["batch"], "global_batch" | "sequence">;
  readonly length: Pick<TrainConfig["length"], "steps">;
  readonly checkpoint: CheckpointConfig;
  readonly expectations: readonly Expectation[];
  /** The interpreter that the script starts, and what must be installed for it. */
  readonly python: string;
  readonly needs: readonly PackageNeed[];
  readonly device: DeviceNeed | null;
  /** Files outside of the run that arguments name by their whole path, or without which they start nothing. */
  readonly files: readonly FileNeed[];
}

export interface FileNeed {
  readonly path: string;
  readonly because: string;
  /** A file of the run that does instead. */
  readonly unless?: string;
}

/** A package that rules ask for and that only the job's own environment can tell. */
export interface PackageNeed {
  readonly package: string;
  /** Its name in Python, where that is not its own. */
  readonly module?: string;
  /** `null`: any version. */
  readonly at_least: string | null;
  readonly because: string;
}

/** The least compute capability of the node's GPUs. */
export interface DeviceNeed {
  readonly capability: number;
  readonly because: string;
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
