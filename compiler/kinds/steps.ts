/** Steps that read a checkpoint: `eval` and `sample`. */
import type { BlockKind, Property } from "../../dsl/kind.ts";
import {
  block,
  choice,
  enumeration,
  filled,
  handle,
  handleOrAt,
  integer,
  number,
  path,
  quantity,
  share,
  string,
  sequence,
  union,
} from "../../dsl/types/type.ts";
import { evaluationMetrics } from "./metrics.ts";
import { period } from "./stage/units.ts";
import { tasks } from "./tasks.ts";
import { seed } from "./seed.ts";

const checkpointOf: Property = {
  type: handleOrAt(["stage"], ["last", "best", "mean"]),
  doc: "a checkpoint: `pretrain.last`",
};
export const evaluation: BlockKind = {
  name: "eval",
  also: ["evaluation", "evaluate", "evaluator", "validation", "benchmark"],
  doc: "Evaluation of a checkpoint: its loss on held-out text, benchmarks; with `every`, measured during a stage that lists it",
  begins: ["model", "data"],
  properties: {
    model: checkpointOf,
    data: {
      type: union(handle(["data"], ["val", "train", "test"]), block("data")),
      doc: "text whose loss and perplexity are measured: `corpus.val`",
    },
    tasks: { type: tasks, doc: "further benchmarks: `[hellaswag, mmlu(shots = 5)]`", runs: false },
    metrics: {
      type: filled(enumeration("measure", ["loss", "perplexity", "accuracy"])),
      doc: "measures of the text; loss and perplexity by default",
      runs: false,
    },
    every: { type: period, doc: "how often, during a stage that lists it in `evals`" },
    length: {
      type: quantity([{ batch: 1 }, { sample: 1 }], { integer: true, min: 1 }),
      doc: "how much of the text; all by default",
    },
    seed: seed("seed of every random choice"),
  },
  foreign: {
    ...Object.fromEntries(
      ["checkpoint", "ckpt", "checkpoint_path", "weights"].map((name) => [
        name,
        { instead: "write `model = pretrain.last`", rewrite: (v: string) => `model = ${v}` },
      ]),
    ),
    stage: { instead: "write `model = pretrain.last`", rewrite: (v) => `model = ${v}.last` },
  },
  step: true,
  watches: evaluationMetrics,
  clauses: ["after", "on"],
};

export const sample: BlockKind = {
  name: "sample",
  also: ["generate", "generation", "inference"],
  doc: "Text that a checkpoint writes",
  begins: ["length"],
  properties: {
    model: { ...checkpointOf, required: true },
    prompts: {
      type: union(
        sequence(string),
        choice("prompts", {
          file: {
            doc: "one prompt a line",
            parameters: { path: { type: path, doc: "the file", required: true } },
            positional: ["path"],
          },
          terminal: { doc: "the prompts, one after another", parameters: {}, runs: false },
        }),
      ),
      doc: "the prompt that it continues",
      required: true,
    },
    length: {
      type: quantity([{ token: 1 }], { integer: true, min: 1 }),
      doc: "tokens to write",
      default: "200 tokens",
    },
    temperature: { type: number({ min: 0 }), doc: "0 always takes the most likely token", default: "0.8" },
    top_k: { type: integer({ min: 1 }), doc: "sample from this number of most likely tokens" },
    top_p: {
      type: share("the probability"),
      doc: "sample from the most likely tokens that hold this share of the probability",
    },
    seed: seed("seed of every random choice"),
  },
  foreign: Object.fromEntries(
    ["max_new_tokens", "max_tokens", "max_length", "n_predict"].map((name) => [
      name,
      { instead: "write `length = n tokens`", rewrite: (v: string) => `length = ${v} tokens` },
    ]),
  ),
  step: true,
  clauses: ["after", "on"],
};
