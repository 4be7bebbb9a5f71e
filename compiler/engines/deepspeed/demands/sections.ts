import { toInt } from "../coerce.ts";
import { demandsOf, type Demand } from "../step.ts";
import { asNumber, isInt, isList, isSection, textOf, truthy } from "../value.ts";

const demand = demandsOf("runtime/config.py: _initialize_params", "config");
const build = demandsOf("runtime/engine.py: __init__", "build");

const tagModes = new Set(["WARN", "IGNORE", "FAIL"]);
const levels = ["debug", "info", "warning", "error", "critical"];
const writers: Readonly<Record<string, readonly string[]>> = {
  type: ["MOCK", "PYTHON", "FAST"],
  data_parallel: ["REPLICA", "SOCKET", "MACHINE"],
};
const sampling = "data_efficiency.data_sampling";
const curriculum = `${sampling}.curriculum_learning`;
const dropping = "data_efficiency.data_routing.random_ltd";

export const sections: readonly Demand[] = [
  demand("wall-clock", {
    about: ["wall_clock_breakdown", "flops_profiler.enabled"],
    check: ({ config, plain }) => {
      const clock = config.get("wall_clock_breakdown") ?? (config.has("wall_clock_breakdown") ? null : false);
      const profiler = plain("flops_profiler.enabled");
      if (!isInt(clock)) return `wall_clock_breakdown = ${textOf(clock)} is not true or false`;
      return profiler === undefined || isInt(profiler)
        ? null
        : `flops_profiler.enabled = ${textOf(profiler)} is not true or false`;
    },
    valid: ["true", "false"],
    why: "The engine combines the two with `|`, which Python supports only for booleans and whole numbers.",
    fix: "Write true or false, without quotes.",
    fires: { wall_clock_breakdown: "true" },
    silent: { wall_clock_breakdown: true },
  }),
  demand("tag-validation", {
    about: "checkpoint.tag_validation",
    check: ({ plain }) => {
      const value = plain("checkpoint.tag_validation");
      return value === undefined || (typeof value === "string" && tagModes.has(value.toUpperCase()))
        ? null
        : `checkpoint.tag_validation = ${textOf(value)} is not one of Warn, Ignore, Fail`;
    },
    valid: ["Warn", "Ignore", "Fail"],
    why: "The word sets what happens when ranks name a checkpoint differently: a warning, nothing, or a stop. Any other word stops the engine when it reads the file.",
    fix: "Write Warn, Ignore or Fail; Ignore turns the check off.",
    fires: { checkpoint: { tag_validation: "none" } },
    silent: { checkpoint: { tag_validation: "ignore" } },
  }),
  demand("parallel-write", {
    about: "checkpoint.parallel_write.pipeline_stage",
    check: ({ plain }) => {
      const value = plain("checkpoint.parallel_write.pipeline_stage");
      const number = asNumber(value);
      return value === undefined || number === 0 || number === 1
        ? null
        : `checkpoint.parallel_write.pipeline_stage = ${textOf(value)} is not true or false`;
    },
    valid: ["true", "false"],
    why: "The key says whether every pipeline stage writes its own layers. The engine accepts only true or false.",
    fix: "Write true or false, without quotes.",
    fires: { checkpoint: { parallel_write: { pipeline_stage: "true" } } },
    silent: { checkpoint: { parallel_write: { pipeline_stage: true } } },
  }),
  ...Object.entries(writers).map(([name, valid]) =>
    demand(`writer-${name.replaceAll("_", "-")}`, {
      about: `checkpoint.writer.${name}`,
      check: ({ plain }) => {
        const value = plain(`checkpoint.writer.${name}`) ?? null;
        return value === null || (typeof value === "string" && valid.includes(value.toUpperCase()))
          ? null
          : `checkpoint.writer.${name} = ${textOf(value)} is not one of ${valid.join(", ").toLowerCase()}`;
      },
      valid: valid.map((each) => each.toLowerCase()),
      why: "The checkpoint writer has a fixed list of forms (runtime/model_checkpointing/config.py: get_checkpoint_writer_config); any other word stops the engine.",
      fix: `Write ${valid.join(", ").toLowerCase()}, or leave the key out.`,
      fires: { checkpoint: { writer: { [name]: "none" } } },
      silent: { checkpoint: { writer: { [name]: valid[0] } } },
    }),
  ),
  ...["results_dir", "exps_dir"].map((name) =>
    demand(`autotuning-${name.replace("_", "-")}`, {
      about: `autotuning.${name}`,
      check: ({ plain }) => {
        const value = plain(`autotuning.${name}`);
        return value === undefined || truthy(value) ? null : `autotuning.${name} is empty`;
      },
      why: "The tuner writes into this folder, and the engine needs its name even if the tuner is off.",
      fix: `Give autotuning.${name} the name of a folder, or leave the key out.`,
      fires: { autotuning: { [name]: "" } },
      silent: { autotuning: { [name]: "tuning" } },
    }),
  ),
  demand("vocabulary-size", {
    about: "vocabulary_size",
    check: ({ config }) => {
      const value = config.get("vocabulary_size");
      return !truthy(value) || asNumber(value) !== undefined
        ? null
        : `vocabulary_size = ${textOf(value)} is not a number`;
    },
    why: "The engine divides the size by 8 to warn about slow matrix products, and a text stops it with a Python error.",
    fix: "Write the number in digits, without quotes.",
    fires: { vocabulary_size: "50257" },
    silent: { vocabulary_size: 50257 },
  }),
  demand("direct-storage", {
    about: "aio.use_gds",
    check: ({ plain }, host) =>
      truthy(plain("aio.use_gds")) && host.accelerator !== "cuda" ? "aio.use_gds needs CUDA GPUs" : null,
    why: "GPUDirect Storage moves data between NVMe and NVIDIA GPUs without the host. Other accelerators do not support it, and the engine stops.",
    fix: "Set aio.use_gds to false, or run on NVIDIA GPUs.",
    fires: { aio: { use_gds: true }, $accelerator: "cpu" },
    silent: { aio: { use_gds: true }, $accelerator: "cuda" },
  }),
  demand("curriculum-metrics", {
    about: `${curriculum}.curriculum_metrics`,
    check: ({ plain }) =>
      truthy(plain(`${curriculum}.enabled`)) && plain(`${curriculum}.curriculum_metrics`) === undefined
        ? "curriculum learning is enabled without curriculum_metrics"
        : null,
    why: "The metrics determine which samples are easy and come first (runtime/data_pipeline/config.py: get_curriculum_learning); without one, samples cannot be sorted.",
    fix: "Add curriculum_metrics with one section for each metric, or set curriculum_learning.enabled to false.",
    fires: { data_efficiency: { data_sampling: { curriculum_learning: { enabled: true } } } },
    silent: { data_efficiency: { data_sampling: { curriculum_learning: { enabled: false } } } },
  }),
  demand("dynamic-batching-tokens", {
    about: `${sampling}.dynamic_batching.max_tokens`,
    check: ({ plain }) =>
      truthy(plain(`${sampling}.dynamic_batching.enabled`)) &&
      plain(`${sampling}.dynamic_batching.max_tokens`) === undefined
        ? "dynamic batching is enabled without max_tokens"
        : null,
    why: "A batch holds as many samples as fit into these tokens (runtime/data_pipeline/config.py: get_dynamic_batching).",
    fix: "Add max_tokens, the largest number of tokens in a batch, or set dynamic_batching.enabled to false.",
    fires: { data_efficiency: { data_sampling: { dynamic_batching: { enabled: true } } } },
    silent: { data_efficiency: { data_sampling: { dynamic_batching: { enabled: true, max_tokens: 4096 } } } },
  }),
  demand("dynamic-batching-number", {
    about: ["min_batch_size", "max_batch_size", "max_tokens"].map((name) => `${sampling}.dynamic_batching.${name}`),
    check: ({ plain }) => {
      const path = `${sampling}.dynamic_batching`;
      const names = ["min_batch_size", "max_batch_size", ...(truthy(plain(`${path}.enabled`)) ? ["max_tokens"] : [])];
      const bad = names.find((name) => {
        const value = plain(`${path}.${name}`);
        return value !== undefined && toInt(value) === undefined;
      });
      return bad === undefined ? null : `${path}.${bad} = ${textOf(plain(`${path}.${bad}`))} is not a number`;
    },
    why: "The sizes of batches are counted in samples or tokens (runtime/data_pipeline/config.py: get_dynamic_batching), and anything but a number stops the engine.",
    fix: "Write the size in digits.",
    fires: { data_efficiency: { data_sampling: { dynamic_batching: { min_batch_size: "small" } } } },
    silent: { data_efficiency: { data_sampling: { dynamic_batching: { min_batch_size: "2" } } } },
  }),
  demand("load-balance", {
    about: "expert_parallel.load_balance_coeff",
    check: ({ plain }) =>
      (plain("expert_parallel.load_balance_coeff") ?? null) === null
        ? null
        : "expert_parallel.load_balance_coeff is not supported",
    why: "The key is reserved for a feature that this version does not have (module_inject/auto_ep_config.py: parse_autoep_config).",
    fix: "Leave expert_parallel.load_balance_coeff out, or write null.",
    fires: { expert_parallel: { load_balance_coeff: 0.01 } },
    silent: { expert_parallel: { load_balance_coeff: null } },
  }),
  build("log-level", {
    about: "log_level",
    check: ({ config }) => {
      const value = config.get("log_level") ?? null;
      return value === null || (typeof value === "string" && levels.includes(value.toLowerCase()))
        ? null
        : `log_level = ${textOf(value)} is not one of ${levels.join(", ")}`;
    },
    valid: levels,
    why: "The word is a level of Python's logging (utils/logging.py: get_log_level_from_string).",
    fix: "Write debug, info, warning, error or critical.",
    fires: { log_level: "verbose" },
    silent: { log_level: "WARNING" },
  }),
  build("token-dropping-keys", {
    about: dropping,
    check: ({ plain }) => {
      const on = ["data_efficiency.enabled", "data_efficiency.data_routing.enabled", `${dropping}.enabled`];
      if (!on.every((path) => truthy(plain(path)))) return null;
      const missing = ["total_layer_num", "random_ltd_layer_num", "random_ltd_schedule"].filter(
        (name) => plain(`${dropping}.${name}`) === undefined,
      );
      return missing.length === 0 ? null : `random_ltd is enabled without ${missing.join(", ")}`;
    },
    why: "Random layer-token dropping needs to know its layers and its schedule (data_routing/scheduler.py: RandomLTDScheduler).",
    fix: "Add the named keys to random_ltd, or set random_ltd.enabled to false.",
    fires: { data_efficiency: { enabled: true, data_routing: { enabled: true, random_ltd: { enabled: true } } } },
    silent: { data_efficiency: { enabled: false, data_routing: { enabled: true, random_ltd: { enabled: true } } } },
  }),
  build("autocast-module-name", {
    about: "torch_autocast.lower_precision_safe_modules",
    check: ({ plain }) => {
      const value = plain("torch_autocast.lower_precision_safe_modules");
      if (!truthy(plain("torch_autocast.enabled")) || value === undefined) return null;
      const names =
        typeof value === "string" ? [...value] : isList(value) ? value : isSection(value) ? [...value.keys()] : [];
      const bad = names.find((each) => typeof each === "string" && !each.includes("."));
      return bad === undefined
        ? null
        : `torch_autocast.lower_precision_safe_modules: ${textOf(bad)} is not a class with its package`;
    },
    why: "Each is imported by its full name, such as torch.nn.Linear (runtime/torch_autocast.py: init_autocast_params).",
    fix: "Write the name with its package: torch.nn.Linear, not Linear.",
    fires: { torch_autocast: { enabled: true, dtype: "bf16", lower_precision_safe_modules: ["Linear"] } },
    silent: { torch_autocast: { enabled: true, dtype: "bf16", lower_precision_safe_modules: ["torch.nn.Linear"] } },
  }),
];
