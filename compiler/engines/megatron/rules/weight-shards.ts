/** Further shards of the weights beside tensor parallelism, gathered before use. */
import type { Arguments } from "../launch.ts";
import { rulesOf, settle, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");
const shards = rulesOf("megatron/core/model_parallel_config.py: resolve_tensor_parallel_weight_shards");

const isSharded = (a: Arguments): boolean => a.gtp_weight_remat_size > 1 || a.expert_gtp_weight_remat_size > 1;

export const weightShards: readonly Step[] = [
  shards.demand("expert-weight-shards", {
    about: ["expert_tensor_parallel_num_weight_shards", "expert_tensor_parallel_size"],
    check: ({ expert_tensor_parallel_num_weight_shards: count, expert_tensor_parallel_size }) => {
      const ranks = expert_tensor_parallel_size ?? 1;
      if (count === null || (count >= ranks && count % ranks === 0)) return null;
      return `${count} weight shards of the experts are not a multiple of expert-tensor parallelism ${ranks}`;
    },
    why: "Each expert-tensor-parallel slice of a weight is split into a whole number of further shards.",
    fix: "Set --expert-tensor-parallel-num-weight-shards to a multiple of --expert-tensor-parallel-size.",
    base: "moe",
    fires: "--expert-tensor-parallel-size 2 --expert-tensor-parallel-num-weight-shards 3",
    silent: "--expert-tensor-parallel-size 2 --expert-tensor-parallel-num-weight-shards 2",
  }),
  settle(["expert_gtp_weight_remat_size"], (a) => {
    const ranks = a.expert_tensor_parallel_size ?? 1;
    a.expert_gtp_weight_remat_size = Math.max(
      1,
      Math.floor((a.expert_tensor_parallel_num_weight_shards ?? ranks) / ranks),
    );
  }),
  ban("weight-shards-fp4", {
    about: ["fp4_param_gather", "tensor_parallel_num_weight_shards"],
    when: (a) => isSharded(a) && a.fp4 !== null && !a.fp4_param_gather,
    says: "further weight shards with --fp4-format need --fp4-param-gather",
    why: "Shards are gathered in the format that the kernels read. Without --fp4-param-gather, 16-bit values would be sent to 4-bit kernels.",
    fix: "Add --fp4-param-gather with --use-distributed-optimizer, or leave --tensor-parallel-num-weight-shards out.",
    fires: "--tensor-parallel-num-weight-shards 2 --fp4-format e2m1",
    silent: "--tensor-parallel-num-weight-shards 2 --fp4-format e2m1 --fp4-param-gather --use-distributed-optimizer",
  }),
  ban("weight-shards-graph-priority", {
    about: ["cuda_graph_impl", "tensor_parallel_num_weight_shards"],
    when: (a, { architecture, env }) =>
      isSharded(a) &&
      a.cuda_graph_impl !== "none" &&
      architecture >= 10 &&
      env("CUDA_GRAPHS_USE_NODE_PRIORITY") !== "1",
    says: "further weight shards with CUDA graphs need CUDA_GRAPHS_USE_NODE_PRIORITY=1 on Blackwell",
    why: "Inside a graph the gathers keep their stream's priority only with that variable.",
    fix: "Set CUDA_GRAPHS_USE_NODE_PRIORITY=1 in the environment of every rank, or leave the CUDA graphs or the weight shards out.",
    fires: "--tensor-parallel-num-weight-shards 2 --cuda-graph-impl local ARCHITECTURE=10",
    silent:
      "--tensor-parallel-num-weight-shards 2 --cuda-graph-impl local ARCHITECTURE=10 CUDA_GRAPHS_USE_NODE_PRIORITY=1",
  }),
  ban("weight-shards-average", {
    about: ["ddp_average_in_collective", "tensor_parallel_num_weight_shards"],
    when: (a) => isSharded(a) && a.ddp_average_in_collective,
    says: "further weight shards cannot be combined with --ddp-average-in-collective",
    why: "Sums over shards and over replicas have different divisors, and one collective can average by one of them only.",
    fix: "Leave --ddp-average-in-collective out.",
    fires: "--tensor-parallel-num-weight-shards 2 --ddp-average-in-collective",
    silent: "--tensor-parallel-num-weight-shards 2",
  }),
  ban("weight-shards-checkpoint", {
    about: ["ckpt_format", "tensor_parallel_num_weight_shards"],
    when: (a) => isSharded(a) && a.ckpt_format !== "torch" && a.ckpt_format !== "torch_dist",
    says: "further weight shards need --ckpt-format torch or torch_dist",
    why: "Further weight shards are a separate axis, which FSDP's checkpoint formats cannot record: their checkpoints could not be reassembled.",
    fix: "Write --ckpt-format torch_dist or torch.",
    fires: "--tensor-parallel-num-weight-shards 2 --ckpt-format torch_dcp",
    silent: "--tensor-parallel-num-weight-shards 2",
  }),
  ban("weight-shards-reshardable", {
    about: ["distrib_optim_fully_reshardable_mem_efficient", "tensor_parallel_num_weight_shards"],
    when: (a) =>
      isSharded(a) && a.dist_ckpt_optim_fully_reshardable && a.distrib_optim_fully_reshardable_mem_efficient,
    says: "further weight shards cannot be combined with the memory-efficient reshardable optimizer checkpoint",
    why: "The memory-efficient form collects shards over the data-parallel ranks and ignores the further axis.",
    fix: "Leave --distrib-optim-fully-reshardable-mem-efficient or --dist-ckpt-optim-fully-reshardable out.",
    fires:
      "--tensor-parallel-num-weight-shards 2 --dist-ckpt-optim-fully-reshardable --distrib-optim-fully-reshardable-mem-efficient",
    silent: "--tensor-parallel-num-weight-shards 2 --dist-ckpt-optim-fully-reshardable",
  }),
  demand("weight-shards-mxfp8", {
    about: ["fp8_param_gather", "reuse_grad_buf_for_mxfp8_param_ag", "fp8_recipe"],
    check: (a) => {
      if (!isSharded(a) || a.fp8_recipe !== "mxfp8") return null;
      const missing = [
        a.fp8_param_gather ? null : "--fp8-param-gather",
        a.reuse_grad_buf_for_mxfp8_param_ag ? null : "--reuse-grad-buf-for-mxfp8-param-ag",
      ].filter((each) => each !== null);
      return missing.length === 0
        ? null
        : `further weight shards with --fp8-recipe mxfp8 need ${missing.join(" and ")}`;
    },
    why: "No 16-bit weight is kept there: the optimizer updates the FP8 shard, which is gathered through the gradients' buffer.",
    fix: "Add --fp8-param-gather and --reuse-grad-buf-for-mxfp8-param-ag with --use-distributed-optimizer, or use another --fp8-recipe.",
    fires: "--tensor-parallel-num-weight-shards 2 --fp8-format e4m3 --fp8-recipe mxfp8",
    silent:
      "--tensor-parallel-num-weight-shards 2 --fp8-format e4m3 --fp8-recipe mxfp8 --fp8-param-gather --reuse-grad-buf-for-mxfp8-param-ag --use-distributed-optimizer",
  }),
  ban("weight-shards-symmetric", {
    about: ["disable_symmetric_registration", "gtp_remat_nccl_ub", "gtp_expert_remat_nccl_ub"],
    when: (a) =>
      isSharded(a) && (a.gtp_remat_nccl_ub || a.gtp_expert_remat_nccl_ub) && a.disable_symmetric_registration,
    says: "--gtp-remat-nccl-ub needs symmetric registration, which --disable-symmetric-registration turns off",
    why: "The network can only sum over memory that is registered symmetrically on all ranks, which the other switch turns off.",
    fix: "Leave --disable-symmetric-registration out, or --gtp-remat-nccl-ub and --gtp-expert-remat-nccl-ub.",
    fires: "--tensor-parallel-num-weight-shards 2 --gtp-remat-nccl-ub --disable-symmetric-registration",
    silent: "--tensor-parallel-num-weight-shards 2 --gtp-remat-nccl-ub",
  }),
];
