/** ZenFlow: important gradients step on the GPU at once, the others on the CPU behind its work. */
import { demandsOf, type Demand } from "../step.ts";
import { isInt, textOf } from "../value.ts";
import { offloadsOptimizer, usesBf16Optimizer } from "./optimizer.ts";
import { makesOptimizer, stageOf } from "./precision.ts";

const config = demandsOf("runtime/zenflow/zenflow_config.py: validate_fields", "config");
const build = demandsOf(
  "runtime/zenflow/engine.py: configure_zenflow; runtime/zenflow/zenflow_stage_1_and_2.py",
  "build",
);

const path = "zero_optimization.zenflow";
const shards = (stage: number): boolean => stage === 1 || stage === 2;

export const zenflow: readonly Demand[] = [
  config("zenflow-strategy", {
    about: `${path}.select_strategy`,
    check: ({ zero }) => {
      const flow = zero.section("zenflow");
      return flow === null || ["auto", "step", "epoch"].includes(flow.text("select_strategy"))
        ? null
        : `zenflow.select_strategy = "${flow.text("select_strategy")}" is not one of auto, step, epoch`;
    },
    valid: ["auto", "step", "epoch"],
    why: "The strategy sets how often the important gradients are selected again; the section is refused with any other word.",
    fix: "Write auto, step or epoch.",
    fires: { zero_optimization: { zenflow: { select_strategy: "sometimes" } } },
    silent: { zero_optimization: { zenflow: { select_strategy: "epoch" } } },
  }),
  ...["select_interval", "update_interval"].map((name) =>
    config(`zenflow-${name.replace("_", "-")}`, {
      about: `${path}.${name}`,
      check: ({ zero }) => {
        const value = zero.section("zenflow")?.value(name);
        if (value === undefined) return null;
        if (typeof value === "string")
          return value === "auto" ? null : `zenflow.${name} = ${textOf(value)} is neither "auto" nor a whole number`;
        return name === "update_interval" && Number(value) < 1
          ? `zenflow.update_interval = ${textOf(value)} is less than 1`
          : null;
      },
      why: "The interval counts steps or epochs, so it must be a whole number or the word auto. The section is refused with anything else.",
      fix: `Write zenflow.${name} as a whole number of at least 1 without quotes, or "auto".`,
      fires: { zero_optimization: { zenflow: { [name]: "often" } } },
      silent: { zero_optimization: { zenflow: { [name]: 4 } } },
    }),
  ),
  build("zenflow-interval", {
    about: [`${path}.select_interval`, `${path}.select_strategy`],
    check: ({ zero }) => {
      const flow = zero.section("zenflow");
      if (flow === null) return null;
      const automatic = flow.text("select_strategy") === "auto";
      const number = isInt(flow.value("select_interval"));
      if (automatic)
        return number ? "zenflow.select_interval is a number, but select_strategy auto sets it itself" : null;
      if (!number) return `zenflow.select_strategy ${flow.text("select_strategy")} needs select_interval as a number`;
      const [select, update] = [flow.value("select_interval"), flow.value("update_interval")];
      return flow.text("select_strategy") === "step" &&
        isInt(update) &&
        Number(select) !== 0 &&
        Number(select) < Number(update)
        ? `zenflow.select_interval ${Number(select)} is less than update_interval ${Number(update)}`
        : null;
    },
    why: "Strategies step and epoch count in select_interval; auto uses 1 epoch and refuses another number. Gradients cannot be selected again more often than they are applied.",
    fix: 'Give select_interval a number with strategy step or epoch, at least update_interval; with auto write "auto".',
    fires: { zero_optimization: { offload_optimizer: { device: "cpu" }, zenflow: { select_strategy: "step" } } },
    silent: {
      zero_optimization: {
        offload_optimizer: { device: "cpu" },
        zenflow: { select_strategy: "step", select_interval: 4 },
      },
    },
  }),
  build("zenflow-offload", {
    about: [path, "zero_optimization.offload_optimizer.device"],
    check: (settings, host) =>
      settings.zero.section("zenflow") !== null &&
      shards(stageOf(settings)) &&
      makesOptimizer(settings, host.clientOptimizer) &&
      !usesBf16Optimizer(settings) &&
      !offloadsOptimizer(settings)
        ? "ZenFlow needs an optimizer offloaded to the CPU"
        : null,
    why: "ZenFlow steps on unimportant gradients on the CPU, behind the GPU's work, which needs an optimizer on the CPU.",
    fix: "Add offload_optimizer with device cpu, or leave the zenflow section out.",
    fires: { zero_optimization: { zenflow: {} } },
    silent: { zero_optimization: { zenflow: {}, offload_optimizer: { device: "cpu" } } },
  }),
  build("zenflow-overlap", {
    about: [`${path}.offload`, "zero_optimization.overlap_comm"],
    check: (settings, host) => {
      const stage = stageOf(settings);
      if (settings.zero.section("zenflow")?.on("offload") !== true || !makesOptimizer(settings, host.clientOptimizer))
        return null;
      if (stage === 0 || (shards(stage) && usesBf16Optimizer(settings))) return null;
      const overlaps = settings.zero.given("overlap_comm") ? settings.zero.on("overlap_comm") : stage === 3;
      return overlaps ? null : `zenflow.offload needs overlap_comm, which is false under ZeRO stage ${stage}`;
    },
    why: "The states of important gradients wait on the CPU and are fetched while gradients are reduced. Without the overlap they could not be fetched in time, and the engine stops. overlap_comm is true by default only under stage 3.",
    fix: "Write zero_optimization.overlap_comm true, or leave zenflow.offload out.",
    fires: { zero_optimization: { zenflow: { offload: true }, offload_optimizer: { device: "cpu" } } },
    silent: {
      zero_optimization: { zenflow: { offload: true }, overlap_comm: true, offload_optimizer: { device: "cpu" } },
    },
  }),
];
