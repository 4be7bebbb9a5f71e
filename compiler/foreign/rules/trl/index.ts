import type { ForeignRule } from "../rule.ts";
import { trlNameRules } from "./names.ts";
import { trlTrainerRules } from "./trainers.ts";
import { trlRules } from "./trl.ts";

export const trl: readonly ForeignRule[] = [...trlRules, ...trlTrainerRules, ...trlNameRules];
