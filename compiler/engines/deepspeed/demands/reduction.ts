import { asNumber, textOf, truthy } from "../value.ts";
import { demandsOf, type Demand } from "../step.ts";
import { makesOptimizer, stageOf } from "./precision.ts";

const demand = demandsOf("runtime/config.py: get_gradient_allreduce_op, _do_error_check", "config");
const build = demandsOf("runtime/zero/stage_1_and_2.py and stage3.py: __init__", "build");

const sums = (value: unknown): boolean => typeof value === "string" && value.toLowerCase() === "sum";

export const reduction: readonly Demand[] = [
  demand("allreduce-op", {
    about: "gradient_allreduce_op",
    check: ({ config }) => {
      const value = config.get("gradient_allreduce_op");
      return value === undefined || sums(value) || (typeof value === "string" && value.toLowerCase() === "mean")
        ? null
        : `gradient_allreduce_op = ${textOf(value)} is not one of mean, sum`;
    },
    valid: ["mean", "sum"],
    why: "Gradients of the ranks can only be averaged or added.",
    fix: "Write mean or sum.",
    fires: { gradient_allreduce_op: "max" },
    silent: { gradient_allreduce_op: "SUM" },
  }),
  demand("allreduce-sum", {
    about: ["gradient_allreduce_op", "zero_optimization.stage"],
    check: (settings) => {
      if (!sums(settings.config.get("gradient_allreduce_op"))) return null;
      if (stageOf(settings) === 3)
        return "gradient_allreduce_op sum cannot be combined with ZeRO stage 3, which only averages";
      if (settings.zero.section("zenflow") !== null)
        return "gradient_allreduce_op sum cannot be combined with ZenFlow, which only averages";
      return settings.compile.on("deepcompile")
        ? "gradient_allreduce_op sum cannot be combined with DeepCompile, which only averages"
        : null;
    },
    why: "ZeRO stage 3, ZenFlow and DeepCompile average the gradients of the ranks and have no code for a sum. The engine refuses the option rather than train on wrong gradients.",
    fix: "Write gradient_allreduce_op mean, or use ZeRO stage 1 or 2 without ZenFlow and DeepCompile.",
    fires: { gradient_allreduce_op: "sum", zero_optimization: { stage: 3 } },
    silent: { gradient_allreduce_op: "sum", zero_optimization: { stage: 2 } },
  }),
  ...(["gradient_predivide_factor", "prescale_gradients"] as const).map((key) =>
    build(key.replaceAll("_", "-"), {
      about: [key, "zero_optimization.reduce_scatter"],
      check: (settings, host) => {
        const stage = stageOf(settings);
        const value = settings.config.get(key);
        const off = key === "prescale_gradients" ? !truthy(value) : value === undefined || asNumber(value) === 1;
        const averages = !sums(settings.config.get("gradient_allreduce_op")) || stage === 3;
        if (off || stage < 2 || !averages || !settings.zero.on("reduce_scatter")) return null;
        if (!makesOptimizer(settings, host.clientOptimizer)) return null;
        return `${key} with ZeRO stage ${stage}: with reduce_scatter gradients are not scaled before the sum`;
      },
      why: "From stage 2 on, gradients are reduced by a reduce-scatter, which averages them itself. Scaling them beforehand is not supported, and the engine refuses it.",
      fix: `Set zero_optimization.reduce_scatter to false, or leave ${key} out.`,
      fires: { [key]: key === "prescale_gradients" ? true : 8 },
      silent: { [key]: key === "prescale_gradients" ? true : 8, zero_optimization: { stage: 1 } },
    }),
  ),
];
