import type { Launch } from "./launch.ts";

/** Does something stand between a DeepSpeed JSON and DeepSpeed that fills its `"auto"`? `null` where nothing says. */
export function fills({ trainer, accelerate, runs, documents }: Launch): boolean | null {
  if (trainer !== null || accelerate !== null) return true;
  if (documents.some(({ kind }) => kind === "llama-factory" || kind === "axolotl")) return true;
  return runs.length === 0 ? null : false;
}
