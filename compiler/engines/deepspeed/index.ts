import type { Engine } from "../engine.ts";
import { trainerMemory } from "../trainer-memory.ts";
import { capabilities } from "./capabilities.ts";
import { describe } from "./describe.ts";
import { sharedExperts } from "./experts.ts";
import { lower } from "./lower.ts";
import { pipelined } from "./pipeline.ts";
import { relaid } from "./raw-engine.ts";
import { rules } from "./rules/index.ts";
import { stepsOnHost } from "./steps-on-host.ts";
import { states, traffic, widths } from "./states.ts";
import { unshared } from "./unshared.ts";

export const deepspeed: Engine = {
  name: "deepspeed",
  version: "0.19.8",
  capabilities,
  widths,
  describe,
  measured: { time: ["deepspeed", "fsdp"], timeOfKin: true, memory: ["megatron-core"], program: trainerMemory },
  // Its step flattens and unscales gradients, takes their norm, and copies masters back (zero/stage_1_and_2.py: step).
  onCpu: { resident: 1.03 * 2 ** 30, passes: { update: 5, clip: 0 }, states, traffic },
  unshared,
  relaid,
  pipelined,
  sharedExperts,
  stepsOnHost,
  get rules() {
    return rules;
  },
  get lower() {
    return lower;
  },
};
