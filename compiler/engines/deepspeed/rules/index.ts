import type { Rule } from "../../engine.ts";
import { precision } from "../../rules/precision.ts";

export const rules: readonly Rule[] = [precision];
