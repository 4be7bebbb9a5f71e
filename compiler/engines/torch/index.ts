import type { Engine } from "../engine.ts";
import { capabilities } from "./capabilities.ts";
import { lower } from "./lower.ts";
import { rules } from "./rules/index.ts";
import { states, traffic, widths } from "./states.ts";

export const torch: Engine = {
  name: "torch",
  version: "2.15.0",
  resident: 0.95 * 2 ** 30,
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
