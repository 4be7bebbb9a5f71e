/** Muon steps on whole matrices: what cuts them, or adds to them elsewhere, does not go with it. */
import type { Host } from "../launch.ts";
import type { Settings } from "../settings.ts";
import { demandsOf, type Demand } from "../step.ts";
import { optimizerName, usesBf16Optimizer } from "./optimizer.ts";
import { modelDtype, stageOf } from "./precision.ts";

const build = demandsOf("runtime/zero/stage3.py: __init__", "build");
const bf16 = demandsOf("runtime/bf16_optimizer.py: BF16_Optimizer.__init__", "build");

const isMuon = (settings: Settings, host: Host): boolean =>
  host.clientOptimizer === null && optimizerName(settings) === "muon";

export const muon: readonly Demand[] = [
  build("muon-reduce-scatter", {
    about: ["zero_optimization.reduce_scatter", "optimizer.type"],
    check: (settings, host) =>
      stageOf(settings) === 3 && isMuon(settings, host) && settings.zero.on("reduce_scatter")
        ? "Muon with ZeRO stage 3 needs reduce_scatter false"
        : null,
    why: "Muon works on whole matrices. A reduce-scatter leaves each rank only a piece of them, which it cannot update.",
    fix: "Set zero_optimization.reduce_scatter to false.",
    fires: { optimizer: { type: "Muon" }, zero_optimization: { stage: 3 } },
    silent: { optimizer: { type: "Muon" }, zero_optimization: { stage: 3, reduce_scatter: false } },
  }),
  bf16("muon-dense", {
    about: ["optimizer.type", "zero_optimization.stage"],
    check: (settings, host) => {
      const { kind } = host.model;
      if (kind === "dense" || !isMuon(settings, host)) return null;
      const plain =
        kind === "pipeline" &&
        stageOf(settings) === 0 &&
        modelDtype(settings) === "bfloat16" &&
        (settings.plain("data_types.grad_accum_dtype") ?? "bf16") === "bf16";
      if (!plain && !usesBf16Optimizer(settings)) return null;
      return `Muon in bf16 under ZeRO stage ${stageOf(settings)} cannot be combined with ${kind === "pipeline" ? "pipeline stages" : "experts"}`;
    },
    why: "The optimizer that keeps bf16 weights with fp32 master weights supports Muon only for dense models on data-parallel ranks.",
    fix: "Use another optimizer, or fp16 instead of bf16.",
    fires: { $model: "pipeline:2", optimizer: { type: "Muon" }, zero_optimization: { stage: 0 } },
    silent: { optimizer: { type: "Muon" }, zero_optimization: { stage: 0 } },
  }),
];
