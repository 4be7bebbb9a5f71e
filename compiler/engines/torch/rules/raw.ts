import { engineRawUnread } from "../../../diagnostics/engine.ts";
import type { Rule } from "../../engine.ts";

/** Plain torch reads no DeepSpeed configuration. */
export const raw: Rule = {
  name: "raw",
  source: "transformers training_args.py: TrainingArguments.deepspeed",
  check: (stage) => {
    const [first] = Object.keys(stage.raw);
    if (first === undefined) return [];
    return [engineRawUnread(stage.engine?.span ?? stage.rawSpans.get(first) ?? stage.span, { engine: "torch" })];
  },
};
