/** What accelerate refuses of the calls of a program, by what the launch tells it. */
import { at, scalarOf } from "../../documents/located.ts";
import { switchIn, textIn, type Settings } from "../../settings.ts";
import { isNone, type Call } from "../../python-calls.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { has, methodOf, seenIn, type Seen } from "./seen.ts";

type Refuses = (call: Call, seen: Seen) => Pick<Found, "message" | "related"> | null;

const kindOf = (settings: Settings | null): string => {
  const said = settings ?? new Map();
  if (switchIn(said, "use_deepspeed") === true) return "DEEPSPEED";
  return switchIn(said, "use_fsdp") === true ? "FSDP" : (textIn(said, "distributed_type") ?? "").toUpperCase();
};

const gathers = ["stage3_gather_16bit_weights_on_model_save", "stage3_gather_fp16_weights_on_model_save"];

/** DeepSpeed's own file, or what accelerate makes of its settings, gathers the weights of stage 3. */
function isGathered({ config, launch: { accelerate } }: Seen): boolean {
  if (config !== undefined) return gathers.some((key) => scalarOf(at(config, "zero_optimization", key)) === true);
  const said = accelerate ?? new Map();
  return switchIn(said, "zero3_save_16bit_model", "deepspeed_config.zero3_save_16bit_model") === true;
}

const whole: Refuses = (call, seen) =>
  methodOf(call, seen.accelerators) === "get_state_dict" && seen.stage?.stage === 3 && !isGathered(seen)
    ? {
        message:
          "the weights of ZeRO stage 3 are not gathered: stage3_gather_16bit_weights_on_model_save is not true",
        ...nearby("the stage", seen.stage.span),
      }
    : null;

const clipped: Refuses = (call, { accelerators, launch, config }) => {
  const kind = config === undefined ? kindOf(launch.accelerate) : "DEEPSPEED";
  return methodOf(call, accelerators) === "clip_grad_value_" && ["DEEPSPEED", "FSDP"].includes(kind)
    ? { message: `clip_grad_value_ does not go with ${kind === "FSDP" ? "FSDP" : "DeepSpeed"}: use clip_grad_norm_` }
    : null;
};

const made = /(?:^|\.)(?:optim\.[A-Z]\w+|AdamW|Adam|SGD|Adafactor|Lion)$/;
const scheduled = /(?:^|\.)(?:lr_scheduler\.[A-Z]\w+|get_\w*schedul\w*)$/;

/** A dummy stands for what the configuration says; an object of one's own, for what it leaves out. */
const twice: Refuses = (call, { config, code, accelerators }) => {
  const last = call.name.split(".").at(-1) ?? "";
  // A program that asks what the configuration has chooses by it.
  if (config === undefined || accelerators.size === 0 || /\bdeepspeed_(?:config|plugin)\b/.test(code)) return null;
  const [optimizer, scheduler] = ["optimizer", "scheduler"].map((key) => at(config, key));
  if (made.test(call.name) && has(config, "optimizer") && !/\bDummyOptim\b/.test(code))
    return {
      message: "the configuration makes an optimizer too: DummyOptim must stand for it",
      ...nearby("the optimizer", optimizer?.span),
    };
  if (scheduled.test(call.name) && has(config, "scheduler") && !/\bDummyScheduler\b/.test(code))
    return {
      message: "the configuration makes a schedule too: DummyScheduler must stand for it",
      ...nearby("the schedule", scheduler?.span),
    };
  if (last === "DummyOptim" && !has(config, "optimizer"))
    return { message: "DummyOptim stands for the optimizer of a configuration that has none" };
  if (
    last === "DummyScheduler" &&
    !has(config, "scheduler") &&
    isNone(call.named.get("lr_scheduler_callable")) &&
    !call.isOpen
  )
    return { message: "DummyScheduler stands for the schedule of a configuration that has none" };
  return null;
};

const program =
  "from accelerate import Accelerator\naccelerator = Accelerator()\nmodel = accelerator.prepare(model)\nsave(accelerator.get_state_dict(model))\n";
const json = (gather: boolean): string =>
  `{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 3, "stage3_gather_16bit_weights_on_model_save": ${gather} } }`;
const run = "accelerate launch --use_deepspeed --deepspeed_config_file ds.json --num_processes 8 src/train.py\n";

export const programAccelerateRules: readonly ForeignRule[] = [
  rule({
    name: "program-accelerate-call",
    // Whether the program comes by the call is its own affair.
    severity: "warning",
    source: "accelerate/accelerator.py: get_state_dict, clip_grad_value_, _prepare_deepspeed",
    why: "A program that makes an Accelerator itself lies beside the launch, and one of its calls is refused with what the launch tells accelerate: the weights of ZeRO stage 3 at the very end, when the model is saved.",
    fix: "Change the call, or the setting that the message names.",
    check: (launch) =>
      seenIn(launch)
        .filter(({ accelerators }) => accelerators.size > 0)
        .flatMap((seen) =>
          seen.calls.flatMap((call) =>
            [whole, clipped, twice].flatMap((row): readonly Found[] => {
              const said = row(call, seen);
              return said === null ? [] : [{ span: call.span, ...said }];
            }),
          ),
        ),
    fires: { "ds.json": json(false), "run.sh": run, "src/train.py": program },
    silent: { "ds.json": json(true), "run.sh": run, "src/train.py": program },
  }),
];
