/** Process groups, which are made once the job holds its devices. */
import { rulesOf, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/core/parallel_state.py: initialize_model_parallel");

export const groups: readonly Step[] = [
  ban("sharp-group", {
    about: ["sharp_enabled_group", "use_sharp"],
    when: (a) => !a.use_sharp && a.sharp_enabled_group !== null,
    says: "--sharp-enabled-group needs --use-sharp",
    why: "The option selects the group whose sums the network switches compute. Without --use-sharp they compute none.",
    fix: "Add --use-sharp, or leave --sharp-enabled-group out.",
    fires: "--sharp-enabled-group dp",
    silent: "",
  }),
  ban("sharp-default-group", {
    about: ["use_sharp", "sharp_enabled_group"],
    when: (a) => a.use_sharp && (a.sharp_enabled_group === null || a.sharp_enabled_group === "dp"),
    says: "--use-sharp with the data-parallel group always fails in this version",
    why: "The engine waits on the data-parallel group before it has created it, so every launch with this option fails.",
    fix: "Write --sharp-enabled-group dp_replica with --num-distributed-optimizer-instances 2 or more, or leave --use-sharp out.",
    fires: "--use-sharp",
    silent:
      "--use-sharp --sharp-enabled-group dp_replica --num-distributed-optimizer-instances 2 --use-distributed-optimizer",
  }),
  ban("sharp-replicas", {
    about: ["sharp_enabled_group", "num_distributed_optimizer_instances"],
    when: (a) => a.use_sharp && a.sharp_enabled_group === "dp_replica" && a.num_distributed_optimizer_instances <= 1,
    says: "--sharp-enabled-group dp_replica needs --num-distributed-optimizer-instances above 1",
    why: "The group consists of replicas of the optimizer, which exist only with several instances.",
    fix: "Give --num-distributed-optimizer-instances 2 or more with --use-distributed-optimizer, or leave --use-sharp out.",
    fires: "--use-sharp --sharp-enabled-group dp_replica",
    silent:
      "--use-sharp --sharp-enabled-group dp_replica --num-distributed-optimizer-instances 2 --use-distributed-optimizer",
  }),
  ban("weight-shards-instances", {
    about: ["num_distributed_optimizer_instances", "tensor_parallel_num_weight_shards"],
    when: (a) =>
      (a.gtp_weight_remat_size > 1 || a.expert_gtp_weight_remat_size > 1) &&
      a.num_distributed_optimizer_instances > 1,
    says: "further weight shards work only with one instance of the distributed optimizer",
    why: "Several instances of the distributed optimizer divide its states along one axis, further weight shards along another; the combination is not implemented.",
    fix: "Leave --num-distributed-optimizer-instances out, or --tensor-parallel-num-weight-shards.",
    fires: "--tensor-parallel-num-weight-shards 2 --num-distributed-optimizer-instances 2",
    silent: "--num-distributed-optimizer-instances 2",
  }),
  demand("expert-world-size", {
    about: ["expert_tensor_parallel_size", "expert_model_parallel_size", "pipeline_model_parallel_size"],
    check: (a, { world }) => {
      const [etp, ep, pp] = [
        a.expert_tensor_parallel_size ?? 1,
        a.expert_model_parallel_size,
        a.pipeline_model_parallel_size,
      ];
      const shards = a.expert_gtp_weight_remat_size;
      const model = etp * ep * pp * shards;
      // Where `world-size` has refused the grid of the rest, ranks that mend it may well mend this one.
      const { tensor_model_parallel_size: tp, context_parallel_size: cp } = a;
      const rest = tp * cp * pp * a.gtp_weight_remat_size;
      const mended = Math.ceil(world / rest) * rest;
      if (world % rest !== 0 && (a.num_experts === null || mended % model === 0)) return null;
      if (etp < 0) return `--expert-tensor-parallel-size ${etp} is not positive`;
      return model < 1 || world % model === 0
        ? null
        : `${world} ranks are not a multiple of expert-tensor ${etp} x expert ${ep} x pipeline ${pp}${shards === 1 ? "" : ` x weight shards ${shards}`} = ${model}`;
    },
    why: "Experts have their own process grid. Expert-tensor parallelism defaults to --tensor-model-parallel-size. The engine notices only after the process groups have started.",
    fix: "Set --expert-tensor-parallel-size 1 to keep experts whole, or choose sizes whose product divides the ranks.",
    base: "moe",
    fires: "--expert-model-parallel-size 8 --expert-tensor-parallel-size 2",
    silent: "--expert-model-parallel-size 8 --expert-tensor-parallel-size 1",
  }),
  demand("mapping-expert-replicas", {
    about: ["use_tp_pp_dp_mapping", "expert_model_parallel_size"],
    check: (a, { world }) => {
      if (!a.use_tp_pp_dp_mapping || a.pipeline_model_parallel_size === 1) return null;
      const model =
        (a.expert_tensor_parallel_size ?? 1) *
        a.expert_model_parallel_size *
        a.pipeline_model_parallel_size *
        a.expert_gtp_weight_remat_size;
      const replicas = Math.floor(world / model);
      return replicas === a.data_parallel_size
        ? null
        : `--use-tp-pp-dp-mapping needs as many replicas of the experts (${replicas}) as of the rest (${a.data_parallel_size})`;
    },
    why: "In that order of ranks the pipeline groups of both grids coincide only if their data-parallel sizes do.",
    fix: "Leave --use-tp-pp-dp-mapping out, or choose expert sizes such that expert x expert-tensor ranks equal tensor x context ranks.",
    base: "moe",
    fires: "--use-tp-pp-dp-mapping --pipeline-model-parallel-size 2",
    silent: "--pipeline-model-parallel-size 2",
  }),
  demand("optimizer-instances", {
    about: ["num_distributed_optimizer_instances"],
    check: (a, { world }) => {
      const instances = a.num_distributed_optimizer_instances;
      const dense = a.data_parallel_size * a.context_parallel_size;
      const model =
        (a.expert_tensor_parallel_size ?? 1) *
        a.expert_model_parallel_size *
        a.pipeline_model_parallel_size *
        a.expert_gtp_weight_remat_size;
      const expert = Math.floor(world / model);
      if (dense % instances !== 0)
        return `${instances} optimizer instances do not divide ${dense} data- and context-parallel ranks`;
      return expert % instances === 0
        ? null
        : `${instances} optimizer instances do not divide ${expert} data-parallel ranks of the experts`;
    },
    why: "Every instance shards its states over an equal part of the replicas, of dense layers and experts alike.",
    fix: "Set --num-distributed-optimizer-instances to a common divisor of the data-parallel ranks of the dense layers and of the experts.",
    fires: "--num-distributed-optimizer-instances 3 --use-distributed-optimizer",
    silent: "--num-distributed-optimizer-instances 2 --use-distributed-optimizer",
  }),
  demand("hybrid-context-ranks", {
    about: ["hybrid_context_parallel", "context_parallel_size"],
    check: (a) => {
      const ranks = a.data_parallel_size * a.context_parallel_size;
      return a.hybrid_context_parallel && ranks % 2 === 1
        ? `--hybrid-context-parallel needs an even number of data- and context-parallel ranks, not ${ranks}`
        : null;
    },
    why: "Sequences are spread over groups of 2, 4, 8, … of these ranks, which an odd number cannot form.",
    fix: "Choose sizes that leave an even number of data- x context-parallel ranks, or leave --hybrid-context-parallel out.",
    fires:
      "--hybrid-context-parallel --tensor-model-parallel-size 8 --calculate-per-token-loss --dataloader-type single",
    silent: "--hybrid-context-parallel --calculate-per-token-loss --dataloader-type single",
  }),
  ban("ucc-connections", {
    about: ["pipeline_model_parallel_comm_backend"],
    when: (a, { env }) =>
      a.pipeline_model_parallel_comm_backend === "ucc" && env("CUDA_DEVICE_MAX_CONNECTIONS") === "1",
    says: "--pipeline-model-parallel-comm-backend ucc needs CUDA_DEVICE_MAX_CONNECTIONS above 1",
    why: "With one hardware queue UCC's transfers wait for each other, each for a kernel that in turn waits for it: the pipeline hangs.",
    fix: "Unset CUDA_DEVICE_MAX_CONNECTIONS or set it to 8, or write --pipeline-model-parallel-comm-backend nccl.",
    fires:
      "--pipeline-model-parallel-comm-backend ucc --pipeline-model-parallel-size 2 CUDA_DEVICE_MAX_CONNECTIONS=1",
    silent:
      "--pipeline-model-parallel-comm-backend ucc --pipeline-model-parallel-size 2 CUDA_DEVICE_MAX_CONNECTIONS=8",
  }),
];
