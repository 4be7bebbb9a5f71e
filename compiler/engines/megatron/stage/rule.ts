/** A rule of a stage, by the engine's file and function that it follows. */
import type { Rule } from "../../engine.ts";

export const rule = (name: string, source: string, check: Rule["check"]): Rule => ({ name, source, check });
