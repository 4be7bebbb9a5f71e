import { deepspeed, hostBytes } from "../../planner/physics/engines/deepspeed.ts";
import type { Described, Run } from "../engine.ts";
import { writesScores } from "../fused-heads.ts";
import { weightOnHost } from "../trainer-weights.ts";
import { wideOf } from "../wide.ts";
import { bucketsOfModel } from "./buckets.ts";
import { withRaw } from "./raw-engine.ts";

export function describe(run: Run): Described {
  const { model, precision, zero_stage, offload: place, ranks } = run;
  const offload = place === "activations" ? "none" : place;
  const options = {
    format: wideOf(precision),
    zero: zero_stage,
    offload,
    ranks,
    bucket: bucketsOfModel(model).reduce,
  };
  const engine = {
    ...deepspeed(options),
    materialised: writesScores("deepspeed", run),
    masked: run.attention === "sdpa",
  };
  // Each rank builds its part alone (deepspeed/runtime/zero/partition_parameters.py: Init).
  const isBornCut = zero_stage === 3;
  return {
    engine: withRaw(engine, run),
    host: hostBytes(options),
    built: isBornCut ? 0 : weightOnHost,
    saved: isBornCut ? (engine.gathered ?? 2) : 0,
  };
}
