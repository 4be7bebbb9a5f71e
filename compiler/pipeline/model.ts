/** A model before it is sized. */
import type { Span } from "../../dsl/source/source.ts";
import type { LayerRule } from "../models/layered.ts";
import type { Given, Settings } from "./given.ts";

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

/** Hours, money or days that a model is sized for. */
export interface Budget {
  readonly goal: "gpu_hours" | "cost" | "time";
  /** Dollars, or seconds. */
  readonly amount: number;
  /** The cluster that it is spent on. */
  readonly on: string;
  /** Tokens for each parameter. */
  readonly ratio: number;
  /** The stage says how long it trains, so that the ratio is what is left of the budget. */
  readonly isRatioLeft: boolean;
  /** The share of the peak that was counted on, and whether a file says so, a plan or nobody. */
  readonly use: number;
  readonly by: "file" | "plan" | "nobody";
  /** What the stage says and may follow from the size, so that the plan that was counted on is without it. */
  readonly unread: readonly string[];
  /** No larger model fits the cluster. */
  readonly isFull: boolean;
  /** Not even the model that takes least stays within it. */
  readonly isShort: boolean;
}

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
    readonly budget?: Budget;
    /** Tokens that a target of tokens or operations counts on, `ratio` for each parameter. */
    readonly counted?: { readonly tokens: number; readonly ratio: number; readonly span: Span };
    readonly within: number;
    readonly span: Span;
    /** Tensor-parallel ranks that its stages name: what they share out comes in as many parts. */
    readonly ranks?: number;
    /** Pipeline stages that its stages name, chunks of them counted: layers come in as many parts. */
    readonly stages?: number;
  } | null;
  /** A `pattern` that is a rule and waits for the number of layers. */
  readonly layerRules?: Given<readonly LayerRule[]>;
  /** Rows the tokenizer needs, when the model itself names no `vocab`. */
  readonly tokenizerVocab: Given<number> | null;
  /** Only Megatron builds it: a block there is what its arguments say, whatever the family's class has. */
  readonly byMegatron?: true;
  /** Tensor-parallel ranks that its stages name. */
  readonly tensorRanks?: number;
  /** Pipeline stages that its stages name, chunks of them counted. */
  readonly pipelineStages?: number;
}
