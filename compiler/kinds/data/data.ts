import type { BlockKind, Type } from "../../../dsl/kind.ts";
import {
  block,
  bool,
  choice,
  enumeration,
  integer,
  list,
  number,
  path,
  quantity,
  share,
  union,
} from "../../../dsl/types/type.ts";
import { proof } from "../proof.ts";
import { sequenceValue } from "../stage-derived.ts";
import { dataVocabValue } from "../tokenizer-derived.ts";
import { tokenizerChoice } from "../tokenizer.ts";
import { augment, dedup, keep, normalize, scrub } from "./cleaning.ts";
import { curriculum } from "./curriculum.ts";
import { idTypeValue } from "./derived.ts";
import { loader, prepare, progress, split } from "./reading.ts";
import { column, format, from, key, source } from "./source.ts";
import { timeLimit } from "../limits.ts";
import { seed } from "../seed.ts";

const tokenCount = quantity([{ token: 1 }], { integer: true, min: 1 });
const size = quantity([{ byte: 1 }], { min: 1 });

const packing: Type = choice("packing", {
  documents: {
    doc: "documents one after another",
    parameters: {
      end: { type: bool, doc: "an end token after each", default: "true" },
      mask: { type: bool, doc: "whether attention stops at the ends of documents", default: "false", runs: false },
    },
  },
  windows: {
    doc: "windows of each document, the last one padded",
    runs: false,
    parameters: {
      stride: { type: tokenCount, doc: "distance from one window to the next; the sequence by default" },
    },
  },
  single: { doc: "one document per sample, truncated or padded", runs: false, parameters: {} },
  grouped: { doc: "documents of similar length together, padded to the longest", runs: false, parameters: {} },
});

const shards: Type = choice("shards", {
  memmap: {
    doc: "one file of token ids for each split, mapped from disk",
    parameters: {
      dtype: {
        type: enumeration("type of an id", ["auto", "uint16", "uint32"]),
        doc: "uint16 holds 65,536 ids; `auto` takes the smallest that holds the vocabulary",
        default: "auto",
      },
    },
  },
  tar: {
    doc: "WebDataset archives",
    runs: false,
    parameters: {
      size: { type: union({ kind: "range", element: size }, size), doc: "size of one archive", default: "1 GB" },
      index: { type: bool, doc: "an index for each, for random access", default: "true" },
    },
  },
});

export const data: BlockKind = {
  name: "data",
  also: ["dataset", "datasets", "dataloader", "corpus"],
  doc: "Text as packed token sequences: read, tokenised, split and written once, then mapped from disk",
  begins: ["from", "tokenizer"],
  properties: {
    from,
    column,
    key,
    format,
    stream: {
      type: bool,
      doc: "streamed during training, for data that fits on no disk",
      default: "false",
      runs: false,
    },
    retry: { type: integer({ min: 0 }), doc: "retries of a failed download", default: "3", runs: false },
    verify: {
      type: proof,
      doc: "checksums of the files; a damaged file is fetched again",
      runs: false,
    },
    cache: { type: path, doc: "where downloads are kept", runs: false },
    workers: { type: integer({ min: 1 }), doc: "processes that read and tokenise", runs: false },
    epochs: {
      type: union(quantity([{ epoch: 1 }], { min: 0 }), quantity([{}], { min: 0 })),
      doc: "maximum number of passes over each source",
      bounded: true,
      runs: false,
    },
    normalize,
    keep,
    scrub,
    dedup,
    augment,
    tokenizer: { type: union(tokenizerChoice, block("tokenizer")), doc: "how text becomes tokens", default: "bytes" },
    sequence: { type: tokenCount, doc: "length of a packed sample; usually the model's context" },
    pack: { type: packing, doc: "how documents fill sequences", default: "documents" },
    shuffle: { type: bool, doc: "whether documents are shuffled before packing", default: "true" },
    seed: seed("seed of shuffling and mixing"),
    tokens: {
      type: tokenCount,
      doc: "total number of tokens, if known; a `length` in epochs needs it, and counts only training text",
    },
    limit: { type: quantity([{ file: 1 }], { integer: true, min: 1 }), doc: "read only this number of files" },
    shards: { type: shards, doc: "format of the tokens on disk", default: "memmap" },
    to: { type: path, doc: "folder of the tokens; beside the runs by default", runs: false },
    report: { type: bool, doc: "counts, lengths and the most common tokens, as JSON", default: "false", runs: false },
    lineage: {
      type: list(enumeration("fact", ["source", "revision", "license", "steps", "sha256"])),
      doc: "provenance that is recorded for each shard",
      runs: false,
    },
    time: { ...timeLimit("time limit for making it; a workflow adds these up"), runs: false },
  },
  blocks: { split, prepare, loader, curriculum, checkpoint: progress },
  nested: { source },
  several: "Declare one data block that mixes them, with a `source NAME { from = …, weight = … }` for each.",
  step: true,
  handles: ["train", "val", "test", "text"],
  derived: {
    vocab: { doc: "ids of its tokenizer", compute: dataVocabValue },
    dtype: { doc: "the type of an id on disk", compute: idTypeValue },
    sequence: { doc: "length of a packed sample", compute: sequenceValue },
  },
  watches: {
    throughput: { doc: "amount of text that is read", type: quantity([{ byte: 1, second: -1 }]), runs: false },
    tokens_per_second: { doc: "written tokens", type: quantity([{ token: 1, second: -1 }]), runs: false },
    duplicates: { doc: "share of duplicate documents", type: share("the documents"), runs: false },
    ngram_entropy: { doc: "entropy of the n-grams of the text", type: quantity([{ byte: 1 }, {}]), runs: false },
    kept: { doc: "share of documents that are kept", type: number({ min: 0, max: 1 }), runs: false },
  },
  foreign: {
    ...Object.fromEntries(
      [
        "source",
        "sources",
        "path",
        "paths",
        "file",
        "files",
        "data_files",
        "dataset",
        "dataset_name",
        "train_file",
        "url",
      ].map((name) => [
        name,
        {
          instead: "write `from = …`, or a `source` block for each of several texts",
          rewrite: (v: string) => `from = ${v}`,
        },
      ]),
    ),
    num_proc: { instead: "write `workers`", rewrite: (v) => `workers = ${v}` },
    text_column: { instead: "write `column`", rewrite: (v) => `column = ${v}` },
    streaming: { instead: "write `stream`", rewrite: (v) => `stream = ${v}` },
    max_length: { instead: "write `sequence = n tokens`", rewrite: (v) => `sequence = ${v} tokens` },
    block_size: { instead: "write `sequence = n tokens`", rewrite: (v) => `sequence = ${v} tokens` },
    max_files: { instead: "write `limit = n files`", rewrite: (v) => `limit = ${v} files` },
    val_fraction: { instead: "it belongs to the split: `split { val = 5% }`" },
    cache_dir: { instead: "write `cache`", rewrite: (v) => `cache = ${v}` },
  },
};
