import type { ForeignRule } from "../rule.ts";
import { llamaFactoryChoiceRules } from "./choices.ts";
import { llamaFactoryDataRules } from "./data.ts";
import { llamaFactoryRules } from "./llama-factory.ts";
import { llamaFactoryNameRules } from "./names.ts";

export const llamaFactory: readonly ForeignRule[] = [
  ...llamaFactoryRules,
  ...llamaFactoryNameRules,
  ...llamaFactoryDataRules,
  ...llamaFactoryChoiceRules,
];
