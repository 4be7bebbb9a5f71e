/** `cdrc attach NAME`. */
import type { Command } from "commander";
import { attachTo } from "../../runtime/run/known.ts";
import { followCommand } from "./follow.ts";

export function attachCommand(): Command {
  return followCommand("attach", "watch a run that is already started", attachTo);
}
