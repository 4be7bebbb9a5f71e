/** Precision and places that the files of a launch decide together. */
import { documentsOf, type Launch } from "../launch.ts";
import { at, itemsOf, scalarOf, type Located } from "../located.ts";
import { switchIn, textIn, toldIn, type Settings } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";
import { zeroStages } from "./trainer.ts";

/** Families whose published weights were trained in bf16 and leave the range of fp16. */
const widened = /bloom|llama|(?:^|\/)(?:mt5|t5|flan-t5|ul2)|gemma|qwen|mistral/i;

export const precisionRules: readonly ForeignRule[] = [
  rule({
    name: "fp16-scale",
    severity: "warning",
    source: "deepspeed/runtime/fp16/loss_scaler.py: DynamicLossScaler",
    why: "Every overflow skips a step and halves the scale: from 2^32 on the first ten to twenty steps are lost, and with a hysteresis of 2 twice as many. `initial_scale_power` of 16 is where it ends anyway.",
    check: (launch) =>
      launch.documents.flatMap(({ kind, root }) => {
        const section = at(root, "fp16");
        const node = at(section, "initial_scale_power");
        const power = scalarOf(node);
        if (
          (kind !== "deepspeed" && kind !== "gpt-neox") ||
          node === undefined ||
          typeof power !== "number" ||
          power <= 24
        )
          return [];
        if (scalarOf(at(section, "enabled")) === false) return [];
        return [
          {
            span: node.span,
            message: `a first scale of 2^${power} overflows until it has been halved many times, a lost step each`,
            valid: ["16"],
          },
        ];
      }),
    fires: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "fp16": { "enabled": true, "initial_scale_power": 32 } }',
    },
    silent: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "fp16": { "enabled": true, "initial_scale_power": 16 } }',
    },
  }),
  rule({
    name: "fp16-of-bf16-model",
    severity: "warning",
    source: "the `torch_dtype` of published weights; transformers docs, performance: bf16-pretrained models",
    why: "Weights trained in bf16 hold values that fp16 cannot: the loss becomes nan or 0 after a few steps. Train on in bf16, or in fp32.",
    check: (launch) => {
      const on = half(launch);
      if (on === null) return [];
      const config = documentsOf(launch, "model")
        .map(({ root }) => at(root, "torch_dtype") ?? at(root, "dtype"))
        .find((node) => scalarOf(node) === "bfloat16");
      const settings: Settings = new Map([
        ...(launch.trainer ?? []),
        ...launch.runs.flatMap(({ options }) => [...options]),
      ]);
      const named = toldIn(settings, "model_name_or_path", "base_model");
      const name = textIn(settings, "model_name_or_path", "base_model");
      if (config === undefined && (name === null || !widened.test(name))) return [];
      return [
        {
          span: on,
          message: "fp16 for weights that were trained in bf16: values leave its range",
          ...nearby("the model", config?.span ?? named?.span),
        },
      ];
    },
    fires: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "fp16": { "enabled": true } }',
      "run.sh":
        "deepspeed train.py --deepspeed ds.json --fp16 --model_name_or_path bigscience/bloomz-560m --output_dir out\n",
    },
    silent: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "bf16": { "enabled": true } }',
      "run.sh":
        "deepspeed train.py --deepspeed ds.json --bf16 --model_name_or_path bigscience/bloomz-560m --output_dir out\n",
    },
  }),
  rule({
    name: "deepspeed-undivided",
    severity: "info",
    source: "deepspeed/runtime/zero/config.py: DeepSpeedZeroConfig.stage",
    why: "Stage 0, which is the default, divides nothing: every GPU holds weights, gradients and the optimizer, 16 bytes a parameter with Adam. `zero_optimization.stage` 1 to 3 divides more of it; on one GPU only offloading helps.",
    check: (launch) =>
      documentsOf(launch, "deepspeed").flatMap(({ root }) => {
        const node = at(root, "zero_optimization");
        if (node !== undefined) return [];
        return [
          {
            span: { ...root.span, end: root.span.start + 1 },
            message: "without zero_optimization every GPU holds all weights, gradients and optimizer states",
          },
        ];
      }),
    fires: { "ds.json": '{ "train_micro_batch_size_per_gpu": 1 }' },
    silent: { "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 2 } }' },
  }),
  rule({
    name: "offload-needs-compiler",
    severity: "warning",
    source: "deepspeed/ops/op_builder/builder.py: CUDAOpBuilder, assert_no_cuda_mismatch",
    why: "DeepSpeed builds its CPU Adam when it is first used, with the CUDA toolkit of the same major version as torch. Images called `-runtime` have no compiler: take the `-devel` one, or build ops beforehand.",
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
        message: "this image has no CUDA compiler, and offloading to the CPU builds an operator",
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
    why: "Every rank writes its own part of the optimizer. On a directory of its own node the others do not see it, and no node can load the whole: write to storage that all nodes share.",
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
          message: `${String(told.value)} belongs to one node, and ${launch.world.nodes} nodes each write a part of the checkpoint there`,
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
    severity: "warning",
    source: "accelerate/utils/dataclasses.py: FullyShardedDataParallelPlugin.set_auto_wrap_policy",
    why: "Without a class, layers are those that the model lists in `_no_split_modules`. Models of several towers list classes that may not be loaded, and wrapping then stops: name the class.",
    check: ({ accelerate, trainer }) => {
      const all: Settings = new Map([...(trainer ?? []), ...(accelerate ?? [])]);
      const policy = toldIn(all, "fsdp_auto_wrap_policy", "fsdp_config.fsdp_auto_wrap_policy");
      const named = toldIn(
        all,
        "fsdp_transformer_layer_cls_to_wrap",
        "fsdp_config.fsdp_transformer_layer_cls_to_wrap",
        "fsdp_config.transformer_layer_cls_to_wrap",
      );
      if (policy?.value !== "TRANSFORMER_BASED_WRAP" || named !== undefined) return [];
      return [{ span: policy.span, message: "no layer class is named: the model's own list decides" }];
    },
    fires: {
      "acc.yaml":
        "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n",
    },
    silent: {
      "acc.yaml":
        "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n  fsdp_transformer_layer_cls_to_wrap: LlamaDecoderLayer\n",
    },
  }),
  rule({
    name: "slurm-gpu-bound",
    severity: "warning",
    source: "srun(1): --gpus-per-task implies --gpu-bind=per_task",
    why: "With GPUs bound to tasks each process sees its own alone, as number 0: `LOCAL_RANK` picks one that is not there, and NCCL loses its direct paths. Ask for `--gpus-per-node`, or add `--gpu-bind=none`.",
    check: ({ scripts, runs }) =>
      scripts.flatMap(({ directives }): readonly Found[] => {
        const told = directives.get("gpus_per_task");
        const tasks = Number(directives.get("ntasks_per_node")?.value ?? directives.get("ntasks")?.value ?? 1);
        const unbound = String(
          directives.get("gpu_bind")?.value ??
            runs.map(({ step }) => step?.settings.get("gpu_bind")?.value).find((each) => each !== undefined) ??
            "",
        );
        if (told === undefined || !(tasks > 1) || unbound === "none") return [];
        return [{ span: told.span, message: "each task sees only its own GPU" }];
      }),
    fires: {
      "job.sbatch": "#!/bin/bash\n#SBATCH --ntasks-per-node=8\n#SBATCH --gpus-per-task=1\nsrun python train.py\n",
    },
    silent: {
      "job.sbatch": "#!/bin/bash\n#SBATCH --ntasks-per-node=8\n#SBATCH --gpus-per-node=8\nsrun python train.py\n",
    },
  }),
  rule({
    name: "slurm-nested-step",
    severity: "warning",
    source: "srun(1): a step inside a step inherits SLURM_CPU_BIND and its kin",
    why: "An `srun` that another `srun` starts waits for resources that the outer step holds, or inherits its CPU mask. Start steps from the batch script, or add `--overlap` and unset `SLURM_CPU_BIND`.",
    check: ({ runs }) =>
      runs.flatMap(({ command, step }) => {
        const outer = command.outer?.words.find(({ text }) => text === "srun");
        const own = command.words.find(({ text }) => text === "srun");
        if (outer === undefined || own === undefined || step?.settings.has("overlap") === true) return [];
        return [
          {
            span: own.span,
            message: "this srun runs inside a step of another",
            ...nearby("the outer step", outer.span),
          },
        ];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=1\nsrun bash -c 'srun python train.py'\n" },
    silent: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=1\nsrun bash -c 'python train.py'\n" },
  }),
  rule({
    name: "pyxis-name",
    severity: "warning",
    source: "pyxis README: --container-name",
    why: "A named container exists where it was made: on each node, for one job (or user, as the site decides). Without `--container-image` beside the name a step fails wherever it is not there yet.",
    check: ({ runs }) =>
      runs.flatMap(({ step, script }) => {
        const told = step?.settings.get("container_name") ?? script.directives.get("container_name");
        const image = step?.settings.get("container_image") ?? script.directives.get("container_image");
        return told === undefined || image !== undefined
          ? []
          : [
              {
                span: told.span,
                message: "this container must already be there on every node: no --container-image is given",
              },
            ];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=1\nsrun --container-name=env python train.py\n" },
    silent: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --nodes=1\nsrun --container-name=env --container-image=nvcr.io#nvidia/pytorch:25.01-py3 python train.py\n",
    },
  }),
  rule({
    name: "rendezvous-file",
    severity: "warning",
    source: "torch/distributed: init_process_group, shared file-system initialization",
    why: "A file store keeps what an earlier run wrote: a requeued job meets it and hangs. Derive the name from the job and its restart count, or meet at an address.",
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

function half(launch: Launch): Found["span"] | null {
  for (const { root } of documentsOf(launch, "deepspeed")) {
    const node = at(root, "fp16", "enabled");
    if (node !== undefined && scalarOf(node) === true) return node.span;
  }
  for (const settings of [launch.trainer, launch.accelerate]) {
    if (settings === null) continue;
    if (switchIn(settings, "fp16") === true) return settings.get("fp16")?.nameSpan ?? null;
    if (textIn(settings, "mixed_precision") === "fp16") return settings.get("mixed_precision")?.span ?? null;
  }
  return null;
}

function imagesOf(node: Located): readonly Found["span"][] {
  if (node.kind === "list") return itemsOf(node).flatMap(imagesOf);
  if (node.kind === "scalar") return [];
  return node.entries.flatMap(({ key, value }) =>
    key === "image" && /-runtime/.test(String(scalarOf(value))) ? [value.span] : imagesOf(value),
  );
}
