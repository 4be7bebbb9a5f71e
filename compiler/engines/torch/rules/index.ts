import { precision } from "../../rules/precision.ts";
import type { Rule } from "../../engine.ts";

export const rules: readonly Rule[] = [precision];
