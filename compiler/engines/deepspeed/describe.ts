import { deepspeed, hostBytes } from "../../planner/physics/engines/deepspeed.ts";
import type { Described, Run } from "../engine.ts";
import { wideOf } from "../wide.ts";
import { bucketsOfModel } from "./buckets.ts";

export function describe({ model, precision, attention, zero_stage, offload: place, ranks }: Run): Described {
  const offload = place === "activations" ? "none" : place;
  const options = {
    format: wideOf(precision),
    zero: zero_stage,
    offload,
    ranks,
    bucket: bucketsOfModel(model).reduce,
  };
  return { engine: { ...deepspeed(options), materialised: attention === "eager" }, host: hostBytes(options) };
}
