/** The steps of a pipeline that are no stage, and what all have. */
import type { Span } from "../../dsl/source/source.ts";
import type { PrepareConfig, SourceConfig, TokenizerConfig } from "../bundle/data-programs.ts";

/** A value the program reads from an earlier step. */
export interface Handle {
  readonly step: string;
  readonly which: "last" | "best" | "result" | `step-${number}`;
  readonly span: Span;
}

export interface Step<K extends string> {
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
  /** Of these, what is not held out: an epoch. */
  readonly trained: number | null;
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
