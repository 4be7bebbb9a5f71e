import { documentsOf, type Launch, type Run } from "../launch.ts";
import { isMegatron } from "../megatron.ts";
import { textIn } from "../settings.ts";

/** Does something stand between a DeepSpeed JSON and DeepSpeed that fills its `"auto"`? `null` where nothing says. */
export function fills(launch: Launch): boolean | null {
  const { trainer, accelerate, runs, documents } = launch;
  // A program that accelerate starts without DeepSpeed may read a file of DeepSpeed's by itself.
  const isHanded =
    accelerate !== null &&
    (["use_deepspeed", "deepspeed_config_file", "deepspeed_config"].some((name) => accelerate.has(name)) ||
      textIn(accelerate, "distributed_type") === "DEEPSPEED");
  if (trainer !== null || isHanded) return true;
  if (documents.some(({ kind }) => kind === "llama-factory" || kind === "axolotl")) return true;
  if (documentsOf(launch, "deepspeed").length === 0) return null;
  return runs.some((run) => handsOver(run, launch)) ? false : null;
}

/**
 * A program may make its Trainer in Python. What hands the file straight to DeepSpeed is the option that DeepSpeed itself adds
 * to a parser, or a program that lies beside and does so by itself.
 */
function handsOver(run: Run, { beside }: Launch): boolean {
  if (run.options.has("deepspeed_config") || isMegatron(run)) return true;
  const path = run.program?.text ?? "";
  const text = path.endsWith(".py") ? beside.text(path, run.script.source)?.text : undefined;
  return text !== undefined && /\bdeepspeed\s*\.\s*initialize\s*\(/.test(text) && !/Trainer\b|\baccelerat/.test(text);
}
