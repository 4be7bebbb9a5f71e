import type { BlockKind } from "../../dsl/kind.ts";
import { block, choice, integer, number } from "../../dsl/types/type.ts";
import { timeLimit } from "./limits.ts";

export const repeat: BlockKind = {
  name: "repeat",
  doc: "One stage, run several times from the same seed, whose checkpoints are compared: a test of reproducibility",
  step: true,
  runs: false,
  properties: {
    stage: { type: block("stage"), doc: "the stage to run", required: true },
    times: { type: integer({ min: 2 }), doc: "how often", default: "2" },
    equal: {
      type: choice("comparison", {
        bitwise: { doc: "every byte of every tensor", parameters: {} },
        close: {
          doc: "every number within a tolerance",
          parameters: {
            absolute: { type: number({ min: 0 }), doc: "largest difference", default: "1e-6" },
            relative: {
              type: number({ min: 0 }),
              doc: "largest difference as a share of the value",
              default: "1e-5",
            },
          },
        },
      }),
      doc: "when two checkpoints count as one",
      default: "bitwise",
    },
    time: timeLimit("time limit of all runs together"),
  },
  clauses: ["after", "on"],
  on: ["cluster", "launch"],
};
