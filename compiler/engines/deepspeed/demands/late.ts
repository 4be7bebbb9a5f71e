/** What the engine takes without a word and trips over at the first step, or takes and does something odd with. */
import { demandsOf, type Demand } from "../step.ts";
import { asNumber, textOf } from "../value.ts";
import { optimizerName } from "./optimizer.ts";
import { stageOf } from "./precision.ts";

const step = demandsOf("runtime/engine.py: step, backward", "step");

export const late: readonly Demand[] = [
  ...(["gradient_clipping", "steps_per_print"] as const).map((key) =>
    step(`${key.replaceAll("_", "-")}-number`, {
      about: key,
      severity: "warning",
      check: ({ config }) => {
        const value = config.get(key);
        if (value === undefined || asNumber(value) !== undefined) return null;
        return key === "steps_per_print" && value === null
          ? null
          : `${key} = ${textOf(value)} is not a number: the first step fails`;
      },
      why: "The engine does not check the value, but compares or divides by it at the first step.",
      fix: `Write ${key} as a number, without quotes.`,
      wanted: "a number",
      fires: { [key]: "auto" },
      silent: { [key]: 1 },
    }),
  ),
  step("learning-rate-number", {
    about: "optimizer.params.lr",
    severity: "warning",
    check: (settings, host) => {
      const value = settings.plain("optimizer.params.lr");
      return value === undefined ||
        asNumber(value) !== undefined ||
        optimizerName(settings) === null ||
        host.clientOptimizer !== null
        ? null
        : `optimizer.params.lr = ${textOf(value)} is not a number: the first step fails`;
    },
    why: 'The optimizer keeps the text, and its kernel refuses it. Only the transformers Trainer fills in `"auto"`.',
    fix: "Write the rate as a number, without quotes: 0.0001 or 1e-4.",
    wanted: "a number",
    fires: { optimizer: { params: { lr: "1e-4" } } },
    silent: { optimizer: { params: { lr: 1e-4 } } },
  }),
  step("negative-clipping", {
    about: "gradient_clipping",
    severity: "warning",
    check: ({ config }) => {
      const value = asNumber(config.get("gradient_clipping"));
      return value !== undefined && value < 0 ? `gradient_clipping ${value} turns clipping off, as 0 does` : null;
    },
    why: "The engine clips only if the value is above 0, so a negative one silently turns clipping off.",
    fix: "Write 0 to turn clipping off, or a positive norm such as 1.0.",
    fires: { gradient_clipping: -1 },
    silent: { gradient_clipping: 0 },
  }),
  step("negative-rate", {
    about: "optimizer.params.lr",
    severity: "warning",
    check: (settings) => {
      const value = asNumber(settings.plain("optimizer.params.lr"));
      return value !== undefined && value < 0 ? `optimizer.params.lr ${value} would increase the loss` : null;
    },
    why: "DeepSpeed's own optimizers silently accept a negative rate, and every step then makes the loss larger.",
    fix: "Write the rate without the minus sign.",
    fires: { optimizer: { params: { lr: -1e-4 } } },
    silent: { optimizer: { params: { lr: 1e-4 } } },
  }),
  step("stage3-without-optimizer", {
    about: ["optimizer.type", "zero_optimization.stage"],
    severity: "warning",
    check: (settings, host) =>
      stageOf(settings) === 3 && host.clientOptimizer === null && optimizerName(settings) === null
        ? "no optimizer is configured or passed by the program: evaluation works, but training fails at the first backward pass"
        : null,
    why: "Stage 3 without an optimizer is meant for inference: the engine is built, but the first backward pass stops.",
    fix: "Add an optimizer section, or pass an optimizer to deepspeed.initialize; for evaluation alone no change is needed.",
    fires: { $without: ["optimizer"], zero_optimization: { stage: 3 } },
    silent: { zero_optimization: { stage: 3 } },
  }),
];
