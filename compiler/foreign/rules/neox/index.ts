import type { ForeignRule } from "../rule.ts";
import { neoxFilesRules } from "./files.ts";
import { neoxModelRules } from "./model.ts";
import { neoxRules } from "./neox.ts";
import { neoxTokenizerRules } from "./tokenizer.ts";

export const neox: readonly ForeignRule[] = [
  ...neoxRules,
  ...neoxFilesRules,
  ...neoxModelRules,
  ...neoxTokenizerRules,
];
