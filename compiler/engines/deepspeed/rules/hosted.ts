import { engineOption } from "../../../diagnostics/engine.ts";
import type { Rule } from "../../engine.ts";
import { whyNotOnHost } from "../steps-on-host.ts";

/** Offloaded states are stepped by the processors of the host. */
export const hosted: Rule = {
  name: "hosted",
  source:
    "deepspeed runtime/engine.py: _configure_optimizer; bitsandbytes functional.py: optimizer_update_8bit_blockwise",
  check: ({ optimizer, layout: { given, bounds }, span }, { layout: { offload }, engine }) => {
    const why = offload === "optimizer" || offload === "all" ? whyNotOnHost({ optimizer }) : null;
    if (why === null) return [];
    const said = given.get("offload")?.span ?? bounds.get("offload")?.spans[0] ?? span;
    return [engineOption(said, { engine, option: `offload = ${offload}`, why }, { valid: ["none"] })];
  },
};
