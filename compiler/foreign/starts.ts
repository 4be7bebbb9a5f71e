/** Commands that start a training, among those that only prepare one. */
import { trainers } from "./commands/trainers.ts";
import type { Run } from "./launch.ts";
import { isMegatron } from "./megatron.ts";
import { isTrainer } from "./trainer/settings.ts";

/** Is it the start of a training, rather than of what prepares one? */
export function isStart(run: Run): boolean {
  const { kind, word } = run.launcher;
  if (kind === "other") return trainers.has(word.text?.split("/").at(-1) ?? "");
  return kind !== "python" || run.step !== null || isMegatron(run) || isTrainer(run);
}

/** The command that says how many ranks a launch has. What prepares it is one process, whatever follows. */
export const mainRun = (runs: readonly Run[]): Run | undefined =>
  runs.find(isStart) ?? runs.find(({ launcher }) => launcher.kind !== "other") ?? runs[0];
