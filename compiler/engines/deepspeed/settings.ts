/** The configuration as the engine holds it when its own class is done, as far as it got. */
import { readFields, type Fields } from "./fields.ts";
import type { Report } from "./finding.ts";
import { Undecided } from "./unknown.ts";
import { isSection, truthy, type Section, type Value } from "./value.ts";

export interface Settings {
  /** Everything as written. */
  readonly config: Section;
  /** A key of a section that the engine reads by hand; `undefined` where it is left out. */
  readonly plain: (path: string) => Value | undefined;
  readonly has: (path: string) => boolean;
  readonly zero: Fields;
  readonly fp16: Fields;
  readonly bf16: Fields;
  readonly compile: Fields;
  readonly tensorParallel: Fields;
  readonly hybrid: Fields;
}

const sections = {
  comms_logger: "CommsLoggerConfig",
  weight_quantization: "WeightQuantConfig",
} as const;
const monitors = {
  tensorboard: "TensorBoardConfig",
  wandb: "WandbConfig",
  csv_monitor: "CSVConfig",
  comet: "CometConfig",
};

/** Sections read by hand: given at all, each must be a section. */
const plainSections = [
  "activation_checkpointing",
  "flops_profiler",
  "autotuning",
  "torch_autocast",
  "optimizer",
  "scheduler",
  "pipeline",
  "data_efficiency",
  "data_efficiency.data_sampling",
  "data_efficiency.data_sampling.curriculum_learning",
  "data_efficiency.data_sampling.dynamic_batching",
  "data_efficiency.data_routing",
  "data_efficiency.data_routing.random_ltd",
  "checkpoint",
  "checkpoint.parallel_write",
  "data_types",
];

export function settingsOf(config: Section, report: Report): Settings {
  const read = (key: string, model: string): Fields => readFields(model, config.get(key), key, report);
  for (const [key, model] of Object.entries(sections)) if (config.has(key)) read(key, model);
  for (const [key, model] of Object.entries(monitors))
    if (config.has(key) && config.get(key) !== "auto") read(key, model);
  for (const path of plainSections) {
    const value = at(config, path);
    if (value !== undefined && !isSection(value)) report({ kind: "shape", path, value });
  }
  for (const path of ["aio", "checkpoint.writer", "autotuning.model_info"]) {
    const value = at(config, path);
    if (value !== undefined && value !== null && !isSection(value)) report({ kind: "shape", path, value });
  }
  const experts = config.get("expert_parallel");
  if (truthy(experts) && !isSection(experts))
    report({ kind: "shape", path: "expert_parallel", value: experts ?? null });
  readTimers(config, report);

  const bf16Key = (config.get("bf16") ?? null) === null ? "bfloat16" : "bf16";
  return {
    config,
    plain: (path) => plain(config, path),
    has: (path) => at(config, path) !== undefined,
    zero: readZero(config, report),
    fp16: read("fp16", "DeepSpeedFP16Config"),
    bf16: readFields("DeepSpeedBF16Config", config.get(bf16Key), bf16Key, report),
    compile: read("compile", "CompileConfig"),
    tensorParallel: read("tensor_parallel", "TPTrainingConfig"),
    hybrid: read("hybrid_engine", "HybridEngineConfig"),
  };
}

/** runtime/zero/config.py: get_zero_config still takes true and false, for stages 1 and 0. */
function readZero(config: Section, report: Report): Fields {
  const zero = config.get("zero_optimization");
  if (typeof zero !== "boolean") return readFields("DeepSpeedZeroConfig", zero, "zero_optimization", report);
  const allgather = config.get("allgather_size");
  const old: [string, Value][] = zero && allgather !== undefined ? [["allgather_bucket_size", allgather]] : [];
  report({ kind: "deprecated", path: "zero_optimization", use: "a section with stage" });
  return readFields(
    "DeepSpeedZeroConfig",
    new Map<string, Value>([["stage", zero ? 1 : 0], ...old]),
    "zero_optimization",
    report,
  );
}

/** utils/config.py: get_timers_config only asks whether `throughput` is in it, which a text or a list answers too. */
function readTimers(config: Section, report: Report): void {
  const timers = config.get("timers");
  if (timers === undefined) return;
  if (isSection(timers)) {
    if (timers.has("throughput"))
      readFields("DeepSpeedThroughputTimerConfig", timers.get("throughput"), "timers.throughput", report);
  } else if (typeof timers !== "string" && !Array.isArray(timers))
    report({ kind: "shape", path: "timers", value: timers });
}

/** `undefined` where any part of the way is missing. */
export function at(config: Section, path: string): Value | undefined {
  return path
    .split(".")
    .reduce<Value | undefined>((value, key) => (isSection(value) ? value.get(key) : undefined), config);
}

/** The same for a rule: a section that is none is another finding's business. */
function plain(config: Section, path: string): Value | undefined {
  let value: Value | undefined = config;
  for (const key of path.split(".")) {
    if (value === undefined) return undefined;
    if (!isSection(value)) {
      if (value === null) return undefined;
      throw new Undecided(path);
    }
    value = value.get(key);
  }
  return value;
}
