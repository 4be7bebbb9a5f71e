/** How data are prepared and read: groups of settings of a `data` block. */
import type { BlockKind } from "../../../dsl/kind.ts";
import { bool, integer, noneType, path, quantity, share, string, union } from "../../../dsl/types/type.ts";
import { seed } from "../seed.ts";

export const split: BlockKind = {
  name: "split",
  doc: "Held-out text",
  implied: {},
  properties: {
    val: { type: union(noneType, share("the documents")), doc: "held out for validation", default: "1%" },
    test: { type: share("the documents"), doc: "held out for the final test", runs: false },
    train: { type: share("the documents"), doc: "for training; the rest" },
    seed: seed("seed of the choice"),
    by: {
      type: string,
      doc: "a field for stratification: each of its values is held out in the same share",
      runs: false,
    },
  },
};

export const prepare: BlockKind = {
  name: "prepare",
  doc: "How text is tokenised",
  runs: false,
  properties: {
    workers: { type: integer({ min: 1 }), doc: "processes; one per core by default" },
    batch: {
      type: quantity([{ document: 1 }], { integer: true, min: 1 }),
      doc: "documents at once",
      default: "1000 docs",
    },
    cache: { type: path, doc: "folder for downloads and unfinished files" },
    incremental: { type: bool, doc: "whether only new files are processed", default: "false" },
  },
  foreign: { num_proc: { instead: "write `workers`", rewrite: (v) => `workers = ${v}` } },
};

export const loader: BlockKind = {
  name: "loader",
  doc: "How samples are loaded during training",
  runs: false,
  properties: {
    workers: { type: integer({ min: 0 }), doc: "processes per rank", default: "2" },
    pin: { type: bool, doc: "page-locked host memory", default: "true" },
    prefetch: { type: integer({ min: 0 }), doc: "batches ahead, per worker", default: "2" },
    drop_last: { type: bool, doc: "whether an incomplete batch is dropped", default: "true" },
  },
  foreign: {
    num_workers: { instead: "write `workers`", rewrite: (v) => `workers = ${v}` },
    pin_memory: { instead: "write `pin`", rewrite: (v) => `pin = ${v}` },
    prefetch_factor: { instead: "write `prefetch`", rewrite: (v) => `prefetch = ${v}` },
  },
};

export const progress: BlockKind = {
  name: "checkpoint",
  doc: "How often progress is saved, so that an interrupted step can continue",
  runs: false,
  properties: {
    every: {
      type: union(quantity([{ byte: 1 }, { document: 1 }, { second: 1 }], { above: 0 })),
      doc: "how often",
      required: true,
    },
  },
};
