import { engineOption } from "../../../diagnostics/engine.ts";
import { isSteppedOnHost } from "../steps-on-host.ts";
import { rule } from "./rule.ts";

/** Offloaded states are stepped by the processors of the host. */
export const hosted = rule(
  "hosted",
  "megatron/training/arguments.py: validate_args (optimizer_cpu_offload, use_precision_aware_optimizer)",
  ({ optimizer, layout: { given, bounds }, span }, { layout: { offload }, engine }) => {
    if (offload !== "optimizer" || isSteppedOnHost(optimizer)) return [];
    const said = given.get("offload")?.span ?? bounds.get("offload")?.spans[0] ?? span;
    const why = `the host steps with adamw only, and the stage has ${optimizer.name}`;
    return [engineOption(said, { engine, option: "offload = optimizer", why }, { valid: ["none"] })];
  },
);
