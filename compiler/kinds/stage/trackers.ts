import type { Type } from "../../../dsl/kind.ts";
import { choice, integer, list, path, secret, string } from "../../../dsl/types/type.ts";

/** Where metrics are sent. */
export const trackers: Type = list(
  choice("tracker", {
    console: { doc: "the terminal", parameters: {} },
    log_file: {
      doc: "a text file in the run directory, beside the metrics",
      runs: false,
      parameters: { path: { type: path, doc: "its name", default: '"log.txt"' } },
      positional: ["path"],
    },
    tensorboard: {
      doc: "TensorBoard event files in the run directory",
      parameters: {
        port: { type: integer({ min: 1, max: 65535 }), doc: "serves them there during the run", runs: false },
      },
    },
    wandb: {
      doc: "Weights & Biases",
      parameters: {
        project: { type: string, doc: "its project; the stage's by default", runs: false },
        entity: { type: string, doc: "the team that owns it", runs: false },
        tags: { type: list(string), doc: "tags of the run", runs: false },
        key: { type: secret, doc: "its key" },
      },
    },
    mlflow: {
      doc: "MLflow",
      runs: false,
      parameters: {
        at: { type: string, doc: "address of its server", required: true },
        experiment: { type: string, doc: "its experiment; the stage's project by default" },
        key: { type: secret, doc: "its token" },
      },
    },
  }),
);
