/** The trainings that files start, and which of them is meant. */
import { isMegatron } from "../foreign/megatron.ts";
import type { Launch, Run } from "../foreign/launch.ts";
import { distinct } from "../foreign/launches.ts";

/** Options that speak of training, whoever reads them. */
const telling =
  /^(?:learning_rate|lr|num_train_epochs|max_steps|per_device_train_batch_size|train_iters|deepspeed|deepspeed_config)$/;

/** Programs that only prepare: what they say is no training. */
const preparing = /(?:preprocess|tokenize|download|convert|merge|prepare|export|eval)\w*(?:\.py)?$/i;

/** Programs that use what was trained. Megatron's take the arguments of a training, and a file says them all the same. */
const using = /(?:text_generation|generate)\w*(?:\.py)?$/i;

export function trainingRuns({ runs }: Launch): readonly Run[] {
  const started = runs.filter((run) => {
    const program = run.program?.text ?? "";
    return !preparing.test(program) && (isMegatron(run) || !using.test(program));
  });
  const sure = started.filter(isTraining);
  const candidates = sure.length > 0 ? sure : started.filter(({ launcher }) => launcher.kind !== "other");
  return distinct(candidates);
}

function isTraining(run: Run): boolean {
  if (isMegatron(run)) return true;
  if (["torchrun", "deepspeed", "accelerate"].includes(run.launcher.kind)) return true;
  if (["llamafactory-cli", "axolotl"].includes(run.launcher.word.text?.split("/").at(-1) ?? ""))
    return run.args.some(({ text }) => text === "train");
  return [...run.options.keys()].some((name) => telling.test(name));
}
