import type { Engine } from "../engine.ts";
import { capabilities } from "./capabilities.ts";
import { inexpressible } from "./lower/expressible.ts";
import { lower } from "./lower/lower.ts";
import { rules } from "./stage/rules.ts";
import { states, traffic, widths } from "./states.ts";
import { versions } from "./table.ts";

export const megatron: Engine = {
  name: "megatron",
  get version() {
    return versions[0] ?? "";
  },
  resident: 1.2 * 2 ** 30,
  capabilities,
  widths,
  states,
  traffic,
  get rules() {
    return rules;
  },
  get inexpressible() {
    return inexpressible;
  },
  get lower() {
    return lower;
  },
};
