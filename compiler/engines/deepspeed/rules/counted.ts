import { engineRawUncounted } from "../../../diagnostics/engine-raw.ts";
import type { Rule } from "../../engine.ts";
import { uncountedIn } from "../raw-engine.ts";
import { spanOf } from "./span.ts";

/** What the estimates know nothing of. */
export const counted: Rule = {
  name: "counted",
  source: "compiler/engines/deepspeed/raw-engine.ts",
  check: (stage) =>
    uncountedIn(stage.raw).map(([key, what]) => engineRawUncounted(spanOf(stage, key), { key, what })),
};
