import { engineRawUnread } from "../../diagnostics/engine-raw.ts";
import type { Rule } from "../engine.ts";

/** A raw block is read by the engine whose words it has; to any other it would change nothing, silently. */
export const rawUnread: Rule = {
  name: "raw-unread",
  source: "transformers training_args.py: TrainingArguments.deepspeed; megatron/training/arguments.py: parse_args",
  check: (stage, { engine }) => {
    const blocks = [
      { raw: "deepspeed", keys: stage.raw, spans: stage.rawSpans },
      { raw: "megatron", keys: stage.rawMegatron, spans: stage.rawMegatronSpans },
    ] as const;
    return blocks.flatMap(({ raw, keys, spans }) => {
      const [first] = Object.keys(keys);
      if (first === undefined || raw === engine) return [];
      return [engineRawUnread(stage.engine?.span ?? spans.get(first) ?? stage.span, { raw, engine })];
    });
  },
};
