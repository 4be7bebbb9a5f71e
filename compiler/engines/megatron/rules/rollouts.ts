/** Reinforcement learning: rollouts, their engine and its memory. */
import { rulesOf, settle, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");

export const rollouts: readonly Step[] = [
  ban("rl-graphs-kept", {
    about: ["rl_persist_cuda_graphs", "cuda_graph_impl"],
    when: (a) => a.perform_rl_step && a.rl_persist_cuda_graphs && a.cuda_graph_impl === "none",
    says: "--rl-persist-cuda-graphs keeps CUDA graphs, but --cuda-graph-impl none builds none",
    why: "Graphs can be kept between inference and training only if some are recorded, and --cuda-graph-impl none records none.",
    fix: "Give --cuda-graph-impl local, or leave --rl-persist-cuda-graphs out.",
    base: "rl",
    fires: "--rl-persist-cuda-graphs",
    silent: "--rl-persist-cuda-graphs --cuda-graph-impl local",
  }),
  ban("rl-graphs-training", {
    about: ["rl_training_cuda_graphs", "cuda_graph_impl"],
    when: (a) => a.perform_rl_step && a.rl_training_cuda_graphs && a.cuda_graph_impl === "none",
    says: "--rl-training-cuda-graphs uses CUDA graphs, but --cuda-graph-impl none builds none",
    why: "Training can replay graphs only if some are recorded, and --cuda-graph-impl none records none.",
    fix: "Give --cuda-graph-impl local, or leave --rl-training-cuda-graphs out.",
    base: "rl",
    fires: "--rl-training-cuda-graphs",
    silent: "--rl-training-cuda-graphs --cuda-graph-impl local",
  }),
  ban("rl-cache-offload-graphs", {
    about: ["rl_kv_cache_management_mode", "rl_persist_cuda_graphs"],
    when: (a) => a.perform_rl_step && a.rl_kv_cache_management_mode === "offload" && !a.rl_persist_cuda_graphs,
    says: "--rl-kv-cache-management-mode offload needs --rl-persist-cuda-graphs",
    why: "Capturing graphs again runs forward passes that would overwrite the cache brought back from the host.",
    fix: "Add --rl-persist-cuda-graphs (with --cuda-graph-impl local), or write --rl-kv-cache-management-mode persist.",
    base: "rl",
    fires: "--rl-kv-cache-management-mode offload",
    silent: "--rl-kv-cache-management-mode persist",
  }),
  ban("rl-cache-offload-unified", {
    about: ["rl_kv_cache_management_mode", "inference_dynamic_batching_unified_memory_level"],
    when: (a) =>
      a.perform_rl_step &&
      a.rl_kv_cache_management_mode === "offload" &&
      a.inference_dynamic_batching_unified_memory_level > 0,
    says: "--rl-kv-cache-management-mode offload does by hand what unified memory already does",
    why: "With a unified memory level above 0 the driver moves the cache.",
    fix: "Set --inference-dynamic-batching-unified-memory-level 0, or write --rl-kv-cache-management-mode persist.",
    base: "rl",
    fires:
      "--rl-kv-cache-management-mode offload --rl-persist-cuda-graphs --cuda-graph-impl local --inference-dynamic-batching-unified-memory-level 1",
    silent: "--rl-kv-cache-management-mode persist --inference-dynamic-batching-unified-memory-level 1",
  }),
  ban("rl-offload-weights", {
    about: ["rl_inference_model_unified_memory_level", "rl_offload_inference_model_weights_when_idle"],
    when: (a) =>
      a.perform_rl_step &&
      a.rl_offload_inference_model_weights_when_idle &&
      a.rl_inference_model_unified_memory_level !== 1,
    says: "--rl-offload-inference-model-weights-when-idle needs --rl-inference-model-unified-memory-level 1, or the package torch_memory_saver",
    why: "Weights can leave the device while programs keep their addresses only with the driver's unified memory or with that package.",
    fix: "Give --rl-inference-model-unified-memory-level 1, install torch_memory_saver in the job's image, or leave --rl-offload-inference-model-weights-when-idle out.",
    base: "rl",
    fires: "--rl-offload-inference-model-weights-when-idle",
    silent: "--rl-offload-inference-model-weights-when-idle --rl-inference-model-unified-memory-level 1",
  }),
  ban("rl-inflight-or-lag", {
    about: ["rl_generation_lag", "rl_max_inflight_requests"],
    when: (a) => a.perform_rl_step && a.rl_max_inflight_requests !== null && a.rl_generation_lag !== null,
    says: "--rl-generation-lag and --rl-max-inflight-requests say the same thing twice",
    why: "The lag is the number of requests in flight divided by those of a batch, less one.",
    fix: "Keep one: --rl-generation-lag or --rl-max-inflight-requests.",
    base: "rl",
    fires: "--rl-max-inflight-requests 8 --rl-generation-lag 1 --rl-partial-rollouts",
    silent: "--rl-max-inflight-requests 8 --rl-partial-rollouts",
  }),
  demand("rl-inflight", {
    about: ["rl_max_inflight_requests", "rl_partial_rollouts"],
    check: (a) => {
      const most = a.rl_max_inflight_requests;
      if (!a.perform_rl_step || most === null) return null;
      const batch = a.grpo_prompts_per_step * a.grpo_group_size;
      if (most < 1) return `--rl-max-inflight-requests ${most} is less than one`;
      return most > batch && !a.rl_partial_rollouts
        ? `--rl-max-inflight-requests ${most} is more than the ${batch} requests of a batch, which needs --rl-partial-rollouts`
        : null;
    },
    why: "With more requests than one training batch holds, rollouts begin before their weights are final.",
    fix: "Lower --rl-max-inflight-requests to at most prompts per step x group size (and at least 1), or add --rl-partial-rollouts.",
    base: "rl",
    fires: "--rl-max-inflight-requests 64",
    silent: "--rl-max-inflight-requests 64 --rl-partial-rollouts",
  }),
  settle(["rl_generation_lag"], (a) => {
    if (!a.perform_rl_step) return;
    if (a.rl_max_inflight_requests !== null)
      a.rl_generation_lag = a.rl_max_inflight_requests / (a.grpo_prompts_per_step * a.grpo_group_size) - 1;
    else if (a.rl_generation_lag === null && !a.rl_partial_rollouts) a.rl_generation_lag = 0;
  }),
  demand("rl-lag", {
    about: ["rl_generation_lag", "rl_partial_rollouts"],
    check: (a) => {
      const lag = a.rl_generation_lag;
      if (!a.perform_rl_step || lag === null || a.rl_max_inflight_requests !== null) return null;
      if (lag < -1) return `--rl-generation-lag ${lag} is less than -1`;
      return lag > 0 && !a.rl_partial_rollouts ? `--rl-generation-lag ${lag} needs --rl-partial-rollouts` : null;
    },
    why: "A positive lag trains on rollouts of older weights, which only partial rollouts allow; the smallest value is -1.",
    fix: "Add --rl-partial-rollouts, or set --rl-generation-lag to 0 or -1.",
    base: "rl",
    fires: "--rl-generation-lag 1",
    silent: "--rl-generation-lag 1 --rl-partial-rollouts",
  }),
  ban("rl-submission", {
    about: ["rl_submission_granularity", "rl_partial_rollouts"],
    when: (a) => a.perform_rl_step && a.rl_submission_granularity === "R" && !a.rl_partial_rollouts,
    says: "submitting single rollouts needs --rl-partial-rollouts",
    why: "Single rollouts may end after the step that began them.",
    fix: "Add --rl-partial-rollouts, or write --rl-submission-granularity B.",
    base: "rl",
    fires: "--rl-submission-granularity R",
    silent: "--rl-submission-granularity R --rl-partial-rollouts",
  }),
  ban("rl-submission-groups", {
    about: ["rl_submission_granularity", "rl_partial_rollouts"],
    when: (a) => a.perform_rl_step && a.rl_submission_granularity === "G" && !a.rl_partial_rollouts,
    says: "submitting groups one by one needs --rl-partial-rollouts",
    why: "If every rollout ends before the step, only a whole batch (B) can be submitted.",
    fix: "Add --rl-partial-rollouts, or write --rl-submission-granularity B.",
    base: "rl",
    fires: "--rl-submission-granularity G",
    silent: "--rl-submission-granularity G --rl-partial-rollouts",
  }),
  ban("rl-consumption", {
    about: ["rl_consumption_granularity"],
    when: (a) => a.perform_rl_step && a.rl_consumption_granularity === "R",
    says: "--rl-consumption-granularity R is not implemented",
    why: "Advantages are computed over a group, so single rollouts cannot be consumed.",
    fix: "Write --rl-consumption-granularity G or B.",
    base: "rl",
    fires: "--rl-consumption-granularity R",
    silent: "--rl-consumption-granularity B",
  }),
  ban("rl-submission-consumption", {
    about: ["rl_consumption_granularity", "rl_submission_granularity"],
    when: (a) => a.perform_rl_step && a.rl_submission_granularity === "B" && a.rl_consumption_granularity === "G",
    says: "groups cannot be consumed one by one if whole batches are submitted",
    why: "With --rl-submission-granularity B everything arrives at once.",
    fix: "Write --rl-consumption-granularity B, or --rl-submission-granularity G with --rl-partial-rollouts.",
    base: "rl",
    fires: "--rl-submission-granularity B --rl-consumption-granularity G",
    silent: "--rl-submission-granularity G --rl-consumption-granularity G --rl-partial-rollouts",
  }),
  ban("rl-packing-micro-batch", {
    about: ["micro_batch_size", "rl_use_sequence_packing"],
    when: (a) => a.perform_rl_step && a.rl_use_sequence_packing && a.micro_batch_size !== 1,
    says: "sequence packing needs --micro-batch-size 1",
    why: "Packed rollouts form one long sequence, which is a whole micro-batch.",
    fix: "Set --micro-batch-size 1 and raise --seq-length to process more at once, or leave --rl-use-sequence-packing out.",
    base: "rl",
    fires: "--rl-use-sequence-packing --micro-batch-size 2",
    silent: "--rl-use-sequence-packing --micro-batch-size 1",
  }),
];
