import { engineRawUncounted } from "../../../diagnostics/engine-raw.ts";
import type { Rule } from "../../engine.ts";
import { isReadAt } from "../no-effect.ts";
import { saidIn, uncounted } from "../raw-engine.ts";
import { defaultAt } from "../table.ts";
import { spanOf } from "./span.ts";

/** What the estimates know nothing of, where a stage says it otherwise than the engine has it anyway. */
export const counted: Rule = {
  name: "counted",
  source: "compiler/engines/deepspeed/raw-engine.ts",
  check: (stage, { layout: { zero_stage: zero } }) => {
    const said = saidIn(stage.raw);
    return Object.entries(uncounted).flatMap(([key, what]) => {
      const value = said(key) ?? null;
      if (value === null || value === (defaultAt(key) ?? false)) return [];
      if (key.startsWith("zero_optimization.") && !isReadAt(zero, key.split(".")[1] ?? "")) return [];
      return [engineRawUncounted(spanOf(stage, key), { key, what })];
    });
  },
};
