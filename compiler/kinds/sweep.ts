import type { BlockKind, Property, Type } from "../../dsl/kind.ts";
import { block, choice, integer, list, quantity, union } from "../../dsl/types/type.ts";
import { trainingMetrics } from "./metrics.ts";

/** Whatever it is counted in. */
const measure: Type = {
  kind: "formula",
  names: trainingMetrics,
  result: union(...Object.values(trainingMetrics).map(({ type }) => type)),
};
const metric: Property = { type: measure, doc: "a metric: `val.loss`", required: true };

const vary: BlockKind = {
  name: "vary",
  doc: "Params, and leaves of the stage, each with the values it takes: `optimizer.lr in [1e-4, 3e-4]`",
  properties: {},
  varies: "stage",
};

export const sweep: BlockKind = {
  name: "sweep",
  doc: "One stage in every combination of some of its values; it runs only when it is named",
  step: true,
  begins: ["vary"],
  properties: {
    stage: { type: block("stage"), doc: "what is run", required: true },
    overlays: { type: list(block("overlay")), doc: "what is laid over each run" },
    best: {
      type: choice("ranking", {
        min: { doc: "the lowest", parameters: { metric }, positional: ["metric"] },
        max: { doc: "the highest", parameters: { metric }, positional: ["metric"] },
      }),
      doc: "which run wins: `min(val.loss)`",
    },
    parallel: { type: integer({ min: 1 }), doc: "runs at one time", default: "1" },
    runs: { type: integer({ min: 1 }), doc: "how many combinations, drawn at random; all of them by default" },
    time: {
      type: quantity([{ second: 1 }], { min: 0 }),
      doc: "what all runs may take, added up: a point that would pass it, by what the others took, is not begun",
      bounded: true,
    },
    cost: {
      type: quantity([{ usd: 1 }], { min: 0 }),
      doc: "what all runs may cost, added up, at the `price` of the cluster; likewise",
      bounded: true,
    },
  },
  blocks: { vary },
  clauses: ["after", "on"],
  on: ["cluster", "launch"],
};
