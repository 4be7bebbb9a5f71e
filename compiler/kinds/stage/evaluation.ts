import type { BlockKind } from "../../../dsl/kind.ts";
import { enumeration, filled, integer, list, quantity } from "../../../dsl/types/type.ts";
import { period, wholeSteps } from "./units.ts";

export const evaluation: BlockKind = {
  name: "eval",
  doc: "Validation loss during training",
  properties: {
    every: { type: period, doc: "how often", required: true },
    length: {
      type: quantity([{ batch: 1 }, { sample: 1 }], { integer: true, min: 1 }),
      doc: "how much of the split; by default all of it, on Megatron ten global batches",
    },
    batch: {
      type: quantity([{ sample: 1 }], { integer: true, min: 1 }),
      doc: "samples of one forward pass; the micro-batch by default",
      runs: false,
    },
    metrics: {
      type: filled(
        enumeration("measure", ["loss", "perplexity", "accuracy", "token_accuracy", "repetition", "bleu"]),
      ),
      doc: "measures in addition to the loss and its perplexity",
      runs: false,
    },
    test: {
      type: enumeration("moment", ["end"]),
      doc: "when the test split is measured too",
      runs: false,
    },
  },
};

export const log: BlockKind = {
  name: "log",
  doc: "What is recorded during training",
  implied: { every: "1 step" },
  kept: true,
  properties: {
    every: { type: wholeSteps, doc: "how often", required: true },
    metrics: {
      type: list(
        enumeration("measure", [
          "loss",
          "accuracy",
          "perplexity",
          "lr",
          "grad_norm",
          "memory",
          "speed",
          "gpu",
          "weight_norm",
          "eta",
        ]),
      ),
      doc: "metrics in addition to the loss, the rate, the norm of the gradient and the speed",
      runs: false,
    },
    profile: {
      type: wholeSteps,
      doc: "how many steps are recorded by the profiler, after the first ten",
      runs: false,
    },
    history: {
      type: integer({ min: 1 }),
      doc: "number of losses from which a straight line predicts the next",
      runs: false,
    },
  },
};
