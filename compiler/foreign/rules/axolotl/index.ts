import type { ForeignRule } from "../rule.ts";
import { axolotlRules } from "./axolotl.ts";
import { axolotlFieldRules } from "./fields.ts";
import { axolotlBatchRules } from "./batch.ts";
import { axolotlGroupRules } from "./groups.ts";
import { axolotlNameRules } from "./names.ts";
import { axolotlOptionRules } from "./options.ts";

export const axolotl: readonly ForeignRule[] = [
  ...axolotlRules,
  ...axolotlOptionRules,
  ...axolotlFieldRules,
  ...axolotlBatchRules,
  ...axolotlGroupRules,
  ...axolotlNameRules,
];
