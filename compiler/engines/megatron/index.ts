import type { Engine } from "../engine.ts";
import { capabilities } from "./capabilities.ts";
import { inexpressible } from "./lower/expressible.ts";
import { lower } from "./lower/lower.ts";
import { rules } from "./stage/rules.ts";
import { states, traffic, widths } from "./states.ts";
import { versions } from "./table.ts";

export const megatron: Engine = {
  name: "megatron",
  version: versions[0] ?? "",
  resident: 1.2 * 2 ** 30,
  capabilities,
  widths,
  states,
  traffic,
  rules,
  inexpressible,
  lower,
};
