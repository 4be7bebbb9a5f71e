import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { group } from "./read.ts";

/** Whether a stage measures its validation loss, or may be meant to, by a group that it does not know. */
export const measures = (stage: Instance): boolean => group(stage, "eval") !== null || stage.strangeGroups.size > 0;
