import type { ForeignRule } from "../rule.ts";
import { megatronDeepspeedRules } from "./deepspeed.ts";
import { megatronNamedFileRules } from "./named-files.ts";
import { megatronRules } from "./megatron.ts";

export const megatron: readonly ForeignRule[] = [
  ...megatronRules,
  ...megatronDeepspeedRules,
  ...megatronNamedFileRules,
];
