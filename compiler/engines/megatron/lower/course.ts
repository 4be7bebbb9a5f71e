import { scheduleSteps } from "../../../planner/schedule.ts";
import type { OptimizerSpec } from "../../../pipeline.ts";
import { isNarrow, recipeOf } from "../narrow.ts";
import { narrowGradients } from "../raw-engine.ts";
import { rawWord } from "../raw-word.ts";
import { only, propose, say, type Intent, type Subject } from "./intent.ts";

const styles: Readonly<Record<string, string>> = {
  constant: "constant",
  linear: "linear",
  cosine: "cosine",
  wsd: "WSD",
  inverse_sqrt: "inverse-square-root",
};

/** What the language's schedules are to --lr-decay-style. */
export const schedules: readonly string[] = Object.keys(styles);

/** Length, optimizer, rates and precision. */
export function courseIntents(subject: Subject): readonly Intent[] {
  const {
    stage,
    plan: { total, batch },
  } = subject;
  const { optimizer, schedule, precision } = stage;
  const { warmup, cooldown } = scheduleSteps(schedule, total.steps, batch.tokens_per_step);
  return [
    say("train_iters", total.steps, "length"),
    ...optimizerIntents(optimizer),
    say("lr", optimizer.lr, "optimizer.lr"),
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
    ...narrowIntents(subject),
    ...only(precision.value === "bf16" || isNarrow(precision.value), () => [
      say("bf16", true, "precision"),
      ...only(!narrowGradients((name) => rawWord(stage.rawMegatron, name)), () => [
        propose("accumulate_allreduce_grads_in_fp32", true, "precision"),
      ]),
    ]),
    ...only(precision.value === "fp16", () => [
      say("fp16", true, "precision"),
      propose("initial_loss_scale", 65536, "precision"),
    ]),
    say("seed", stage.seed, "seed"),
    ...only(stage.determinism === "bitwise", () => [say("deterministic_mode", true, "determinism")]),
  ];
}

function optimizerIntents({ name, betas, eps, momentum, muon }: OptimizerSpec): readonly Intent[] {
  if (name === "sgd")
    return [say("optimizer", "sgd", "optimizer"), say("sgd_momentum", momentum ?? 0, "optimizer.momentum")];
  return [
    say("optimizer", muon === undefined ? "adam" : "muon", "optimizer"),
    ...(muon === undefined
      ? []
      : [
          say("muon_momentum", momentum ?? 0.95, "optimizer.momentum"),
          say("muon_nesterov", muon.nesterov, "optimizer.nesterov"),
          say("muon_num_ns_steps", muon.iterations, "optimizer.iterations"),
        ]),
    say("adam_beta1", betas[0], "optimizer.betas"),
    say("adam_beta2", betas[1], "optimizer.betas"),
    say("adam_eps", eps, "optimizer.eps"),
  ];
}

/** Products in 8 bits: forward in e4m3, gradients in e5m2, whose range is wider (Micikevicius et al. 2022, arXiv 2209.05433). */
function narrowIntents({ stage, cluster }: Subject): readonly Intent[] {
  const { precision, narrow } = stage;
  switch (precision.value) {
    case "fp8": {
      const recipe = recipeOf(cluster.device, narrow);
      return [
        propose("fp8", recipe === "mxfp8" ? "e4m3" : "hybrid", "precision"),
        (narrow?.recipe == null ? propose : say)("fp8_recipe", recipe, "precision"),
        ...only(narrow?.weights === true, () => [
          say("fp8_param_gather", true, "precision"),
          ...only(recipe === "mxfp8", () => [say("reuse_grad_buf_for_mxfp8_param_ag", true, "precision")]),
        ]),
      ];
    }
    case "fp4":
      return [say("fp4", "e2m1", "precision"), propose("fp4_recipe", "nvfp4", "precision")];
    default:
      return [];
  }
}
