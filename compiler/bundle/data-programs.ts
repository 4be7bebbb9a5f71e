/** What `tokenize` and `prepare` read. */
import type { ChatTemplate } from "../pipeline.ts";

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
      /** How often a pair occurs that becomes a token; any number of times where absent. */
      readonly min_count?: number;
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
