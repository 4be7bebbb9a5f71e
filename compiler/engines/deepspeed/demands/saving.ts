/** Keys that are only looked at when a checkpoint is written or read, hours after the start. */
import { demandsOf, type Demand } from "../step.ts";
import { stageOf } from "./precision.ts";

const states = demandsOf("runtime/zero/stage3.py: state_dict, load_state_dict", "step");
const loading = demandsOf("runtime/engine.py: _load_zero_checkpoint", "step");

export const saving: readonly Demand[] = [
  states("elastic-checkpoint", {
    about: ["zero_optimization.elastic_checkpoint", "zero_optimization.stage"],
    severity: "warning",
    check: (settings) =>
      stageOf(settings) === 3 && settings.zero.on("elastic_checkpoint")
        ? "elastic_checkpoint with ZeRO stage 3: the first checkpoint of optimizer states is refused"
        : null,
    why: "Stage 3 no longer writes checkpoints that a different number of ranks can read. The engine starts and trains, but stops when it saves or loads its states.",
    fix: "Leave elastic_checkpoint out; convert saved checkpoints to universal ones if the number of ranks changes.",
    fires: { zero_optimization: { stage: 3, elastic_checkpoint: true } },
    silent: { zero_optimization: { stage: 2, elastic_checkpoint: true } },
  }),
  loading("pipelined-checkpoint", {
    about: ["zero_optimization.pipeline_loading_checkpoint", "zero_optimization.stage"],
    severity: "warning",
    check: (settings) => {
      const stage = stageOf(settings);
      return (stage === 1 || stage === 2) && settings.zero.on("pipeline_loading_checkpoint")
        ? `pipeline_loading_checkpoint with ZeRO stage ${stage}: a saved checkpoint cannot be loaded`
        : null;
    },
    why: "Only in stage 3 can ranks load one after the other. In other stages a run starts, trains and saves, but stops when it is resumed.",
    fix: "Leave pipeline_loading_checkpoint out.",
    fires: { zero_optimization: { stage: 2, pipeline_loading_checkpoint: true } },
    silent: { zero_optimization: { stage: 3, pipeline_loading_checkpoint: true } },
  }),
];
