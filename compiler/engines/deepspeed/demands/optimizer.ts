import type { Host } from "../launch.ts";
import type { Settings } from "../settings.ts";
import { demandsOf, type Demand } from "../step.ts";
import { optimizers } from "../table.ts";
import { asNumber, isSection, textOf, truthy } from "../value.ts";
import { makesOptimizer, modelDtype, stageOf } from "./precision.ts";
import { inTable } from "../../../../dsl/in-table.ts";

const config = demandsOf("runtime/config.py: get_optimizer_name, _do_warning_check", "config");
const build = demandsOf("runtime/engine.py: _configure_basic_optimizer, _configure_optimizer", "build");
const hybrid = demandsOf("runtime/zero/stage3.py: DeepSpeedZeroOptimizer_Stage3.__init__ (partial_offload)", "build");

const own = new Set(["adagrad", "adam", "adamw", "lamb", "muadam", "muadamw", "musgd", "lion", "muon"]);
/** Made by a package that is installed apart, or from parameter groups that the engine splits itself: their keys are not held here. */
const open = new Set(["muadam", "muadamw", "musgd", "muon"]);
/** Classes of DeepSpeed that a program makes itself, and that step on the CPU. */
const onCpu = new Set(["DeepSpeedCPUAdam", "DeepSpeedCPULion"]);
const torch = (name: string): boolean => optimizers[`torch.${name}`] !== undefined;

/** As the engine compares it: its own names in small letters, those of torch as they stand. */
export function optimizerName({ plain }: Settings): string | null {
  const type = plain("optimizer.type");
  if (typeof type !== "string" || type === "") return null;
  return own.has(type.toLowerCase()) ? type.toLowerCase() : type;
}

/** Any device but none: the section counts at every stage (engine.py: zero_use_cpu_optimizer). */
export function offloadsOptimizer({ zero }: Settings): boolean {
  const device = zero.section("offload_optimizer")?.text("device");
  return device === "cpu" || device === "nvme";
}

/** The class that the engine picks for a name, and what it hands over beside `params`. */
function classOf(
  settings: Settings,
  name: string,
): { readonly keys: readonly string[]; readonly taken: readonly string[]; readonly name: string } | null {
  if (open.has(name)) return null;
  const offload = offloadsOptimizer(settings);
  const zenflow = settings.zero.section("zenflow") !== null;
  const keys = (name: string): readonly string[] => Object.keys(inTable(optimizers, name) ?? {});
  if (name === "adam" || name === "adamw") {
    const params = settings.plain("optimizer.params");
    const popped = ["adam_w_mode", "torch_adam", "fp32_optimizer_states"];
    if (isSection(params) && truthy(params.get("torch_adam"))) {
      const picked =
        name === "adamw" || !params.has("adam_w_mode") || truthy(params.get("adam_w_mode")) ? "AdamW" : "Adam";
      return { name: picked, keys: [...keys(`torch.${picked}`), ...popped], taken: [] };
    }
    if (offload) {
      const cpu = zenflow ? "ZenFlowCPUAdam" : "DeepSpeedCPUAdam";
      return {
        name: cpu,
        keys: [...keys("DeepSpeedCPUAdam"), ...popped],
        taken: ["adamw_mode", ...(zenflow ? ["overlap_step"] : [])],
      };
    }
    return { name: "FusedAdam", keys: [...keys("FusedAdam"), ...popped], taken: [] };
  }
  const picked: Readonly<Record<string, string>> = {
    adagrad: offload ? "DeepSpeedCPUAdagrad" : "torch.Adagrad",
    lamb: "FusedLamb",
    lion: offload ? "DeepSpeedCPULion" : "FusedLion",
  };
  const found = inTable(picked, name) ?? `torch.${name}`;
  return optimizers[found] === undefined ? null : { name: found.replace("torch.", ""), keys: keys(found), taken: [] };
}

/** Whether the configuration's optimizer is made: a program's own goes before it. */
function named(settings: Settings, host: Host): string | null {
  return host.clientOptimizer === null ? optimizerName(settings) : null;
}

/** Stages 1 and 2 always need an optimizer; stage 3 goes without until the first step. */
/** The first parameter that the class of the optimizer does not take. */
function strange(
  settings: Settings,
  host: Host,
): { readonly key: string; readonly made: NonNullable<ReturnType<typeof classOf>> } | null {
  const name = named(settings, host);
  const params = settings.plain("optimizer.params") ?? null;
  const made = name === null ? null : classOf(settings, name);
  if (made === null || !isSection(params)) return null;
  const key = [...params.keys()].find(
    (each) => each !== "max_grad_norm" && (!made.keys.includes(each) || made.taken.includes(each)),
  );
  return key === undefined ? null : { key, made };
}

export const optimizer: readonly Demand[] = [
  config("optimizer-type-text", {
    about: "optimizer.type",
    check: ({ plain }) => {
      const value = plain("optimizer.type") ?? null;
      return value === null || typeof value === "string" ? null : `optimizer.type = ${textOf(value)} is not a name`;
    },
    why: "The type is the name of a class of DeepSpeed or torch.optim. Anything but a text stops the engine with a Python error when it looks up the name.",
    fix: 'Write the name of an optimizer in quotes: "AdamW".',
    fires: { optimizer: { type: 3 } },
    silent: { optimizer: { type: "AdamW" } },
  }),
  config("optimizer-params-shape", {
    about: "optimizer.params",
    check: ({ plain }) => {
      const params = plain("optimizer.params") ?? null;
      return (plain("optimizer.type") ?? null) === null || params === null || isSection(params)
        ? null
        : `optimizer.params = ${textOf(params)} is not a section`;
    },
    why: "The settings of the optimizer are passed to its constructor by name, so they must be a section of names and values.",
    fix: 'Write a section: {"lr": 1e-4}.',
    fires: { optimizer: { params: "lr=1e-4" } },
    silent: { optimizer: { params: { lr: 1e-4 } } },
  }),
  config("max-grad-norm-number", {
    about: "optimizer.params.max_grad_norm",
    check: ({ plain }) => {
      if ((plain("optimizer.type") ?? null) === null || !isSection(plain("optimizer.params"))) return null;
      const value = plain("optimizer.params.max_grad_norm");
      return value === undefined || asNumber(value) !== undefined
        ? null
        : `optimizer.params.max_grad_norm = ${textOf(value)} is not a number`;
    },
    why: "The engine compares it with 0 to warn that gradient_clipping should be used instead.",
    fix: "Remove max_grad_norm from optimizer.params and set gradient_clipping.",
    fires: { optimizer: { params: { max_grad_norm: "1" } } },
    silent: { optimizer: { params: { lr: 1e-4 } } },
  }),
  build("optimizer-unknown", {
    about: "optimizer.type",
    check: (settings, host) => {
      const name = named(settings, host);
      return name === null || own.has(name) || torch(name)
        ? null
        : `optimizer.type = "${name}" is not an optimizer of DeepSpeed or torch`;
    },
    valid: ["AdamW", "Adam", "Lion", "Lamb", "Adagrad", "Muon", "SGD"],
    why: "DeepSpeed finds its own optimizers in upper or lower case, and those of torch.optim by their exact names. A program can pass any other as an object.",
    fix: "Write one from `valid`, or the exact name of a class of torch.optim; any other optimizer must be created by the program and passed to deepspeed.initialize.",
    fires: { optimizer: { type: "AdamW8bit" } },
    silent: { optimizer: { type: "ADAMW" } },
  }),
  build("max-grad-norm", {
    about: ["optimizer.params.max_grad_norm", "gradient_clipping"],
    check: (settings, host) =>
      named(settings, host) !== null && settings.has("optimizer.params.max_grad_norm")
        ? "optimizer.params.max_grad_norm is refused: use gradient_clipping at the top level"
        : null,
    why: "The engine clips gradients itself before the optimizer sees them, and refuses a second norm in the optimizer's own settings.",
    fix: "Remove optimizer.params.max_grad_norm and write gradient_clipping at the top level of the file.",
    fires: { optimizer: { params: { max_grad_norm: 1 } } },
    silent: { gradient_clipping: 1 },
  }),
  build("optimizer-params", {
    about: "optimizer.params",
    blamed: (settings, host) => {
      const bad = strange(settings, host)?.key;
      return bad === undefined ? null : `optimizer.params.${bad}`;
    },
    check: (settings, host) => {
      const found = strange(settings, host);
      return found === null
        ? null
        : `${found.made.name} takes no parameter ${found.key}; it takes ${[...new Set(found.made.keys)].join(", ")}`;
    },
    why: "The section is passed to the optimizer's constructor unchanged, and Python refuses a name that the constructor does not have. The class depends on the name and on offloading.",
    fix: "Remove the parameter, or write one that the message lists.",
    fires: { optimizer: { params: { learning_rate: 1e-4 } } },
    silent: { optimizer: { params: { betas: [0.9, 0.95] } } },
  }),
  build("amsgrad", {
    about: "optimizer.params.amsgrad",
    check: (settings, host) => {
      const name = named(settings, host);
      const own = name !== null && /^Fused(Adam|Lamb)|CPUAdam$/.test(classOf(settings, name)?.name ?? "");
      return own && truthy(settings.plain("optimizer.params.amsgrad"))
        ? "DeepSpeed's own Adam and Lamb have no AMSGrad variant"
        : null;
    },
    why: "DeepSpeed's own kernels have no AMSGrad variant; torch's Adam has one (ops/adam/fused_adam.py and cpu_adam.py: __init__).",
    fix: "Set optimizer.params.torch_adam to true, or leave amsgrad out.",
    fires: { optimizer: { params: { amsgrad: true } } },
    silent: { optimizer: { params: { amsgrad: true, torch_adam: true } } },
  }),
  build("lamb-loss-scale", {
    about: ["optimizer.type", "fp16.loss_scale"],
    check: (settings) =>
      optimizerName(settings) === "lamb" && settings.fp16.number("loss_scale") !== 0
        ? "Lamb needs a dynamic loss scale (fp16.loss_scale 0)"
        : null,
    why: "Lamb skips its step on overflow, which only a dynamic scale can correct (runtime/engine.py: _do_sanity_check).",
    fix: "Set fp16.loss_scale to 0, which scales dynamically, or train in bf16.",
    fires: { optimizer: { type: "Lamb" }, bf16: { enabled: false }, fp16: { enabled: true, loss_scale: 128 } },
    silent: { optimizer: { type: "Lamb" }, bf16: { enabled: false }, fp16: { enabled: true, loss_scale: 0 } },
  }),
  build("client-optimizer-offload", {
    about: ["zero_force_ds_cpu_optimizer", "zero_optimization.offload_optimizer.device"],
    check: (settings, host) => {
      const forced = settings.config.get("zero_force_ds_cpu_optimizer");
      const isOfTorch = host.clientOptimizer !== null && !onCpu.has(host.clientOptimizer);
      return isOfTorch && offloadsOptimizer(settings) && (forced === undefined || truthy(forced))
        ? "the program's own optimizer would run on the CPU, but zero_force_ds_cpu_optimizer requires DeepSpeed's"
        : null;
    },
    why: "An offloaded optimizer steps on the CPU, where torch's optimizers are slow. The engine refuses it unless zero_force_ds_cpu_optimizer is false.",
    fix: "Create a DeepSpeedCPUAdam in the program, or set zero_force_ds_cpu_optimizer to false.",
    fires: { $client: "AdamW", $without: ["optimizer"], zero_optimization: { offload_optimizer: { device: "cpu" } } },
    silent: {
      $client: "AdamW",
      $without: ["optimizer"],
      zero_force_ds_cpu_optimizer: false,
      zero_optimization: { offload_optimizer: { device: "cpu" } },
    },
  }),
  hybrid("offload-ratio-optimizer", {
    about: ["zero_optimization.offload_optimizer.ratio", "optimizer.type"],
    check: (settings, host) => {
      const ratio = settings.zero.section("offload_optimizer")?.number("ratio") ?? 1;
      if (stageOf(settings) !== 3 || !offloadsOptimizer(settings) || ratio === 1) return null;
      const name = host.clientOptimizer ?? optimizerName(settings);
      const made = host.clientOptimizer ?? (name === null ? null : (classOf(settings, name)?.name ?? name));
      return made === null || made === "DeepSpeedCPUAdam"
        ? null
        : `offload_optimizer.ratio ${ratio} steps partly on the GPU, which ${made} cannot: DeepSpeedCPUAdam can`;
    },
    why: "With a ratio below 1 some of the parameters are stepped on the GPU by an AdamW that mirrors DeepSpeedCPUAdam. Other optimizers have no such pair, and the engine stops when it builds them.",
    fix: "Set offload_optimizer.ratio to 1, or use AdamW without torch_adam and ZenFlow.",
    fires: {
      optimizer: { type: "Adagrad" },
      zero_optimization: { stage: 3, offload_optimizer: { device: "cpu", ratio: 0.5 } },
    },
    silent: { zero_optimization: { stage: 3, offload_optimizer: { device: "cpu", ratio: 0.5 } } },
  }),
  build("untested-optimizer", {
    about: ["zero_allow_untested_optimizer", "optimizer.type"],
    check: (settings, host) => {
      const name = host.clientOptimizer ?? optimizerName(settings);
      if (name === null || stageOf(settings) === 0 || truthy(settings.config.get("zero_allow_untested_optimizer")))
        return null;
      const tested = ["adam", "adamw", "adagrad", "lion", "muon", "Adam", "AdamW", "Adagrad"];
      return tested.includes(name) || (!own.has(name) && !torch(name))
        ? null
        : `ZeRO is not tested with ${name}: set zero_allow_untested_optimizer`;
    },
    why: "ZeRO shards the optimizer's state; only some optimizers are known to work with that (runtime/engine.py: _do_optimizer_sanity_check).",
    fix: "Set zero_allow_untested_optimizer to true, or use AdamW.",
    fires: { optimizer: { type: "SGD", params: { lr: 0.1 } } },
    silent: { optimizer: { type: "SGD", params: { lr: 0.1 } }, zero_allow_untested_optimizer: true },
  }),
  build("optimizer-missing", {
    about: ["optimizer.type", "zero_optimization.stage"],
    check: (settings, host) => {
      const stage = stageOf(settings);
      return (stage === 1 || stage === 2) && host.clientOptimizer === null && optimizerName(settings) === null
        ? `ZeRO stage ${stage} needs an optimizer: neither the configuration nor the program has one`
        : null;
    },
    why: "Stages 1 and 2 shard an optimizer's state, so they need an optimizer.",
    fix: "Add an optimizer section with its type, or pass an optimizer to deepspeed.initialize.",
    fires: { $without: ["optimizer"] },
    silent: { $without: ["optimizer"], $client: "AdamW" },
  }),
  build("masters-offload", {
    about: [
      "fp16.fp16_master_weights_and_grads",
      "bf16.bf16_master_weights_and_grads",
      "zero_optimization.offload_optimizer.device",
    ],
    check: (settings, host) => {
      if (stageOf(settings) === 0 || !makesOptimizer(settings, host.clientOptimizer)) return null;
      const fp16 = settings.fp16.on("fp16_master_weights_and_grads");
      const bf16 = settings.bf16.on("bf16_master_weights_and_grads");
      if (fp16 && bf16) return "fp16 and bf16 master weights are both requested";
      const offload = offloadsOptimizer(settings);
      if (!fp16 && !(bf16 && (!settings.bf16.on("bf16_optimizer_states") || offload))) return null;
      const name = named(settings, host);
      const cpuAdam = name === "adam" || name === "adamw" || host.clientOptimizer === "DeepSpeedCPUAdam";
      return offload && cpuAdam
        ? null
        : "16-bit master weights need an optimizer offloaded to the CPU, and Adam or AdamW in the configuration";
    },
    why: "Only DeepSpeedCPUAdam can step on 16-bit master weights (runtime/base_optimizer.py: _configure_master_weights).",
    fix: "Add offload_optimizer with device cpu and Adam or AdamW in the file, or leave the 16-bit master weights out.",
    fires: { bf16: { bf16_master_weights_and_grads: true } },
    silent: {
      bf16: { bf16_master_weights_and_grads: true },
      zero_optimization: { offload_optimizer: { device: "cpu" } },
    },
  }),
];

/** For the moments of a dense model in bf16 at stage 1, another optimizer class takes over. */
export function usesBf16Optimizer(settings: Settings): boolean {
  return (
    stageOf(settings) === 1 &&
    modelDtype(settings) === "bfloat16" &&
    settings.plain("data_types.grad_accum_dtype") === "fp32" &&
    settings.zero.section("offload_optimizer")?.text("device") !== "cpu"
  );
}
