/** A model before it is sized. */
import type { Span } from "../../dsl/source/source.ts";
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
