import { architectureOf } from "../architecture.ts";
import { unknown } from "../unknown.ts";
import type { Subject } from "./intent.ts";

/** Variables that the job sets; `null` takes one away that a login shell may have brought. */
export type Environment = Readonly<Record<string, string | null>>;

/**
 * What Megatron demands of its environment. Before Blackwell kernels and transfers of tensor and context parallelism keep their order
 * only in one queue; sharding weights needs more than one (megatron/training/arguments.py: validate_args). A run that has to repeat bit for
 * bit pins the algorithms of NCCL, cuBLAS and Transformer Engine (megatron/training/determinism.py).
 */
export function environmentOf({ cluster }: Subject, values: ReadonlyMap<string, unknown>): Environment {
  const sharded = values.get("use_megatron_fsdp") === true || values.get("use_torch_fsdp2") === true;
  const split = isSplit(values.get("tensor_model_parallel_size")) || isSplit(values.get("context_parallel_size"));
  const architecture = architectureOf(cluster.device.name);
  const ordered = split && (architecture === unknown || architecture < 10);
  return {
    CUDA_DEVICE_MAX_CONNECTIONS: ordered && !sharded ? "1" : null,
    ...(values.get("deterministic_mode") === true
      ? {
          NCCL_ALGO: "Ring",
          NVTE_ALLOW_NONDETERMINISTIC_ALGO: "0",
          CUBLAS_WORKSPACE_CONFIG: ":4096:8",
        }
      : {}),
    ...(values.get("fine_grained_activation_offloading") === true ? { NVTE_CPU_OFFLOAD_V1: "1" } : {}),
  };
}

function isSplit(size: unknown): boolean {
  return typeof size === "number" && size > 1;
}
