import type { BlockKind, Type } from "../../../dsl/kind.ts";
import {
  bool,
  choice,
  enumeration,
  formula,
  formulaOver,
  integer,
  list,
  noneType,
  path,
  share,
  string,
  union,
} from "../../../dsl/types/type.ts";
import { period } from "./units.ts";

const keeps: Type = union(
  // Without a limit, a Trainer's `save_total_limit` keeps them all.
  enumeration("retention", ["all"], { None: "all", null: "all", nil: "all" }),
  integer({ min: 1 }),
  list(
    choice("retention", {
      last: {
        doc: "the newest ones",
        parameters: {
          count: { type: integer({ min: 1 }), doc: "how many", required: true, also: ["n", "k", "num", "limit"] },
        },
        positional: ["count"],
      },
      best: {
        doc: "the one with the lowest",
        parameters: { metric: { type: formula, doc: "metric: `val.loss`", required: true } },
        positional: ["metric"],
      },
    }),
  ),
);

/** A text with facts of the run in it. */
const runText: Type = formulaOver(
  {
    "run.id": { doc: "the run", type: string },
    "run.step": { doc: "optimizer steps so far", type: integer({ min: 0 }) },
    "run.files": { doc: "files of the data that were read completely so far", type: integer({ min: 0 }) },
    "run.epoch": { doc: "passes over the data so far", type: integer({ min: 0 }) },
  },
  string,
);

export const checkpoint: BlockKind = {
  name: "checkpoint",
  doc: "When checkpoints are saved, and which are kept",
  implied: {},
  properties: {
    every: { type: period, doc: "how often; always at the end" },
    after: { type: period, doc: "none before this", runs: false },
    keep: { type: keeps, doc: "which are kept: `last(3)`, `best(val.loss)`, `all`", default: "[last(3)]" },
    to: { type: path, doc: "root of run directories; `<step>/<run id>` is appended", default: '"runs"' },
    name: { type: runText, doc: "name of a checkpoint: `step-${run.step}`", runs: false },
    index: { type: path, doc: "a file beside them that lists each with its step, path and metrics", runs: false },
    local: {
      type: integer({ min: 0 }),
      doc: "number of uploaded checkpoints that are kept on the node's disk; all by default",
      runs: false,
    },
    upload: {
      type: union(noneType, enumeration("upload", ["background", "wait"])),
      doc: "whether training continues during an upload",
      runs: false,
    },
    compress: { type: bool, doc: "whether one is packed before it is uploaded", runs: false },
    replicas: { type: integer({ min: 1 }), doc: "copies that are kept in different places", runs: false },
  },
  foreign: {
    output_dir: { instead: "write `to`", rewrite: (v) => `to = ${v}` },
    save_total_limit: { instead: "write `keep = last(n)`", rewrite: (v) => `keep = last(${v})` },
    ...Object.fromEntries(
      ["dir", "directory", "path", "save_dir", "dirpath", "folder"].map((name) => [
        name,
        { instead: "write `to`", rewrite: (v: string) => `to = ${v}` },
      ]),
    ),
    ...Object.fromEntries(
      ["keep_last", "keep_last_n", "max_to_keep", "save_top_k", "limit"].map((name) => [
        name,
        { instead: "write `keep = last(n)`", rewrite: (v: string) => `keep = last(${v})` },
      ]),
    ),
    ...Object.fromEntries(
      ["save_every", "interval", "save_interval", "every_n_train_steps"].map((name) => [
        name,
        { instead: "write `every = n steps`", rewrite: (v: string) => `every = ${v} steps` },
      ]),
    ),
    save_steps: { instead: "write `every = n steps`", rewrite: (v) => `every = ${v} steps` },
  },
};

/** Weights averaged while training: `ema { decay = 0.9999 }`. */
export const ema: BlockKind = {
  name: "ema",
  doc: "A running mean of the weights; `stage.mean` is its checkpoint",
  runs: false,
  properties: {
    decay: {
      type: share("the mean", { below: 1, nearlyAll: true }),
      doc: "decay of the mean per step",
      required: true,
    },
    every: { type: period, doc: "how often it is updated", default: "1 steps" },
  },
};
