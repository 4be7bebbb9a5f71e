/**
 * What parts of the model and its optimizer refuse when they are built or first called, with every GPU already held. The arguments
 * themselves pass every check, and so these are warnings.
 */
import type { Arguments } from "../launch.ts";
import { rulesOf, type Step } from "../step.ts";

const emerging = rulesOf("megatron/core/optimizer/__init__.py: get_megatron_optimizer (emerging optimizers)");
const blends = rulesOf(
  "megatron/core/datasets/blended_megatron_dataset_config.py: BlendedMegatronDatasetConfig.__post_init__",
);
const remade = rulesOf("megatron/training/initialize.py: _initialize_distributed");
const shared = rulesOf("megatron/core/optimizer/distrib_optimizer.py: DistributedOptimizer.__init__");
const overlap = rulesOf("megatron/training/initialize.py: _initialize_tp_communicators");
const storage = rulesOf("megatron/core/datasets/gpt_dataset.py: GPTDataset.build_low_level_dataset");
const buffers = rulesOf(
  "megatron/core/distributed/distributed_data_parallel_config.py: DistributedDataParallelConfig.__post_init__",
);
const loaders = rulesOf(
  "megatron/training/training.py: build_train_valid_test_data_loaders, evaluate_and_print_results",
);

/** Prefixes of the data, weights left out. */
const prefixes = (a: Arguments): readonly string[] =>
  [a.data_path, a.train_data_path, a.valid_data_path, a.test_data_path].flatMap((words) => words ?? []);
const isRemote = (prefix: string): boolean => /^(?:s3|msc):\/\//.test(prefix);

export const build: readonly Step[] = [
  emerging.demand("muon-instances", {
    about: ["num_distributed_optimizer_instances", "optimizer", "overlap_param_gather_with_optimizer_step"],
    check: (a) => {
      if (!a.use_layer_wise_distributed_optimizer) return null;
      if (a.num_distributed_optimizer_instances !== 1 && a.use_layer_wise_param_layout)
        return `--optimizer ${a.optimizer} spreads layers over one optimizer instance, not ${a.num_distributed_optimizer_instances}`;
      return a.overlap_param_gather_with_optimizer_step
        ? `--optimizer ${a.optimizer} cannot be combined with --overlap-param-gather-with-optimizer-step`
        : null;
    },
    why: "With --use-distributed-optimizer such an optimizer assigns whole layers to ranks. Several instances would assign the layers again, and there is no first part of the model whose weights could be gathered early.",
    severity: "warning",
    fix: "Set --num-distributed-optimizer-instances 1 and leave --overlap-param-gather-with-optimizer-step out, or write --optimizer adam.",
    fires: "--optimizer muon --use-distributed-optimizer --num-distributed-optimizer-instances 2",
    silent: "--optimizer muon --use-distributed-optimizer",
  }),
  blends.ban("data-split-beside-paths", {
    about: ["split", "train_data_path", "valid_data_path", "test_data_path", "per_split_data_args_path"],
    when: (a) =>
      a.split !== null &&
      [a.train_data_path, a.valid_data_path, a.test_data_path, a.per_split_data_args_path].some(
        (each) => each !== null,
      ),
    says: "--split divides one blend, and the data have a blend for each split",
    why: "Either one blend is split, or each split has its own. The datasets refuse both when they are built.",
    severity: "warning",
    fix: "Leave --split out, or give --data-path instead of --train-data-path and similar options.",
    base: "unmocked",
    fires: "--train-data-path a --split 99,1,0",
    silent: "--data-path a --split 99,1,0",
  }),
  shared.ban("optimizer-sgd-shared", {
    about: ["optimizer", "use_distributed_optimizer"],
    when: (a) =>
      a.optimizer === "sgd" && a.use_distributed_optimizer && !a.optimizer_cpu_offload && !a.use_megatron_fsdp,
    says: "--use-distributed-optimizer cannot shard the states of --optimizer sgd",
    why: "The distributed optimizer shards states in the form that Adam has, and accepts no other optimizer except one on the host. It stops when the optimizer is built.",
    severity: "warning",
    fix: "Leave --use-distributed-optimizer out, or write --optimizer adam.",
    fires: "--optimizer sgd --use-distributed-optimizer",
    silent: "--optimizer sgd",
  }),
  remade.ban("weight-shards-engine", {
    about: ["tensor_parallel_num_weight_shards", "expert_tensor_parallel_num_weight_shards"],
    when: (a, { te }) => (a.gtp_weight_remat_size > 1 || a.expert_gtp_weight_remat_size > 1) && !te("2.19.0"),
    says: "further weight shards need Transformer Engine 2.19 or later",
    why: "Its layers gather such shards before they multiply. An older one stops when the process groups are created.",
    severity: "warning",
    fix: "Use an image with Transformer Engine 2.19 or later, or leave --tensor-parallel-num-weight-shards out.",
    fires: "--tensor-parallel-num-weight-shards 2 TE=2.18.0",
    silent: "--tensor-parallel-num-weight-shards 2 TE=2.19.0",
  }),
  overlap.ban("tensor-overlap-engine", {
    about: ["tp_comm_overlap"],
    when: (a, { te }) => a.tp_comm_overlap && !te(),
    says: "--tp-comm-overlap needs Transformer Engine",
    why: "Transfers overlap with matrix products through its user buffers, which are created before the model.",
    severity: "warning",
    fix: "Use an image with Transformer Engine, or leave --tp-comm-overlap out.",
    base: "local",
    fires: "--tp-comm-overlap --tensor-model-parallel-size 2 --sequence-parallel TE=none",
    silent: "--tp-comm-overlap --tensor-model-parallel-size 2 --sequence-parallel",
  }),
  storage.demand("data-storage", {
    about: ["object_storage_cache_path", "mmap_bin_files", "data_path"],
    check: (a) => {
      const remote = prefixes(a).find(isRemote);
      if (remote === undefined) return null;
      if (a.object_storage_cache_path === null) return `${remote} needs --object-storage-cache-path`;
      return a.mmap_bin_files ? `${remote} needs --no-mmap-bin-files` : null;
    },
    why: "Object storage cannot be memory-mapped: indexes are copied to a folder of the node, and the tokens are fetched piece by piece. The engine's own assertion has no message.",
    severity: "warning",
    fix: "Add --object-storage-cache-path DIR and --no-mmap-bin-files, or copy the data to a disk.",
    base: "unmocked",
    fires: "--data-path s3://bucket/text --object-storage-cache-path /tmp/idx",
    silent: "--data-path s3://bucket/text --object-storage-cache-path /tmp/idx --no-mmap-bin-files",
  }),
  buffers.ban("nccl-buffers-segments", {
    about: ["nccl_ub"],
    when: (a, { env }) =>
      a.nccl_ub && (env("PYTORCH_CUDA_ALLOC_CONF") ?? "").split(",").includes("expandable_segments:True"),
    says: "--use-nccl-ub with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True is refused before PyTorch 2.11",
    why: "Buffers that NCCL registers must stay where they are, and older versions of PyTorch let expandable segments move under them.",
    severity: "warning",
    fix: "Take expandable_segments:True out of PYTORCH_CUDA_ALLOC_CONF, or an image with PyTorch 2.11 or later.",
    fires: "--use-nccl-ub --use-distributed-optimizer PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
    silent: "--use-nccl-ub --use-distributed-optimizer PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512",
  }),
  loaders.demand("validation-sets", {
    about: ["multiple_validation_sets", "full_validation", "validation_set_names"],
    check: (a) => {
      if (a.multiple_validation_sets && !a.full_validation && !a.skip_train)
        return "--multiple-validation-sets needs --full-validation";
      return a.validation_set_names !== null && !a.multiple_validation_sets
        ? "--validation-set-names needs --multiple-validation-sets"
        : null;
    },
    why: "How far each of several sets was read is counted nowhere, so that they are read whole each time. The run stops when its data are built, or at its first evaluation.",
    severity: "warning",
    fix: "Add --full-validation with --multiple-validation-sets, or leave both and --validation-set-names out.",
    fires: "--multiple-validation-sets",
    silent: "--multiple-validation-sets --full-validation",
  }),
];
