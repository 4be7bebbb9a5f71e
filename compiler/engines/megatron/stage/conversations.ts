/** `sft` of the raw block: prepared data are token ids, and it opens JSON lines. */
import { engineRawConflict } from "../../../diagnostics/engine-raw.ts";
import type { Rule } from "../../engine.ts";
import { inexpressible } from "../lower/expressible.ts";
import { launchOf } from "../lower/launch.ts";

export const conversations: Rule = {
  name: "conversations",
  source: "megatron/training/datasets/sft_dataset.py: SFTLowLevelDataset",
  check: (stage, plan, cluster) => {
    if (inexpressible(plan.model).length > 0) return [];
    const { arguments: all } = launchOf({ stage, plan, cluster });
    const asked = all.find(({ dest, value }) => dest === "sft" && value === true);
    const prepared = all.find(({ dest, from }) => dest === "train_data_path" && from === "data");
    if (asked === undefined || prepared === undefined) return [];
    const slots = {
      ...{ key: "sft", raw: "true", from: "data" },
      derived: "prepared token ids, where it opens JSON lines with messages",
      instead: 'data_path = ["FILE.jsonl"], tokenizer_type = "SFTTokenizer" and tokenizer_model beside it',
    };
    return [engineRawConflict(asked.span, slots)];
  },
};
