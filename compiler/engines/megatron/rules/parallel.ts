/** World size and the process grid. Source: megatron/training/arguments.py: validate_args. */
import { divisors } from "../../../planner/divisors.ts";
import { Undecided } from "../launch.ts";
import { rulesOf, settle, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");

const shards = rulesOf("megatron/core/model_parallel_config.py: resolve_tensor_parallel_weight_shards");

export const parallel: readonly Step[] = [
  shards.demand("weight-shards", {
    about: ["tensor_parallel_num_weight_shards", "tensor_model_parallel_size"],
    check: ({ tensor_parallel_num_weight_shards: shards, tensor_model_parallel_size: tp }) => {
      if (shards === null) return null;
      if (shards < tp) return `${shards} weight shards are fewer than the ${tp} tensor-parallel ranks`;
      return shards % tp === 0 ? null : `${shards} weight shards are not a multiple of tensor parallelism ${tp}`;
    },
    why: "Each tensor-parallel slice of a weight is split into a whole number of further shards, so their number must be a multiple of --tensor-model-parallel-size.",
    fix: "Set --tensor-parallel-num-weight-shards to a multiple of --tensor-model-parallel-size.",
    fires: "--tensor-model-parallel-size 2 --tensor-parallel-num-weight-shards 3",
    silent: "--tensor-model-parallel-size 2 --tensor-parallel-num-weight-shards 4",
  }),
  settle(["gtp_weight_remat_size", "tensor_parallel_num_weight_shards"], (a) => {
    a.tensor_parallel_num_weight_shards ??= a.tensor_model_parallel_size;
    a.gtp_weight_remat_size = Math.max(
      1,
      Math.floor(a.tensor_parallel_num_weight_shards / a.tensor_model_parallel_size),
    );
  }),
  demand("world-size", {
    about: ["tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size"],
    check: (a, { world }) => {
      const { tensor_model_parallel_size: tp, pipeline_model_parallel_size: pp, context_parallel_size: cp } = a;
      const model = tp * pp * cp * a.gtp_weight_remat_size;
      if (Math.min(tp, pp, cp) < 1)
        return `parallel sizes must be at least 1: tensor ${tp}, pipeline ${pp}, context ${cp}`;
      const shards = a.gtp_weight_remat_size > 1 ? ` x weight shards ${a.gtp_weight_remat_size}` : "";
      return world % model === 0
        ? null
        : `${world} ranks are not a multiple of tensor ${tp} x pipeline ${pp} x context ${cp}${shards} = ${model}`;
    },
    valid: (a, { world }) => {
      const others = a.pipeline_model_parallel_size * a.context_parallel_size * a.gtp_weight_remat_size;
      return world % others === 0 ? divisors(world / others) : [`${others * a.tensor_model_parallel_size} ranks`];
    },
    why: "Every model replica takes tensor x pipeline x context ranks, and the ranks must form a whole number of replicas: their number is the data-parallel size.",
    fix: "Change one of the sizes so that their product divides the ranks, or start a multiple of the product. `valid` lists what fits with everything else unchanged: tensor sizes, or where there is none the fewest ranks.",
    fires: "--tensor-model-parallel-size 3",
    silent: "--tensor-model-parallel-size 4",
  }),
  settle(["data_parallel_size"], (a, { world }) => {
    const model = a.tensor_model_parallel_size * a.pipeline_model_parallel_size * a.context_parallel_size;
    const replicas = world / (model * a.gtp_weight_remat_size);
    // `world-size` has refused it: what would follow from a part of a replica is not said as well.
    if (!Number.isInteger(replicas)) throw new Undecided();
    a.data_parallel_size = replicas;
  }),
  ban("attention-local-spec", {
    about: ["attention_backend", "spec"],
    when: ({ attention_backend: backend, spec }) => backend === "local" && spec?.[0] !== "local",
    says: "--attention-backend local needs --spec local",
    why: "The local attention kernels exist only in the layer specification of that name. Without --spec the engine stops with a TypeError.",
    fix: "Add --spec local, or use another --attention-backend: auto, flash, fused or unfused.",
    fires: "--attention-backend local",
    silent: "--attention-backend local --spec local",
  }),
];

export const contextParallel: readonly Step[] = [
  demand("hierarchical-context", {
    about: ["hierarchical_context_parallel_sizes", "context_parallel_size"],
    check: ({ hierarchical_context_parallel_sizes: sizes, context_parallel_size: cp }) => {
      if (sizes === null || sizes.length === 0) return null;
      const product = sizes.reduce((left, right) => left * right, 1);
      return product === cp
        ? null
        : `the hierarchical sizes ${sizes.join(" x ")} = ${product} do not equal context parallelism ${cp}`;
    },
    why: "--hierarchical-context-parallel-sizes splits the context-parallel group into levels, so its product is --context-parallel-size. The engine's own message is empty.",
    fix: "Give sizes whose product is --context-parallel-size, such as 2 2 for 4.",
    fires: "--context-parallel-size 4 --hierarchical-context-parallel-sizes 2 4",
    silent: "--context-parallel-size 4 --hierarchical-context-parallel-sizes 2 2",
  }),
  demand("context-comm-hierarchy", {
    about: ["cp_comm_type", "hierarchical_context_parallel_sizes"],
    check: (a) =>
      a.cp_comm_type.includes("a2a+p2p") && a.hierarchical_context_parallel_sizes === null
        ? "--cp-comm-type a2a+p2p needs --hierarchical-context-parallel-sizes"
        : null,
    why: "The mixed form exchanges heads within the inner level and keys and values between the outer ones, so both sizes must be given.",
    fix: "Add --hierarchical-context-parallel-sizes with two sizes whose product is --context-parallel-size, or write --cp-comm-type p2p, a2a or all_gather.",
    fires: "--context-parallel-size 2 --cp-comm-type a2a+p2p",
    silent: "--context-parallel-size 2 --cp-comm-type p2p",
  }),
  settle(["expert_tensor_parallel_size"], (a) => {
    a.expert_tensor_parallel_size ??= a.tensor_model_parallel_size;
  }),
];
