/** Keys that the engine knows and, with what stands beside them, never looks at. */
import type { Host } from "./launch.ts";
import type { Settings } from "./settings.ts";
import { Undecided } from "./unknown.ts";
import { isSection, truthy, type Section, type Value } from "./value.ts";
import { inTable } from "../../../dsl/in-table.ts";

/** A key and why it does nothing. */
export type Idle = readonly [path: string, why: string];

export function withoutEffect(settings: Settings, config: Section, host: Host): readonly Idle[] {
  const found = [ofStage, ofDevices, ofFiles, ofLossScale, ofPipelines].flatMap((each) => {
    try {
      return each(settings, config, host);
    } catch (error) {
      if (error instanceof Undecided) return [];
      throw error;
    }
  });
  // What is inside a section that does nothing is said with it.
  return found.filter(([path]) => !found.some(([outer]) => path.startsWith(`${outer}.`)));
}

/** ZeRO keys with the stages that look at them (runtime/engine.py: _configure_zero_optimizer); what is left out here counts at every stage from 1. */
const stagesOfKey: Readonly<Record<string, readonly number[]>> = {
  allgather_partitions: [],
  allgather_bucket_size: [1, 2, 3],
  round_robin_gradients: [1, 2],
  ignore_unused_parameters: [1, 2],
  offload_param: [3],
  cpu_offload_param: [],
  cpu_offload: [1, 2, 3],
  legacy_stage1: [1, 2, 3],
  zero_hpz_partition_size: [3],
  zero_quantized_weights: [3],
  zero_quantized_nontrainable_weights: [3],
  sub_group_size: [3],
  contiguous_gradients: [1, 2, 3],
  overlap_comm: [1, 2, 3],
  reduce_bucket_size: [1, 2, 3],
  reduce_scatter: [1, 2, 3],
};

function ofStage(settings: Settings, config: Section): readonly Idle[] {
  const stage = settings.zero.number("stage");
  const why = `ZeRO stage ${stage} does not read it`;
  return stageless(config.get("zero_optimization"), stage).map((key) => [`zero_optimization.${key}`, why]);
}

function stageless(zero: Value | undefined, stage: number): readonly string[] {
  if (!isSection(zero)) return [];
  return [...zero.keys()].filter(
    (key) => !isReadAt(stage, key) && (key !== "cpu_offload_param" || !truthy(zero.get(key)) || stage !== 3),
  );
}

/** Does a stage look at a key of `zero_optimization`? */
export function isReadAt(stage: number, key: string): boolean {
  const stages = key.startsWith("stage3_") ? [3] : inTable(stagesOfKey, key);
  return stages === undefined || stages.includes(stage);
}

/** What is read where states are swapped to files (runtime/swap_tensor; runtime/zero/stage3.py: _configure_offloading). */
const onNvme: Readonly<Record<string, readonly string[]>> = {
  offload_param: ["nvme_path", "buffer_count", "buffer_size", "max_in_cpu"],
  offload_optimizer: ["nvme_path", "buffer_count", "pipeline_read", "pipeline_write", "fast_init"],
};

function ofDevices({ zero }: Settings, config: Section): readonly Idle[] {
  const written = config.get("zero_optimization");
  return Object.entries(onNvme).flatMap(([name, keys]): readonly Idle[] => {
    const section = isSection(written) ? written.get(name) : undefined;
    const device = zero.section(name)?.text("device");
    if (!isSection(section) || device === undefined || device === "nvme") return [];
    // Templates write out that there is no path; states are set up fast where weights come from files too.
    const isSwapped = zero.section("offload_param")?.text("device") === "nvme";
    const said = keys.filter(
      (key) => truthy(section.get(key)) && section.get(key) !== "none" && !(key === "fast_init" && isSwapped),
    );
    return said.map((key) => [
      `zero_optimization.${name}.${key}`,
      `device is ${device}, but it is read only for nvme`,
    ]);
  });
}

/** States on disks, and the writers of checkpoints (runtime/model_checkpointing/writer_factory.py), go through it. */
function ofFiles({ zero, plain }: Settings, config: Section): readonly Idle[] {
  if (!truthy(config.get("aio")) || truthy(plain("checkpoint.writer"))) return [];
  const isSwapped = ["offload_param", "offload_optimizer"].some(
    (name) => zero.section(name)?.text("device") === "nvme",
  );
  return isSwapped ? [] : [["aio", "nothing is offloaded to nvme, and no checkpoint.writer uses it"]];
}

/** What a dynamic scale reads (runtime/fp16/loss_scaler.py: CreateLossScaler). */
const dynamic = [
  "initial_scale_power",
  "loss_scale_window",
  "hysteresis",
  "consecutive_hysteresis",
  "min_loss_scale",
];

function ofLossScale({ fp16 }: Settings, config: Section): readonly Idle[] {
  const section = config.get("fp16");
  const scale = isSection(section) && fp16.on("enabled") ? fp16.number("loss_scale") : 0;
  if (!isSection(section) || scale === 0) return [];
  const why = `loss_scale ${scale} is fixed, but only a dynamic scale (0) reads it`;
  return dynamic.filter((key) => section.has(key)).map((key) => [`fp16.${key}`, why]);
}

/** Ranks of a pipeline share the writing of a stage (runtime/pipe/module.py: save_state_dict). */
function ofPipelines({ plain }: Settings, _: Section, host: Host): readonly Idle[] {
  const path = "checkpoint.parallel_write.pipeline_stage";
  return truthy(plain(path)) && host.model.kind !== "pipeline"
    ? [[path, "only a pipeline reads it, and this is not one"]]
    : [];
}
