/** Where things are built, written and run. */
import { documentsOf } from "../launch.ts";
import { at, itemsOf, scalarOf, type Located } from "../documents/located.ts";
import { numberIn, toldIn, type Settings } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";
import { zeroStages } from "./zero.ts";

export const placeRules: readonly ForeignRule[] = [
  rule({
    name: "offload-needs-compiler",
    severity: "warning",
    source: "deepspeed/ops/op_builder/builder.py: CUDAOpBuilder, assert_no_cuda_mismatch",
    why: "DeepSpeed compiles its CPU Adam when it is first used, with a CUDA toolkit of the same major version as torch. Images called `-runtime` have no compiler.",
    fix: "Use the image called -devel, or build the operators beforehand: DS_BUILD_CPU_ADAM=1 pip install deepspeed.",
    check: (launch) => {
      const offload = launch.documents
        .flatMap(({ kind, root }) =>
          kind === "deepspeed" ? (at(root, "zero_optimization", "offload_optimizer", "device") ?? []) : [],
        )
        .find((node) => scalarOf(node) === "cpu");
      if (offload === undefined) return [];
      const images = documentsOf(launch, "kubernetes").flatMap(({ root }) => imagesOf(root));
      const commands = launch.runs.flatMap(({ docker, command }) =>
        docker === null
          ? []
          : command.words.filter(({ text }) => /^[\w./-]+:[\w.-]*-runtime/.test(text ?? "")).map(({ span }) => span),
      );
      return [...images, ...commands].map((span) => ({
        span,
        message: "this image has no CUDA compiler, which offloading to the CPU needs to build an operator",
        ...nearby("offloading", offload.span),
      }));
    },
    fires: {
      "ds.json":
        '{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 2, "offload_optimizer": { "device": "cpu" } } }',
      "run.sh":
        "docker run --gpus all --ipc=host pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime deepspeed train.py --deepspeed_config ds.json\n",
    },
    silent: {
      "ds.json":
        '{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 2, "offload_optimizer": { "device": "cpu" } } }',
      "run.sh":
        "docker run --gpus all --ipc=host pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel deepspeed train.py --deepspeed_config ds.json\n",
    },
  }),
  rule({
    name: "checkpoint-node-local",
    severity: "warning",
    source: "deepspeed/runtime/engine.py: save_checkpoint writes one file per rank",
    why: "Every rank writes its own part of the optimizer. In a folder local to its node the other nodes cannot see it, and no node can load the whole.",
    fix: "Write checkpoints to a folder on storage that all nodes share.",
    check: (launch) => {
      const [zero] = zeroStages(launch);
      if (zero === undefined || zero.stage < 1 || !((launch.world.nodes ?? 1) > 1)) return [];
      const all: Settings = new Map([
        ...(launch.trainer ?? []),
        ...launch.runs.flatMap(({ options }) => [...options]),
      ]);
      const told = toldIn(all, "output_dir", "save_dir", "checkpoint_dir");
      if (
        told === undefined ||
        !/^\/(?:tmp|local|scratch\/local|var\/tmp|dev\/shm|mnt\/local|nvme)/.test(String(told.value))
      )
        return [];
      return [
        {
          span: told.span,
          message: `${String(told.value)} is local to a node, and ${launch.world.nodes} nodes each write a part of the checkpoint there`,
        },
      ];
    },
    fires: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 3 } }',
      "run.sh":
        "torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=$H:1 train.py --deepspeed ds.json --per_device_train_batch_size 1 --output_dir /tmp/out\n",
    },
    silent: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 3 } }',
      "run.sh":
        "torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=$H:1 train.py --deepspeed ds.json --per_device_train_batch_size 1 --output_dir /shared/out\n",
    },
  }),
  rule({
    name: "fsdp-wrap-unsaid",
    severity: "info",
    source: "accelerate/utils/dataclasses.py: FullyShardedDataParallelPlugin.set_auto_wrap_policy",
    why: "Without a class, FSDP wraps the layers that the model lists in `_no_split_modules`. Models with several towers list classes that may not be loaded, and wrapping then stops.",
    fix: "Name the class: fsdp_transformer_layer_cls_to_wrap.",
    check: ({ accelerate, trainer }) => {
      const all: Settings = new Map([...(trainer ?? []), ...(accelerate ?? [])]);
      const policy = toldIn(all, "fsdp_auto_wrap_policy", "fsdp_config.fsdp_auto_wrap_policy");
      const named = toldIn(
        all,
        "fsdp_transformer_layer_cls_to_wrap",
        "fsdp_config.fsdp_transformer_layer_cls_to_wrap",
        "fsdp_config.transformer_layer_cls_to_wrap",
      );
      // FSDP2 wraps what the model lists; its files name no class.
      const version = numberIn(all, "fsdp_version", "fsdp_config.fsdp_version") ?? 1;
      if (policy?.value !== "TRANSFORMER_BASED_WRAP" || named !== undefined || version >= 2) return [];
      return [{ span: policy.span, message: "no layer class is given: the model's own list is used" }];
    },
    fires: {
      "acc.yaml":
        "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n",
    },
    silent: {
      "acc.yaml":
        "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n  fsdp_version: 2\n",
    },
  }),
  rule({
    name: "rendezvous-file",
    severity: "warning",
    source: "torch/distributed: init_process_group, shared file-system initialization",
    why: "A file store keeps what an earlier run wrote: a requeued job finds it and hangs.",
    fix: "Put the job and its restart count into the name, ${SLURM_JOB_ID}-${SLURM_RESTART_COUNT:-0}, or use an address: tcp://HOST:PORT.",
    check: ({ runs }) =>
      runs.flatMap(({ options }) => {
        const told = toldIn(options, "init_method", "dist_url", "distributed_init_method");
        return told !== undefined && told.known && String(told.value).startsWith("file://")
          ? [{ span: told.span, message: "this file is the same for every start of the job" }]
          : [];
      }),
    fires: { "job.sh": "torchrun --nproc-per-node=8 train.py --init_method file:///shared/init\n" },
    silent: { "job.sh": "torchrun --nproc-per-node=8 train.py --init_method env://\n" },
  }),
];

function imagesOf(node: Located): readonly Found["span"][] {
  if (node.kind === "list") return itemsOf(node).flatMap(imagesOf);
  if (node.kind !== "map") return [];
  return node.entries.flatMap(({ key, value }) =>
    key === "image" && /-runtime/.test(String(scalarOf(value))) ? [value.span] : imagesOf(value),
  );
}
