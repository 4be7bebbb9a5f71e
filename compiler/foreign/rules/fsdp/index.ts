import type { ForeignRule } from "../rule.ts";
import { fsdpRules } from "./fsdp.ts";
import { fsdpKeyRules } from "./keys.ts";
import { fsdpLaunchRules } from "./launch.ts";

export const fsdp: readonly ForeignRule[] = [...fsdpLaunchRules, ...fsdpRules, ...fsdpKeyRules];
