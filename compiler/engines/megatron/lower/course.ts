import { scheduleSteps } from "../../../planner/schedule.ts";
import { only, propose, say, type Intent, type Subject } from "./intent.ts";

const styles: Readonly<Record<string, string>> = {
  constant: "constant",
  linear: "linear",
  cosine: "cosine",
  wsd: "WSD",
};

/** Length, optimizer, rates and precision. */
export function courseIntents({ stage, plan: { total, batch } }: Subject): readonly Intent[] {
  const { optimizer, schedule, precision } = stage;
  const { warmup, cooldown } = scheduleSteps(schedule, total.steps, batch.tokens_per_step);
  return [
    say("train_iters", total.steps, "length"),
    propose("optimizer", "adam", "optimizer"),
    say("lr", optimizer.lr, "optimizer.lr"),
    say("adam_beta1", optimizer.betas[0], "optimizer.betas"),
    say("adam_beta2", optimizer.betas[1], "optimizer.betas"),
    say("adam_eps", optimizer.eps, "optimizer.eps"),
    say("weight_decay", optimizer.weightDecay, "optimizer.weight_decay"),
    say("clip_grad", stage.clip ?? 0, "clip"),
    say("lr_decay_style", styles[schedule.name] ?? schedule.name, "schedule"),
    propose("lr_decay_iters", total.steps, "length"),
    say("lr_warmup_iters", warmup, "schedule.warmup"),
    ...only(schedule.name !== "constant", () => [
      say("min_lr", Number((optimizer.lr * schedule.to).toPrecision(12)), "schedule.to"),
    ]),
    ...only(schedule.name === "wsd", () => [
      propose("lr_wsd_decay_style", "linear", "schedule"),
      say("lr_wsd_decay_iters", cooldown, "schedule.cooldown"),
    ]),
    ...only(precision.value === "bf16", () => [
      say("bf16", true, "precision"),
      propose("accumulate_allreduce_grads_in_fp32", true, "precision"),
    ]),
    ...only(precision.value === "fp16", () => [
      say("fp16", true, "precision"),
      propose("initial_loss_scale", 65536, "precision"),
    ]),
    say("seed", stage.seed, "seed"),
    ...only(stage.determinism === "bitwise", () => [say("deterministic_mode", true, "determinism")]),
  ];
}
