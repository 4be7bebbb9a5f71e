import type { Settings } from "../settings.ts";
import { dtypes } from "../table.ts";
import { demandsOf, type Demand } from "../step.ts";
import { isList, isSection, textOf, truthy, type Value } from "../value.ts";

const demand = demandsOf("runtime/config.py: _initialize_params, _do_error_check", "config");
const build = demandsOf("runtime/engine.py: get_data_types, _do_sanity_check, _do_optimizer_sanity_check", "build");

export type Dtype = "float16" | "bfloat16" | "float32" | "int8";

/** runtime/config.py: DtypeEnum; `null` for a name that it doesn't have. */
export function dtypeOf(value: Value | undefined): Dtype | null {
  if (typeof value !== "string" || !dtypes.includes(value)) return null;
  if (/bf16|bfloat16/.test(value)) return "bfloat16";
  if (/int8/.test(value)) return "int8";
  return /16|half/.test(value) ? "float16" : "float32";
}

export function modelDtype({ fp16, bf16 }: Settings): Dtype {
  return fp16.on("enabled") ? "float16" : bf16.on("enabled") ? "bfloat16" : "float32";
}

export function stageOf({ zero }: Settings): number {
  return zero.number("stage");
}

const dtypeNames = ["fp32", "fp16", "bf16"];

export const precision: readonly Demand[] = [
  demand("precision-both", {
    about: ["fp16.enabled", "bf16.enabled"],
    check: ({ fp16, bf16 }) => (fp16.on("enabled") && bf16.on("enabled") ? "fp16 and bf16 are both enabled" : null),
    why: "Weights and gradients have one 16-bit type. With both sections enabled, the engine stops.",
    fix: "Set enabled to false in one of the two sections: keep bf16 on GPUs from Ampere on.",
    fires: { fp16: { enabled: true } },
    silent: { fp16: { enabled: false } },
  }),
  demand("loss-scale-floor", {
    about: ["fp16.min_loss_scale", "fp16.loss_scale_window"],
    check: ({ fp16 }) => {
      if (!fp16.on("enabled") || fp16.number("loss_scale") !== 0) return null;
      const name = ["loss_scale_window", "min_loss_scale"].find((each) => fp16.number(each) <= 0);
      return name === undefined
        ? null
        : `fp16.${name} = ${fp16.number(name)} is not positive, but the loss scale is dynamic`;
    },
    why: "A dynamic loss scale (loss_scale 0) is raised after a window of steps and never falls below its minimum. A fixed scale needs neither.",
    fix: "Set fp16.min_loss_scale above 0 and fp16.loss_scale_window to 1 or more, or a fixed fp16.loss_scale.",
    fires: { bf16: { enabled: false }, fp16: { enabled: true, min_loss_scale: 0 } },
    silent: { bf16: { enabled: false }, fp16: { enabled: true, min_loss_scale: 0, loss_scale: 128 } },
  }),
  ...(["fp16", "bf16"] as const).map((name) =>
    demand(`${name}-masters-without-zero`, {
      about: [`${name}.${name}_master_weights_and_grads`, "zero_optimization.stage"],
      check: (settings) =>
        settings[name].on(`${name}_master_weights_and_grads`) && stageOf(settings) === 0
          ? `${name}_master_weights_and_grads needs ZeRO stage 1, 2 or 3`
          : null,
      why: "Only the ZeRO optimizers support 16-bit master weights.",
      fix: `Set zero_optimization.stage to 1, 2 or 3, or leave ${name}_master_weights_and_grads out.`,
      fires: { zero_optimization: { stage: 0 }, [name]: { [`${name}_master_weights_and_grads`]: true } },
      silent: { zero_optimization: { stage: 2 }, [name]: { [`${name}_master_weights_and_grads`]: true } },
    }),
  ),
  demand("bf16-states", {
    about: ["bf16.bf16_optimizer_states", "bf16.bf16_master_weights_and_grads"],
    check: (settings) => {
      if (!settings.bf16.on("bf16_optimizer_states")) return null;
      if (stageOf(settings) === 0) return "bf16_optimizer_states needs ZeRO stage 1, 2 or 3";
      return settings.bf16.on("bf16_master_weights_and_grads")
        ? null
        : "bf16_optimizer_states needs bf16_master_weights_and_grads";
    },
    why: "16-bit moments need 16-bit master weights, which only the ZeRO optimizers support. No optimizer has 16-bit moments alone.",
    fix: "Add bf16_master_weights_and_grads with ZeRO stage 1 or more, or leave bf16_optimizer_states out.",
    fires: { bf16: { bf16_optimizer_states: true } },
    silent: { bf16: { bf16_optimizer_states: true, bf16_master_weights_and_grads: true } },
  }),
  ...(["communication_data_type", "seq_parallel_communication_data_type"] as const).map((key) =>
    demand(key.replaceAll("_", "-"), {
      about: key,
      check: ({ config }) => {
        const value = config.get(key) ?? null;
        return value === null || (typeof value === "string" && dtypeNames.includes(value.toLowerCase()))
          ? null
          : `${key} = ${textOf(value)} is not one of ${dtypeNames.join(", ")}`;
      },
      valid: dtypeNames,
      why: "Gradients are communicated in fp32, fp16 or bf16. Other names of these types are not accepted here.",
      fix: `Write fp32, fp16 or bf16 for ${key}, or leave it out to use the type of the weights.`,
      fires: { [key]: "float16" },
      silent: { [key]: "fp16" },
    }),
  ),
  demand("autocast-dtype", {
    about: "torch_autocast.dtype",
    check: ({ plain }) => {
      const value = plain("torch_autocast.dtype");
      return value === undefined || dtypeOf(value) !== null
        ? null
        : `torch_autocast.dtype = ${textOf(value)} is not a known type`;
    },
    valid: dtypes,
    why: "The engine accepts a fixed list of names for its types; `null` is not one of them.",
    fix: "Write bfloat16 or float16, or leave the key out.",
    fires: { torch_autocast: { dtype: "BF16" } },
    silent: { torch_autocast: { dtype: "bfloat16" } },
  }),
  demand("autocast-modules", {
    about: "torch_autocast.lower_precision_safe_modules",
    check: ({ plain }) => {
      const value = plain("torch_autocast.lower_precision_safe_modules");
      if (value === undefined || typeof value === "string") return null;
      const names = isList(value) ? value : isSection(value) ? [...value.keys()] : [value];
      return names.every((each) => typeof each === "string") && (isList(value) || isSection(value))
        ? null
        : "torch_autocast.lower_precision_safe_modules is not a list of class names";
    },
    why: "Each entry is the full name of a class whose products run in lower precision. Anything else in the list stops the engine.",
    fix: 'Write a list of class names in quotes: ["torch.nn.Linear"].',
    fires: { torch_autocast: { lower_precision_safe_modules: [1] } },
    silent: { torch_autocast: { lower_precision_safe_modules: ["torch.nn.Linear"] } },
  }),
  demand("keep-in-fp32", {
    about: "data_types.keep_in_fp32_modules",
    check: ({ plain }) => {
      const value = plain("data_types.keep_in_fp32_modules");
      return value === undefined ||
        value === "auto" ||
        (isList(value) && value.every((each) => typeof each === "string"))
        ? null
        : `data_types.keep_in_fp32_modules = ${textOf(value)} is neither "auto" nor a list of name patterns`;
    },
    why: "Buffers whose names match one of the patterns stay in fp32. A single text is not a list, and the engine refuses it.",
    fix: 'Write "auto", or a list of patterns in quotes: ["rope"].',
    fires: { data_types: { keep_in_fp32_modules: "rope" } },
    silent: { data_types: { keep_in_fp32_modules: ["rope"] } },
  }),
  build("autocast-quantized-weights", {
    about: ["torch_autocast.enabled", "zero_optimization.zero_quantized_weights"],
    check: ({ plain, zero }) =>
      truthy(plain("torch_autocast.enabled")) && zero.on("zero_quantized_weights")
        ? "torch_autocast cannot run with zero_quantized_weights"
        : null,
    why: "Autocast chooses the type of each operation; quantized weights have a fixed one.",
    fix: "Turn torch_autocast.enabled or zero_quantized_weights off.",
    fires: {
      torch_autocast: { enabled: true, dtype: "bf16" },
      zero_optimization: { stage: 3, zero_quantized_weights: true },
    },
    silent: { torch_autocast: { enabled: true, dtype: "bf16" }, zero_optimization: { stage: 3 } },
  }),
  ...["param_dtype", "buffer_dtype", "grad_accum_dtype"].map((name) =>
    build(name.replaceAll("_", "-"), {
      about: `data_types.${name}`,
      check: (settings, host) => {
        const value = settings.plain(`data_types.${name}`) ?? null;
        if (value === null || dtypeOf(value) !== null) return null;
        if (name === "grad_accum_dtype" && !makesOptimizer(settings, host.clientOptimizer)) return null;
        if (name === "buffer_dtype" && modelDtype(settings) === "float32") return null;
        return `data_types.${name} = ${textOf(value)} is not a known type`;
      },
      valid: dtypes,
      why: "The engine accepts a fixed list of names for its types, all in lower case.",
      fix: `Write bf16, fp16 or fp32 in lower case for data_types.${name}, or leave it out.`,
      fires: { data_types: { [name]: "BF16" } },
      silent: { data_types: { [name]: "bf16" } },
    }),
  ),
  build("param-dtype-mode", {
    about: ["data_types.param_dtype", "bf16.enabled", "fp16.enabled"],
    check: (settings) => {
      const requested = dtypeOf(settings.plain("data_types.param_dtype"));
      const model = modelDtype(settings);
      return requested === null || requested === model
        ? null
        : `data_types.param_dtype is ${requested}, but the precision sections set the weights to ${model}`;
    },
    why: "The type of the weights follows from fp16.enabled and bf16.enabled.",
    fix: "Enable the section of that type (bf16.enabled or fp16.enabled), or leave data_types.param_dtype out.",
    fires: { data_types: { param_dtype: "fp16" } },
    silent: { data_types: { param_dtype: "bf16" } },
  }),
  build("accumulation-dtype", {
    about: ["data_types.grad_accum_dtype", "zero_optimization.stage"],
    check: (settings, host) => {
      const requested = dtypeOf(settings.plain("data_types.grad_accum_dtype"));
      const model = modelDtype(settings);
      return requested === null ||
        stageOf(settings) > 0 ||
        requested === model ||
        !makesOptimizer(settings, host.clientOptimizer)
        ? null
        : `gradients of ${model} weights cannot accumulate in ${requested} without ZeRO`;
    },
    why: "Only the ZeRO optimizers (and bf16 with stage 1) can keep gradients in another type than the weights.",
    fix: "Set zero_optimization.stage to 1 or more, or leave data_types.grad_accum_dtype out.",
    fires: { zero_optimization: { stage: 0 }, data_types: { grad_accum_dtype: "fp32" } },
    silent: { zero_optimization: { stage: 1 }, data_types: { grad_accum_dtype: "fp32" } },
  }),
];

/** Without an optimizer none of its checks is reached. */
export function makesOptimizer({ plain }: Settings, client: string | null): boolean {
  return client !== null || truthy(plain("optimizer.type"));
}
