import type { Engine } from "../engine.ts";
import { trainerMemory } from "../trainer-memory.ts";
import { capabilities } from "./capabilities.ts";
import { describe } from "./describe.ts";
import { lower } from "./lower.ts";
import { rules } from "./rules/index.ts";
import { states, traffic, widths } from "./states.ts";

export const torch: Engine = {
  name: "torch",
  version: "2.15.0",
  capabilities,
  widths,
  describe,
  measured: { time: ["fsdp"], timeOfKin: true, memory: ["megatron-core"], program: trainerMemory },
  onCpu: { resident: 0.95 * 2 ** 30, passes: { update: 1, clip: 1 }, states, traffic },
  get rules() {
    return rules;
  },
  get lower() {
    return lower;
  },
};
