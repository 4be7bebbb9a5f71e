/** Raw arguments that leave a run without what its steps and its watcher look for, though the engine does as it is told. */
import { engineRawKept } from "../../../diagnostics/engine-raw.ts";
import type { Rule } from "../../engine.ts";
import { ownCheckpoints } from "../lower/run.ts";
import { launchOf } from "../lower/launch.ts";

export const kept: Rule = {
  name: "kept",
  source: "megatron/training/checkpointing.py: save_checkpoint; megatron/training/training.py: train",
  check: (stage, plan, cluster) => {
    if (stage.checkpoint === null) return [];
    return launchOf({ stage, plan, cluster }).raw.flatMap(({ argument: { dest }, key, value, span }) => {
      if (dest === "save" && typeof value === "string" && value !== ownCheckpoints) {
        const lost = `checkpoints are saved outside the run's folder: \`keep\` and \`${stage.name}.last\` in other steps do not find them`;
        return [
          engineRawKept(span, { key, raw: value, lost }, { severity: stage.resume === "never" ? "info" : "warning" }),
        ];
      }
      if (dest === "exit_signal_handler" && value === false && stage.resume !== "never") {
        const lost = "nothing is saved when the run is stopped: work since its last checkpoint is lost";
        return [engineRawKept(span, { key, raw: "false", lost })];
      }
      return [];
    });
  },
};
