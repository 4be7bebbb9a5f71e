/** Tensor parallelism that the engine makes by itself (AutoTP), alone and together with experts (AutoEP). */
import type { Settings } from "../settings.ts";
import { demandsOf, type Demand } from "../step.ts";
import { asNumber, isList, isSection, textOf, truthy, type Value } from "../value.ts";
import { stageOf } from "./precision.ts";

const mesh = demandsOf(
  "utils/groups.py: _init_tp_mesh_device; runtime/engine.py: _apply_autotp_partitioning",
  "build",
);
const shapes = demandsOf("module_inject/autotp_config.py: TPLayerSpec.__post_init__", "build");
const folding = demandsOf("module_inject/auto_ep_folding.py: validate_folding_global", "build");
const divided = demandsOf("runtime/engine.py: _validate_zero3_moe_compatibility", "build");

const sizeOf = ({ plain }: Settings): number => asNumber(plain("tensor_parallel.autotp_size") ?? 0) ?? 0;
const hasExperts = ({ plain }: Settings): boolean => truthy(plain("expert_parallel.enabled"));

/** What is wrong with how a weight's shape is written, if anything. */
function shapeFault(spec: Value): string | null {
  if (!isSection(spec)) return `${textOf(spec)} is not a section`;
  const kind = spec.get("partition_type") ?? "column";
  if (typeof kind !== "string" || !["column", "row", "skip"].includes(kind.toLowerCase()))
    return `partition_type ${textOf(kind)} is not column, row or skip`;
  const shape = spec.get("shape") ?? null;
  if (shape === null) return null;
  if (!isList(shape)) return `shape ${textOf(shape)} is not a list`;
  const dimension = asNumber(spec.get("partition_dim") ?? (kind.toLowerCase() === "column" ? 0 : 1)) ?? 0;
  if (dimension < 0 || dimension >= shape.length)
    return `partition_dim ${dimension} is outside a shape of ${shape.length}`;
  for (const [index, size] of shape.entries()) {
    if (isList(size) && index !== dimension) return "only the split dimension may be a list of parts";
    const sizes = isList(size) ? size : [size];
    const isWrong = (each: Value): boolean =>
      typeof each !== "number" || each === 0 || each < (isList(size) ? 1 : -1);
    if (sizes.length === 0 || sizes.some(isWrong)) return `${textOf(size)} in a shape is not a positive whole number`;
  }
  return null;
}

export const tensor: readonly Demand[] = [
  mesh("tensor-parallel-ranks", {
    about: ["tensor_parallel.autotp_size", "tensor_parallel.tp.tp_size"],
    check: (settings, { world }) => {
      const size = sizeOf(settings);
      if (size <= 1) return null;
      if (world % size !== 0) return `tensor_parallel.autotp_size ${size} does not divide ${world} ranks`;
      const other = asNumber(settings.plain("tensor_parallel.tp.tp_size") ?? 1);
      return other === 1 || other === size || other === undefined
        ? null
        : `tensor_parallel.tp.tp_size ${other} is not autotp_size ${size}`;
    },
    why: "The ranks are laid out as a grid of data- and tensor-parallel ranks, so its size must divide them. It is set by autotp_size; tp_size follows from it.",
    fix: "Set tensor_parallel.autotp_size to a divisor of the ranks, and leave tp.tp_size out.",
    fires: { tensor_parallel: { autotp_size: 3 } },
    silent: { tensor_parallel: { autotp_size: 4 } },
  }),
  shapes("tensor-parallel-shape", {
    about: "tensor_parallel.partition_config",
    check: (settings) => {
      const specs = settings.plain("tensor_parallel.partition_config.layer_specs");
      if (sizeOf(settings) <= 1 || !isList(specs)) return null;
      const fault = specs.map(shapeFault).find((each) => each !== null);
      return fault === undefined ? null : `tensor_parallel.partition_config: ${fault}`;
    },
    why: "A layer's weight is split along one dimension, by rows or by columns; a shape lists its parts. A weight that cannot be split this way stops the engine when it replaces the layer.",
    fix: "Write partition_type column, row or skip, and a shape of positive numbers (-1 for the rest) with at most one list of parts, at partition_dim.",
    fires: {
      tensor_parallel: {
        autotp_size: 2,
        partition_config: { layer_specs: [{ patterns: [".*"], partition_type: "column", shape: [0, -1] }] },
      },
    },
    silent: {
      tensor_parallel: {
        autotp_size: 2,
        partition_config: { layer_specs: [{ patterns: [".*"], partition_type: "column", shape: [2, -1] }] },
      },
    },
  }),
  folding("experts-tensor-parallel", {
    about: ["tensor_parallel.autotp_size", "expert_parallel.autoep_size", "sequence_parallel_size"],
    check: (settings, { world, model }) => {
      const { plain, compile } = settings;
      if (!hasExperts(settings)) return null;
      const [ours, theirs] = [plain("tensor_parallel.preset_model"), plain("expert_parallel.preset_model")];
      if (truthy(ours) && truthy(theirs) && ours !== theirs)
        return `tensor_parallel.preset_model ${textOf(ours ?? null)} and expert_parallel.preset_model ${textOf(theirs ?? null)} are different models`;
      const size = sizeOf(settings);
      if (size <= 1 || world % size !== 0) return null;
      const beside = `tensor_parallel.autotp_size ${size} beside expert_parallel`;
      if (model.kind === "pipeline" && model.stages > 1) return `${beside} cannot be combined with pipeline stages`;
      if ((asNumber(plain("expert_parallel.autoep_size") ?? 1) ?? 1) <= 1)
        return `${beside} needs expert_parallel.autoep_size above 1`;
      if ((asNumber(plain("sequence_parallel_size") ?? 1) ?? 1) > 1)
        return `${beside} cannot be combined with sequence_parallel_size`;
      if (compile.on("deepcompile")) return `${beside} cannot be combined with compile.deepcompile`;
      if (truthy(plain("use_data_before_expert_parallelism")))
        return `${beside} cannot be combined with use_data_before_expert_parallelism`;
      const moved = ["offload_optimizer", "offload_param"].some((name) => truthy(plain(`zero_optimization.${name}`)));
      return moved ? `${beside} cannot be combined with offloading` : null;
    },
    why: "Dense layers are split by tensor and experts by rank, over the same GPUs. The reduction of gradients is implemented only for this combination, and the engine refuses any other option that would change it.",
    fix: "Set autotp_size to 1, or remove what the message names and set expert_parallel.autoep_size above 1.",
    fires: { tensor_parallel: { autotp_size: 2 }, expert_parallel: { enabled: true, autoep_size: 1 } },
    silent: { tensor_parallel: { autotp_size: 2 }, expert_parallel: { enabled: true, autoep_size: 2 } },
  }),
  divided("experts-stage3-parts", {
    about: [
      "zero_optimization.stage",
      "zero_optimization.zero_quantized_gradients",
      "zero_optimization.zero_hpz_partition_size",
      "sequence_parallel_size",
    ],
    severity: "warning",
    check: (settings) => {
      if (!hasExperts(settings) || stageOf(settings) !== 3) return null;
      const beside = "experts of AutoEP under ZeRO stage 3 cannot be combined with";
      if ((asNumber(settings.plain("sequence_parallel_size") ?? 1) ?? 1) !== 1)
        return `${beside} sequence_parallel_size`;
      if (settings.zero.on("zero_quantized_gradients")) return `${beside} zero_quantized_gradients`;
      const groups = settings.zero.number("zero_hpz_partition_size");
      return groups > 1 ? `${beside} zero_hpz_partition_size ${groups}` : null;
    },
    why: "Stage 3 shards an expert over the ranks that share it, not over those that hold other experts. A second split (of a sequence, of quantized gradients, of a node) is not supported yet; the engine stops once it has found the expert layers.",
    fix: "Remove what the message names, or set zero_optimization.stage to 2.",
    fires: {
      zero_optimization: { stage: 3, zero_hpz_partition_size: 4 },
      expert_parallel: { enabled: true, autoep_size: 2 },
    },
    silent: { zero_optimization: { stage: 3 }, expert_parallel: { enabled: true, autoep_size: 2 } },
  }),
];
