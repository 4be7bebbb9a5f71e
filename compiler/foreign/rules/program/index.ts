import type { ForeignRule } from "../rule.ts";
import { programAccelerateRules } from "./accelerate.ts";
import { programDeepspeedRules } from "./deepspeed.ts";

export const program: readonly ForeignRule[] = [...programDeepspeedRules, ...programAccelerateRules];
