import type { Host } from "../launch.ts";
import type { Settings } from "../settings.ts";
import { demandsOf, type Demand } from "../step.ts";
import { schedulers } from "../table.ts";
import { parseFloatText } from "../coerce.ts";
import { asNumber, isInt, isList, isSection, textOf, type Section } from "../value.ts";
import { makesOptimizer, modelDtype, stageOf } from "./precision.ts";

const build = demandsOf("runtime/engine.py: _scheduler_from_config; runtime/lr_schedules.py", "build");

/** The scheduler that the engine will make: none without an optimizer to drive. */
function named(settings: Settings, host: Host): string | null {
  const type = settings.plain("scheduler.type") ?? null;
  return type === null || !makesOptimizer(settings, host.clientOptimizer) ? null : String(type);
}

function paramsOf(settings: Settings): Section | null {
  const params = settings.plain("scheduler.params");
  return isSection(params) ? params : null;
}

const ours = Object.keys(schedulers).filter((name) => !name.startsWith("torch."));
const known = (name: string): string | null =>
  ours.includes(name) ? name : schedulers[`torch.${name}`] === undefined ? null : `torch.${name}`;

export const scheduler: readonly Demand[] = [
  build("scheduler-unknown", {
    about: "scheduler.type",
    check: (settings, host) => {
      const name = named(settings, host);
      return name === null || known(name) !== null
        ? null
        : `scheduler.type = "${name}" is not a learning-rate schedule of DeepSpeed or torch`;
    },
    valid: ours,
    why: "Names are exact: WarmupLR, WarmupDecayLR, WarmupCosineLR, OneCycle, LRRangeTest, and classes of torch.optim.lr_scheduler.",
    fix: "Write one from `valid` with exactly this spelling, or a class of torch.optim.lr_scheduler.",
    fires: { scheduler: { type: "Cosine", params: {} } },
    silent: { scheduler: { type: "WarmupLR", params: {} } },
  }),
  build("scheduler-without-params", {
    about: "scheduler.params",
    check: (settings, host) =>
      named(settings, host) === null || paramsOf(settings) !== null
        ? null
        : "scheduler.params is missing; an empty section is enough",
    why: "The section is passed to the schedule's constructor, so it must exist.",
    fix: 'Add "params": {}, or the settings of the schedule.',
    fires: { scheduler: { type: "WarmupLR" } },
    silent: { scheduler: { type: "WarmupLR", params: {} } },
  }),
  build("scheduler-params", {
    about: "scheduler.params",
    check: (settings, host) => {
      const name = named(settings, host);
      const params = paramsOf(settings);
      const found = name === null ? null : known(name);
      if (name === null || params === null || found === null) return null;
      const takes = Object.keys(schedulers[found] ?? {});
      const bad = [...params.keys()].find((key) => !takes.includes(key));
      if (bad !== undefined) return `${name} takes no parameter ${bad}; it takes ${takes.join(", ")}`;
      const missing = Object.entries(schedulers[found] ?? {}).filter(
        ([key, { required }]) => required && !params.has(key),
      );
      return missing.length === 0 ? null : `${name} needs ${missing.map(([key]) => key).join(", ")}`;
    },
    why: "The section is passed to the schedule's constructor, and Python refuses an unknown name and a missing one.",
    fix: "Give only parameters of the schedule, and all required ones.",
    fires: { scheduler: { type: "WarmupDecayLR", params: { warmup_num_steps: 10 } } },
    silent: { scheduler: { type: "WarmupDecayLR", params: { warmup_num_steps: 10, total_num_steps: 100 } } },
  }),
  build("scheduler-steps", {
    about: ["scheduler.params.warmup_num_steps", "scheduler.params.lr_range_test_step_size"],
    check: (settings, host) => {
      const name = named(settings, host);
      const key = name === "LRRangeTest" ? "lr_range_test_step_size" : "warmup_num_steps";
      const value = paramsOf(settings)?.get(key);
      if (
        name === null ||
        !(name.startsWith("Warmup") || name === "LRRangeTest") ||
        !ours.includes(name) ||
        value === undefined
      )
        return null;
      return isInt(value) && Number(value) > 0
        ? null
        : `scheduler.params.${key} = ${textOf(value)} is not a positive whole number`;
    },
    why: 'The schedule needs an integer of at least 1. Only the transformers Trainer fills in `"auto"`.',
    fix: "Write a whole number of steps of at least 1, without quotes.",
    fires: { scheduler: { type: "WarmupLR", params: { warmup_num_steps: "auto" } } },
    silent: { scheduler: { type: "WarmupLR", params: { warmup_num_steps: 100 } } },
  }),
  build("scheduler-total", {
    about: "scheduler.params.total_num_steps",
    check: (settings, host) => {
      const name = named(settings, host);
      const value = paramsOf(settings)?.get("total_num_steps");
      return (name !== "WarmupDecayLR" && name !== "WarmupCosineLR") ||
        value === undefined ||
        asNumber(value) !== undefined
        ? null
        : `scheduler.params.total_num_steps = ${textOf(value)} is not a number`;
    },
    why: "The schedule compares the total with the warm-up steps, which fails with a text, so building the schedule stops.",
    fix: "Write the number of steps of the run, without quotes.",
    fires: { scheduler: { type: "WarmupDecayLR", params: { total_num_steps: "auto" } } },
    silent: { scheduler: { type: "WarmupDecayLR", params: { total_num_steps: 1000 } } },
  }),
  build("scheduler-rates", {
    about: ["scheduler.params.warmup_min_lr", "scheduler.params.warmup_max_lr", "optimizer.params.lr"],
    check: (settings, host) => {
      const name = named(settings, host);
      if (name !== "WarmupLR" && name !== "WarmupDecayLR") return null;
      const params = paramsOf(settings);
      for (const key of ["warmup_min_lr", "warmup_max_lr"]) {
        const value = params?.get(key);
        if (value === undefined || isList(value) || asNumber(value) !== undefined) continue;
        if (value === null && key === "warmup_max_lr" && name === "WarmupLR") continue;
        return `scheduler.params.${key} = ${textOf(value)} is not a number`;
      }
      const rate = settings.plain("optimizer.params.lr");
      const own =
        host.clientOptimizer === null && name === "WarmupLR" && (params?.get("warmup_max_lr") ?? null) === null;
      return own && rate !== undefined && asNumber(rate) === undefined
        ? `WarmupLR rises to optimizer.params.lr = ${textOf(rate)}, which is not a number`
        : null;
    },
    why: 'The schedule subtracts the two rates when it is created. Only the transformers Trainer fills in `"auto"`.',
    fix: "Write the rate as a number, without quotes: 0.0001 or 1e-4.",
    fires: { scheduler: { type: "WarmupLR", params: { warmup_max_lr: "auto" } } },
    silent: { scheduler: { type: "WarmupLR", params: { warmup_max_lr: 0.001 } } },
  }),
  build("scheduler-cycle", {
    about: "scheduler.params.cycle_first_step_size",
    check: (settings, host) => {
      if (named(settings, host) !== "OneCycle") return null;
      const params = paramsOf(settings);
      const sizeOf = (key: string): number | null | undefined => {
        const value = params?.get(key);
        if (value === undefined || (value === null && key === "cycle_second_step_size")) return null;
        return typeof value === "string" ? parseFloatText(value) : asNumber(value);
      };
      const [first, second] = [sizeOf("cycle_first_step_size"), sizeOf("cycle_second_step_size")];
      if (first === undefined || (first !== null && first <= 0))
        return "scheduler.params.cycle_first_step_size is not a positive number";
      return second === undefined || (second !== null && second < 0)
        ? "scheduler.params.cycle_second_step_size is not a number of at least 0"
        : null;
    },
    why: "A cycle rises for the first steps and falls for the second; a rise of 0 steps leads to a division by zero later.",
    fix: "Set cycle_first_step_size to 1 or more.",
    fires: {
      scheduler: { type: "OneCycle", params: { cycle_min_lr: 0, cycle_max_lr: 1, cycle_first_step_size: 0 } },
    },
    silent: {
      scheduler: { type: "OneCycle", params: { cycle_min_lr: 0, cycle_max_lr: 1, cycle_first_step_size: 10 } },
    },
  }),
  build("torch-scheduler", {
    about: ["scheduler.type", "zero_optimization.stage"],
    check: (settings, host) => {
      const name = named(settings, host);
      if (name === null || ours.includes(name) || known(name) === null) return null;
      const wrapped = stageOf(settings) > 0 || modelDtype(settings) !== "float32";
      return wrapped
        ? `${name} of torch works only with torch's optimizers, but here DeepSpeed's own wraps it`
        : null;
    },
    why: "With ZeRO, fp16 or bf16 the engine's optimizer is not a torch.optim.Optimizer, and torch's schedules refuse it.",
    fix: "Use one of DeepSpeed's schedules (WarmupLR, WarmupDecayLR, WarmupCosineLR, OneCycle, LRRangeTest), or create the schedule in the program.",
    fires: { scheduler: { type: "StepLR", params: { step_size: 10 } } },
    silent: {
      scheduler: { type: "StepLR", params: { step_size: 10 } },
      zero_optimization: { stage: 0 },
      bf16: { enabled: false },
    },
  }),
];
