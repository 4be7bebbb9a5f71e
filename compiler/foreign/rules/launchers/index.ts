import type { ForeignRule } from "../rule.ts";
import { launcherRules } from "./launchers.ts";
import { launcherNameRules } from "./names.ts";
import { launcherOptionRules } from "./options.ts";
import { launcherReleaseRules } from "./releases.ts";

export const launchers: readonly ForeignRule[] = [
  ...launcherRules,
  ...launcherNameRules,
  ...launcherOptionRules,
  ...launcherReleaseRules,
];
