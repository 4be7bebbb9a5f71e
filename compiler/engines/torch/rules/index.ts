import type { Rule } from "../../engine.ts";
import { precision } from "../../rules/precision.ts";
import { raw } from "./raw.ts";

export const rules: readonly Rule[] = [precision, raw];
