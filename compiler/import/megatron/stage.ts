/** What a Megatron command line says of its training, as members of a `stage`. */
import { block, property, when, type Block, type Member } from "../draft.ts";
import { numeral, percent, quantity, quoted } from "../literals.ts";
import type { Values } from "./numbers.ts";

export interface StageNames {
  readonly model: string;
  readonly data: string;
  /** Beside conversations; `null` where every token counts. */
  readonly loss: string | null;
  /** The program, where the engine would not choose it by itself; its folder. */
  readonly program: string | null;
  readonly root: string | null;
  /** The release, where the files of the launch name it. */
  readonly version: string | null;
}

const unsaid = "no argument gives it";

export function stageMembers(values: Values, names: StageNames, world: number): readonly Member[] {
  const { number, on } = values;
  const steps = number("train_iters");
  const samples = number("train_samples");
  return [
    property("model", names.model),
    property("data", names.data),
    property("engine", engineOf(names)),
    ...contextOf(values),
    samples !== null && steps === null
      ? property("length", quantity(samples, "samples"))
      : property("length", quantity(steps ?? 1000, "steps"), steps === null ? unsaid : undefined),
    ...batchOf(values, world),
    ...(names.loss === null ? [] : [property("loss", names.loss)]),
    ...optimizerOf(values),
    ...scheduleOf(values, steps),
    property("clip", clipOf(number("clip_grad"))),
    property("precision", precisionOf(values)),
    ...when(values.text("attention_backend") === "flash", property("attention", "flash")),
    property("seed", numeral(number("seed") ?? 1234)),
    ...when(on("deterministic_mode"), property("determinism", "bitwise")),
    property("resume", resumeOf(values)),
    ...trackOf(values),
    layoutOf(values),
    ...evaluationOf(values, steps),
    logOf(values, steps),
    ...checkpointOf(values),
  ];
}

function engineOf({ program, root, version }: StageNames): string {
  const options = [
    ...(version === null ? [] : [`version = ${quoted(version)}`]),
    ...(root === null ? [] : [`root = ${quoted(root)}`]),
    ...(program === null ? [] : [`program = ${quoted(program)}`]),
  ];
  return options.length === 0 ? "megatron" : `megatron(${options.join(", ")})`;
}

const ownPeriod = 100;

/** Megatron's own period is the run's whole length where that is shorter: a line that never comes is nobody's wish. */
function logOf({ number }: Values, steps: number | null): Block {
  const every = Math.max(1, number("log_interval") ?? ownPeriod);
  const isLong = every === ownPeriod && steps !== null && steps > 0 && steps < ownPeriod;
  return block("log", [
    isLong
      ? property("every", quantity(steps, "steps"), `Megatron's own ${ownPeriod} steps would never be reached`)
      : property("every", quantity(every, "steps")),
  ]);
}

const recipes: ReadonlySet<string> = new Set(["tensorwise", "delayed", "blockwise", "mxfp8"]);

/** Narrow products stand beside bf16 in the language. */
function precisionOf({ text, on }: Values): string {
  if (!on("bf16")) return on("fp16") ? "fp16" : "fp32";
  if (text("fp4") !== null) return "fp4";
  if (text("fp8") === null) return "bf16";
  const recipe = text("fp8_recipe") ?? "delayed";
  const options = [
    ...(recipes.has(recipe) ? [`recipe = ${recipe}`] : []),
    ...(on("fp8_param_gather") ? ["weights = true"] : []),
  ];
  return options.length === 0 ? "fp8" : `fp8(${options.join(", ")})`;
}

function contextOf({ number }: Values): readonly Member[] {
  const sequence = number("seq_length") ?? number("encoder_seq_length");
  const longest = number("max_position_embeddings") ?? sequence;
  return when(sequence !== null && sequence !== longest, property("context", quantity(sequence ?? 0, "tokens")));
}

function batchOf({ number, text, on }: Values, world: number): readonly Member[] {
  const split =
    (number("tensor_model_parallel_size") ?? 1) *
    (number("pipeline_model_parallel_size") ?? 1) *
    (number("context_parallel_size") ?? 1);
  const least = (number("micro_batch_size") ?? 1) * Math.max(1, Math.floor(world / split));
  const first = /:(\d+)/.exec(text("step_batch_size_schedule") ?? "")?.[1];
  const all = number("global_batch_size") ?? (first === undefined ? least : Number(first));
  const isLowered = on("decrease_batch_size_if_needed") && all > least;
  return [property("batch", quantity(isLowered ? all - (all % least) : all, "samples"))];
}

function optimizerOf({ number, text, on }: Values): readonly Member[] {
  const lr = number("lr");
  const kind = text("optimizer") ?? "adam";
  const name = kind === "sgd" ? "sgd" : kind === "muon" || kind === "dist_muon" ? "muon" : "adamw";
  const rate = numeral(lr ?? 1e-4);
  const adam = [
    `betas = [${numeral(number("adam_beta1") ?? 0.9)}, ${numeral(number("adam_beta2") ?? 0.999)}]`,
    `eps = ${numeral(number("adam_eps") ?? 1e-8)}`,
  ];
  const decay = `weight_decay = ${numeral(number("weight_decay") ?? 0.01)}`;
  const own = {
    sgd: [`momentum = ${numeral(number("sgd_momentum") ?? 0.9)}`, decay],
    muon: [
      `momentum = ${numeral(number("muon_momentum") ?? 0.95)}`,
      `nesterov = ${on("muon_nesterov") || on("muon_use_nesterov")}`,
      `iterations = ${numeral(number("muon_num_ns_steps") ?? 5)}`,
      decay,
      `others = adamw(lr = ${rate}, ${adam.join(", ")})`,
    ],
    adamw: [...adam, decay],
  }[name];
  const parts = [`lr = ${rate}`, ...own];
  return [property("optimizer", `${name}(${parts.join(", ")})`, lr === null ? `the rate: ${unsaid}` : undefined)];
}

const styles: Readonly<Record<string, string>> = {
  constant: "constant",
  linear: "linear",
  cosine: "cosine",
  WSD: "wsd",
  "inverse-square-root": "inverse_sqrt",
};

/** Nothing where the language has no such schedule: the engine's own words say it then. */
function scheduleOf({ number, text }: Values, steps: number | null): readonly Member[] {
  const name = styles[text("lr_decay_style") ?? "linear"];
  if (name === undefined) return [];
  const warmup = number("lr_warmup_iters") ?? 0;
  const [lr, least] = [number("lr") ?? 0, number("min_lr") ?? 0];
  // It has no end of its own in the language.
  if (name === "inverse_sqrt" && least > 0) return [];
  const cooldown = number("lr_wsd_decay_iters");
  const fraction = number("lr_warmup_fraction");
  const options = [
    ...(warmup > 0 && (steps === null || warmup < steps) ? [`warmup = ${quantity(warmup, "steps")}`] : []),
    ...(fraction === null || fraction <= 0 ? [] : [`warmup = ${percent(fraction)}`]),
    ...(name === "wsd" && cooldown !== null && cooldown > 0 && (steps === null || warmup + cooldown <= steps)
      ? [`cooldown = ${quantity(cooldown, "steps")}`]
      : []),
    ...(name !== "constant" && lr > 0 && least > 0 && least <= lr ? [`to = ${shareOf(least, lr)}`] : []),
  ];
  return [property("schedule", options.length === 0 ? name : `${name}(${options.join(", ")})`)];
}

/** The share that gives the last rate back, in as few digits as do. */
function shareOf(least: number, lr: number): string {
  for (let digits = 2; digits < 17; digits++) {
    const share = Number(((least / lr) * 100).toPrecision(digits));
    if (Number((lr * (share / 100)).toPrecision(12)) === least) return `${share}%`;
  }
  return percent(least / lr);
}

function clipOf(clip: number | null): string {
  return clip === null || clip === 0 ? "none" : numeral(clip);
}

function trackOf({ text }: Values): readonly Member[] {
  const to = [
    "console",
    ...(text("tensorboard_dir") === null ? [] : ["tensorboard"]),
    ...(text("wandb_project") === null || text("wandb_project") === "" ? [] : ["wandb"]),
  ];
  return when(to.length > 1, property("track", `[${to.join(", ")}]`));
}

function layoutOf(values: Values): Block {
  const { number, on } = values;
  // What only the run knows is the planner's to choose.
  const pinned = (name: string, size: number | null): readonly Member[] =>
    size === null ? [] : [property(name, numeral(size))];
  const [tensor, pipeline] = [number("tensor_model_parallel_size"), number("pipeline_model_parallel_size")];
  // A pattern of layers says itself where a pipeline is cut.
  const virtual =
    values.text("hybrid_layer_pattern") === null ? (number("virtual_pipeline_model_parallel_size") ?? 1) : 1;
  const isSplit = on("sequence_parallel");
  return block("layout", [
    property(
      "micro_batch",
      quantity(number("micro_batch_size") ?? 1, "samples"),
      number("micro_batch_size") === null ? unsaid : undefined,
    ),
    ...pinned("tensor_parallel", tensor),
    ...when(tensor !== null && isSplit !== tensor > 1, property("sequence_parallel", String(isSplit))),
    ...pinned("pipeline_parallel", pipeline),
    ...when(pipeline !== null && pipeline > 1, ...pinned("virtual_pipeline", virtual)),
    ...pinned("context_parallel", number("context_parallel_size")),
    ...when(
      number("num_experts") !== null,
      ...pinned("expert_parallel", number("expert_model_parallel_size")),
      ...pinned("expert_tensor_parallel", number("expert_tensor_parallel_size")),
    ),
    property("zero_stage", on("use_distributed_optimizer") ? "1" : "0"),
    property("recompute", values.text("recompute_granularity") ?? "none"),
  ]);
}

function evaluationOf({ number }: Values, steps: number | null): readonly Member[] {
  const [every, batches] = [number("eval_interval"), number("eval_iters") ?? 100];
  if (every === null || batches <= 0 || (steps !== null && every > steps)) return [];
  return [
    block("eval", [property("every", quantity(every, "steps")), property("length", quantity(batches, "batches"))]),
  ];
}

function checkpointOf({ number, text }: Values): readonly Member[] {
  if (text("save") === null) return [property("checkpoint", "none")];
  const [every, steps] = [number("save_interval"), number("train_iters")];
  return [
    block("checkpoint", [
      ...when(every !== null && (steps === null || every <= steps), property("every", quantity(every ?? 0, "steps"))),
      property("keep", "all"),
    ]),
  ];
}

/** Only what reads all that it saved, from where it saves, goes on after a stop. */
function resumeOf({ text, number, on }: Values): string {
  const isElsewhere = text("load") === null || text("load") !== text("save");
  const isAnother = on("finetune") || number("ckpt_step") !== null || number("override_ckpt_iteration") !== null;
  if (isElsewhere || isAnother) return "never";
  const [optimizer, rng] = [on("no_load_optim") || on("no_save_optim"), on("no_load_rng") || on("no_save_rng")];
  if (!optimizer && !rng) return "exact";
  return on("no_load_optim") && on("no_load_rng") ? "weights" : "never";
}
