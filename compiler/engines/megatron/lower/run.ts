import { batchesOf } from "../../../planner/evaluation-batches.ts";
import { periodSteps } from "../../../planner/schedule.ts";
import { evaluationIterations } from "../capabilities.ts";
import { rawWord } from "../raw-word.ts";
import { only, propose, say, type Intent, type Subject } from "./intent.ts";

/** Folders that are known when the job starts; the launch script puts them in. */
export const folders = { data: "{data}", run: "{run}", from: "{from}" } as const;

/** Where a run keeps its checkpoints, and its other steps look for them. */
export const ownCheckpoints = `${folders.run}/checkpoints`;

/** Data, checkpoints, evaluation, logs and signals. */
export function runIntents({ stage, plan: { total, batch, time } }: Subject): readonly Intent[] {
  const { checkpoint, eval: evaluation, track, resume } = stage;
  const steps = (period: Parameters<typeof periodSteps>[0]): number =>
    periodSteps(period, batch.tokens_per_step, time.step);
  const said = rawWord(stage.rawMegatron, "save");
  const saved = typeof said === "string" ? said : ownCheckpoints;
  const wanted = checkpoint?.every == null ? total.steps : steps(checkpoint.every);
  const every = Math.min(total.steps, wanted);
  // Token ids are named without their ending.
  const ending = stage.conversations === undefined ? "" : ".jsonl";
  const isCapped = checkpoint?.every == null || wanted > total.steps;
  return [
    say("train_data_path", [`${folders.data}/train${ending}`], "data"),
    ...only(evaluation !== null, () => [say("valid_data_path", [`${folders.data}/val${ending}`], "data")]),
    ...only(stage.conversations !== undefined, () => [say("sft", true, "data.format")]),
    say("data_cache_path", `${folders.run}/data-cache`, "data"),
    say("dataloader_type", "single", "data"),
    say("create_attention_mask_in_dataloader", false, "causal attention, which the kernels apply themselves"),
    (evaluation?.length == null ? propose : say)(
      "eval_iters",
      evaluation === null ? 0 : (batchesOf(evaluation.length, batch.global_batch) ?? evaluationIterations),
      "eval",
    ),
    evaluation === null
      ? propose("eval_interval", total.steps, "eval.every")
      : say("eval_interval", steps(evaluation.every), "eval.every"),
    ...only(checkpoint !== null, () => [
      (typeof said === "string" ? propose : say)("save", saved, "checkpoint"),
      (isCapped ? propose : say)("save_interval", every, "checkpoint.every"),
      say("ckpt_format", "torch_dist", "engine"),
      // A stopped run goes on from where it saves.
      ...only(resume !== "never", () => [say("load", saved, "resume")]),
      ...only(resume === "weights", () => [say("no_load_optim", true, "resume"), say("no_load_rng", true, "resume")]),
    ]),
    ...only(stage.from !== null, () => [say("pretrained_checkpoint", `${folders.from}/checkpoints`, "from")]),
    say("exit_signal_handler", true, "engine"),
    say("log_interval", steps(stage.log.every), "log.every"),
    propose("log_throughput", true, "log"),
    ...only(track.includes("tensorboard") || track.includes("wandb"), () => [
      propose("tensorboard_dir", `${folders.run}/tensorboard`, "track"),
    ]),
    ...only(track.includes("wandb"), () => [
      propose("wandb_project", stage.name, "track"),
      propose("wandb_exp_name", stage.name, "track"),
      propose("wandb_save_dir", `${folders.run}/wandb`, "track"),
    ]),
  ];
}
