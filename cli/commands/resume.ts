/** `cdrc resume NAME`. */
import type { Command } from "commander";
import { resume } from "../../runtime/run/known.ts";
import { followCommand } from "./follow.ts";

export function resumeCommand(): Command {
  return followCommand("resume", "resume a run from its newest checkpoint", resume);
}
