/** `amp` of the releases that had it: Apex casts the model itself, and nothing else may. */
import { deepspeedAmp } from "../../diagnostics/deepspeed.ts";
import type { Finding } from "./check.ts";
import { asNumber, isSection, truthy, type Section } from "./value.ts";

/** Source: deepspeed 0.10 to 0.19.6, runtime/engine.py: _do_optimizer_sanity_check. */
export function amp(config: Section): readonly Finding[] {
  if (!isOn(config, "amp")) return [];
  const zero = config.get("zero_optimization");
  const stage = isSection(zero) ? (asNumber(zero.get("stage")) ?? 0) : 0;
  // With ZeRO it stops there, and looks at the formats no more.
  if (stage > 0)
    return [finding(`amp casts whole models and ZeRO stage ${stage} divides them`, ["zero_optimization.stage"])];
  const cast = ["fp16", "bf16"].filter((section) => isOn(config, section));
  return cast.length === 0
    ? []
    : [
        finding(
          `amp and ${cast.join(", ")} both choose the format of the model`,
          cast.map((each) => `${each}.enabled`),
        ),
      ];
}

function isOn(config: Section, key: string): boolean {
  const section = config.get(key);
  return isSection(section) && truthy(section.get("enabled"));
}

function finding(message: string, related: readonly string[]): Finding {
  return {
    diagnostic: deepspeedAmp,
    message,
    path: "amp.enabled",
    related,
    valid: [],
    nearest: null,
    phase: "build",
    remark: "demand",
  };
}
