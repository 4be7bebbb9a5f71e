/** Variables of libraries that are exported under a name that nothing reads. */
import { distance } from "fastest-levenshtein";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Run } from "../launch.ts";
import { rule, type ForeignRule, type Found } from "./rule.ts";

/** Sources: CUDA C++ programming guide; NCCL user guide; torch, transformers, accelerate, DeepSpeed, wandb: their documentation of variables. */
const known: readonly string[] = `
  CUDA_VISIBLE_DEVICES CUDA_DEVICE_MAX_CONNECTIONS CUDA_LAUNCH_BLOCKING CUDA_DEVICE_ORDER CUBLAS_WORKSPACE_CONFIG HIP_VISIBLE_DEVICES
  ROCR_VISIBLE_DEVICES ASCEND_RT_VISIBLE_DEVICES NVIDIA_VISIBLE_DEVICES MASTER_ADDR MASTER_PORT WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE
  NCCL_DEBUG NCCL_DEBUG_SUBSYS NCCL_SOCKET_IFNAME NCCL_SOCKET_FAMILY NCCL_IB_DISABLE NCCL_IB_HCA NCCL_IB_GID_INDEX NCCL_IB_TIMEOUT
  NCCL_IB_RETRY_CNT NCCL_IB_TC NCCL_IB_SL NCCL_IB_CUDA_SUPPORT NCCL_IB_QPS_PER_CONNECTION NCCL_IB_PCI_RELAXED_ORDERING NCCL_P2P_DISABLE
  NCCL_P2P_LEVEL NCCL_SHM_DISABLE NCCL_NET_GDR_LEVEL NCCL_NET_GDR_READ NCCL_NET_PLUGIN NCCL_ALGO NCCL_PROTO NCCL_BUFFSIZE NCCL_NTHREADS
  NCCL_MIN_NCHANNELS NCCL_MAX_NCHANNELS NCCL_MIN_CTAS NCCL_MAX_CTAS NCCL_CROSS_NIC NCCL_TOPO_FILE NCCL_NVLS_ENABLE NCCL_CUMEM_ENABLE
  NCCL_COLLNET_ENABLE NCCL_ASYNC_ERROR_HANDLING NCCL_BLOCKING_WAIT NCCL_TIMEOUT NCCL_LAUNCH_MODE NCCL_NSOCKS_PERTHREAD
  NCCL_SOCKET_NTHREADS NCCL_IGNORE_CPU_AFFINITY GLOO_SOCKET_IFNAME TP_SOCKET_IFNAME UCX_NET_DEVICES UCX_TLS TORCH_NCCL_BLOCKING_WAIT
  TORCH_NCCL_ASYNC_ERROR_HANDLING TORCH_NCCL_TRACE_BUFFER_SIZE TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC TORCH_NCCL_ENABLE_MONITORING
  TORCH_NCCL_DUMP_ON_TIMEOUT TORCH_NCCL_AVOID_RECORD_STREAMS TORCH_NCCL_HIGH_PRIORITY TORCH_DISTRIBUTED_DEBUG TORCH_CUDA_ARCH_LIST
  TORCH_EXTENSIONS_DIR TORCHELASTIC_ERROR_FILE PYTORCH_CUDA_ALLOC_CONF PYTORCH_ALLOC_CONF OMP_NUM_THREADS MKL_NUM_THREADS
  TOKENIZERS_PARALLELISM TRANSFORMERS_OFFLINE TRANSFORMERS_CACHE HF_DATASETS_OFFLINE HF_DATASETS_CACHE HF_HUB_OFFLINE HF_HUB_CACHE
  HF_HUB_ENABLE_HF_TRANSFER WANDB_MODE WANDB_API_KEY WANDB_PROJECT WANDB_ENTITY WANDB_DISABLED WANDB_RUN_ID WANDB_RESUME FORCE_TORCHRUN
  ACCELERATE_USE_FSDP ACCELERATE_MIXED_PRECISION DS_SKIP_CUDA_CHECK DS_BUILD_OPS PYTHONUNBUFFERED PYTHONFAULTHANDLER LD_LIBRARY_PATH
  NVTE_FLASH_ATTN NVTE_FUSED_ATTN NVTE_DEBUG NVTE_TORCH_COMPILE SLURM_CPUS_PER_TASK SRUN_CPUS_PER_TASK`
  .trim()
  .split(/\s+/);
const all = new Set(known);

/** The variable that one slip made this of; a plural and a number are names of their own. */
function meantBy(name: string): string | null {
  // HCCL, RCCL, XCCL: libraries of other vendors name theirs after NCCL's.
  if (all.has(name) || name.length < 8 || /\d$/.test(name) || /^(?!NCCL)\w+CCL_/.test(name)) return null;
  const near = known.filter(
    (each) => each.length >= 8 && `${each}S` !== name && `${name}S` !== each && isSlip(name, each),
  );
  return near.length === 1 ? (near[0] ?? null) : null;
}

const plain = (name: string): string => name.replaceAll("_", "");

function isSlip(name: string, meant: string): boolean {
  if (Math.abs(name.length - meant.length) > 2) return false;
  if (plain(name) === plain(meant) || distance(name, meant) === 1) return true;
  const at = [...name].findIndex((letter, index) => letter !== meant[index]);
  return name.slice(0, at) + (name[at + 1] ?? "") + (name[at] ?? "") + name.slice(at + 2) === meant;
}

function misspelt({ command: { env }, script }: Run): readonly Found[] {
  return [...env].flatMap(([name, { span }]): readonly Found[] => {
    const meant = meantBy(name);
    if (meant === null) return [];
    const { text } = script.source;
    // What the script reads itself is a name of its own.
    if (
      new RegExp(`\\$\\{?[!#]?${name}\\b`).test(text) ||
      (span.source.text !== text && span.source.text.includes(`$${name}`))
    )
      return [];
    const at = span.source.text.lastIndexOf(name, span.end);
    const place = at < 0 || at + name.length < span.start - 2 ? span : { ...span, start: at, end: at + name.length };
    return [
      {
        span: place,
        message: `nothing reads ${name}: the variable is ${meant}`,
        valid: [meant],
        ...(place === span ? {} : { fixes: [replacement(place, meant)] }),
      },
    ];
  });
}

export const variableNameRules: readonly ForeignRule[] = [
  rule({
    name: "variable-name",
    severity: "warning",
    source:
      "NCCL user guide, environment variables; CUDA C++ programming guide; documentation of torch, transformers, accelerate and wandb",
    why: "A misspelt variable is set but never read, without any error: the library uses its default, so that, for example, each rank sees all GPUs, or NCCL uses the first interface.",
    fix: "Write the name as the library spells it.",
    check: ({ runs }) => {
      const seen = new Set<string>();
      return runs.flatMap(misspelt).filter(({ span }) => {
        const key = `${span.source.path} ${span.start}`;
        if (seen.has(key)) return false;
        seen.add(key);
        return true;
      });
    },
    fires: {
      "run.sh":
        "export NCCL_SOKCET_IFNAME=eth0\nexport CUDA__VISIBLE_DEVICES=0,1\ntorchrun --nproc-per-node=2 train.py\n",
    },
    silent: {
      "run.sh":
        "export NCCL_SOCKET_IFNAME=eth0\nexport CUDA_VISIBLE_DEVICES=0,1\ntorchrun --nproc-per-node=2 train.py\n",
    },
  }),
];
