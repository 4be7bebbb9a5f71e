import { engineRawUncounted } from "../../../diagnostics/engine-raw.ts";
import type { Rule } from "../../engine.ts";
import { isReadAt } from "../no-effect.ts";
import { saidIn, uncounted } from "../raw-engine.ts";
import { defaultAt } from "../table.ts";
import { rawKeys } from "./raw-keys.ts";
import { releases } from "./releases.ts";
import { spanOf } from "./span.ts";

/** What the estimates know nothing of, where a stage says it otherwise than the engine has it anyway. */
export const counted: Rule = {
  name: "counted",
  source: "compiler/engines/deepspeed/raw-engine.ts",
  check: (stage, plan, cluster) => {
    const { zero_stage: zero } = plan.layout;
    const said = saidIn(stage.raw);
    // What is refused changes nothing.
    const refused = new Set(
      [releases, rawKeys].flatMap((rule) => rule.check(stage, plan, cluster)).map(({ span }) => span),
    );
    return Object.entries(uncounted).flatMap(([key, what]) => {
      const value = said(key) ?? null;
      if (value === null || value === (defaultAt(key) ?? false)) return [];
      if (key.startsWith("zero_optimization.") && !isReadAt(zero, key.split(".")[1] ?? "")) return [];
      const span = spanOf(stage, key);
      return refused.has(span) ? [] : [engineRawUncounted(span, { key, what })];
    });
  },
};
