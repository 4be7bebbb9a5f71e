import type { Engine } from "../engine.ts";
import { capabilities } from "./capabilities.ts";
import { lower } from "./lower.ts";
import { rules } from "./rules/index.ts";
import { states, traffic, widths } from "./states.ts";

export const deepspeed: Engine = {
  name: "deepspeed",
  version: "0.19.8",
  resident: 1.03 * 2 ** 30,
  capabilities,
  widths,
  states,
  traffic,
  get rules() {
    return rules;
  },
  get lower() {
    return lower;
  },
};
