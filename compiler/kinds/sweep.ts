import type { BlockKind, Property, Type } from "../../dsl/kind.ts";
import { block, choice, integer, list, union } from "../../dsl/types/type.ts";
import { trainingMetrics } from "./metrics.ts";
import { costLimit, timeLimit } from "./limits.ts";

/** Whatever it is counted in. */
const measure: Type = {
  kind: "formula",
  names: trainingMetrics,
  result: union(...Object.values(trainingMetrics).map(({ type }) => type)),
};
const metric: Property = { type: measure, doc: "a metric: `val.loss`", required: true };

/** What other tools have in quotes is a name here: `"val/loss"` is `val.loss`. */
const bare = (written: string): string => written.replace(/^"(.*)"$/, "$1").replaceAll("/", ".");

/** `"val_loss"` of other tools, where it is one of these. */
function rankingOf(written: string): string | null {
  const metric = bare(written).replace(/^(?:val|eval|validation)_/, "val.");
  if (!Object.hasOwn(trainingMetrics, metric)) return null;
  return `${/accuracy|per_second|utilization|reward/.test(metric) ? "max" : "min"}(${metric})`;
}

const vary: BlockKind = {
  name: "vary",
  doc: "Params and properties of the stage, each with its values: `optimizer.lr in [1e-4, 3e-4]`",
  properties: {},
  varies: "stage",
};

export const sweep: BlockKind = {
  name: "sweep",
  also: ["search", "grid", "grid_search", "hyperparameters", "study"],
  doc: "One stage at every combination of some values; it runs only when it is named",
  step: true,
  begins: ["best", "vary"],
  properties: {
    stage: { type: block("stage"), doc: "the stage to run", required: true },
    overlays: { type: list(block("overlay")), doc: "overlays for each run" },
    best: {
      type: {
        ...choice("ranking", {
          min: { doc: "the lowest", parameters: { metric }, positional: ["metric"] },
          max: { doc: "the highest", parameters: { metric }, positional: ["metric"] },
        }),
        ofText: rankingOf,
      },
      doc: "which run wins: `min(val.loss)`",
    },
    parallel: { type: integer({ min: 1 }), doc: "runs at one time", default: "1" },
    runs: { type: integer({ min: 1 }), doc: "number of combinations, drawn at random; all of them by default" },
    time: timeLimit(
      "limit of the total time of all runs: a run that would exceed it, judging by the others, is not started",
    ),
    cost: costLimit("limit of the total cost of all runs, at the `price` of the cluster; likewise"),
  },
  blocks: { vary },
  foreign: {
    metric: { instead: "write `best = min(val.loss)`", rewrite: (written) => `best = min(${bare(written)})` },
    ...Object.fromEntries(
      ["direction", "goal", "mode"].map((name) => [
        name,
        { instead: "`best` sets it, `best = min(val.loss)` or `best = max(tokens_per_second)`" },
      ]),
    ),
    ...Object.fromEntries(
      ["n_trials", "num_samples", "num_trials", "max_trials", "trials", "samples", "count"].map((name) => [
        name,
        {
          instead: "write `runs = n`, which draws n of the combinations",
          rewrite: (v: string) => `runs = ${v}`,
        },
      ]),
    ),
    ...Object.fromEntries(
      ["method", "algorithm", "sampler", "search"].map((name) => [
        name,
        { instead: "every combination is run, or `runs = n` of them, drawn at random" },
      ]),
    ),
    ...Object.fromEntries(
      ["grid", "space", "search_space", "parameters", "params", "hyperparameters", "config"].map((name) => [
        name,
        { instead: "write `vary { optimizer.lr in [1e-4, 3e-4], seed in 1..3 }`" },
      ]),
    ),
    stages: { instead: "a sweep runs one stage, `stage = …`; the differences between its runs are in `vary`" },
    program: { instead: "the stage to run is `stage = …`" },
  },
  clauses: ["after", "on"],
  on: ["cluster", "launch"],
};
