/** FSDP against the model that it divides and the environment that it runs in. */
import { given } from "../../said.ts";
import { textIn, toldIn, type Settings } from "../../settings.ts";
import { isPart, layerClasses, layersOf } from "../../known/layer-classes.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { base } from "../accelerate/accelerate.ts";

const alone = (ranks: number): string =>
  `torchrun --nproc-per-node=${ranks} train.py --output_dir out --per_device_train_batch_size 2 --fsdp 'full_shard auto_wrap'\n`;

export const fsdpLaunchRules: readonly ForeignRule[] = [
  rule({
    name: "fsdp-alone",
    severity: "warning",
    source:
      "torch/distributed/fsdp/_init_utils.py: _init_core_state (NO_SHARD at world size 1); _state_dict_utils.py (`offload_to_cpu=True and NO_SHARD is not supported yet`)",
    why: "A single rank cannot shard anything: FSDP 1 continues without sharding and saves no memory, and a full state dict, which is gathered on the CPU, is refused when the first checkpoint is saved.",
    fix: "Start several ranks, or turn FSDP off.",
    check: ({ trainer, accelerate, world }) => {
      if (world.size !== 1) return [];
      const own = trainer === null ? undefined : given(trainer, "fsdp");
      const type = accelerate === null ? undefined : toldIn(accelerate, "distributed_type");
      const told = own ?? (type?.value === "FSDP" ? type : undefined);
      const all: Settings = new Map([...(trainer ?? []), ...(accelerate ?? [])]);
      const version = textIn(all, "fsdp_config.fsdp_version", "fsdp_version", "fsdp_config.version");
      if (told === undefined || version === "2") return [];
      return [
        {
          span: told.span,
          message: "a single rank cannot shard its weights",
          ...nearby("ranks", world.said[0]?.span),
        },
      ];
    },
    fires: { "run.sh": alone(1) },
    silent: { "run.sh": alone(4) },
  }),
  rule({
    name: "fsdp-wrap-class",
    source: "accelerate/utils/dataclasses.py: FullyShardedDataParallelPlugin.set_auto_wrap_policy",
    why:
      "FSDP wraps the layers of a model, which it finds by the exact name of their class. A class that the model does not have stops the run when the model is " +
      "wrapped: `Could not find the transformer layer class to wrap in the model`.",
    fix: "Write the class of a layer as the model's code names it; the message says which one the model has, if that is known.",
    check: (launch) => {
      const all: Settings = new Map([...(launch.trainer ?? []), ...(launch.accelerate ?? [])]);
      const told = toldIn(
        all,
        "fsdp_transformer_layer_cls_to_wrap",
        "fsdp_config.fsdp_transformer_layer_cls_to_wrap",
        "fsdp_config.transformer_layer_cls_to_wrap",
      );
      if (told === undefined || !told.known || told.value === null) return [];
      const right = layersOf(launch);
      const written = told.span.source.text.slice(told.span.start, told.span.end);
      return String(told.value)
        .split(",")
        .map((name) => name.trim())
        .flatMap((name): Found[] => {
          const same = layerClasses.find((each) => each.toLowerCase() === name.toLowerCase());
          if (same !== undefined && same !== name)
            return [
              {
                span: told.span,
                message: `the class is called ${same}, not ${name}`,
                valid: [same],
                fixes: written.includes(name)
                  ? [{ title: `write ${same}`, edits: [{ span: told.span, newText: written.replace(name, same) }] }]
                  : [],
              },
            ];
          if (right === null || right.classes.includes(name) || isPart(name, right.classes)) return [];
          return [
            {
              span: told.span,
              message: `a ${right.type} model has no layer ${name}`,
              valid: right.classes,
              ...nearby("the model", right.span),
            },
          ];
        });
    },
    fires: {
      "acc.yaml": `${base}distributed_type: FSDP\nfsdp_config:\n  fsdp_transformer_layer_cls_to_wrap: GPT2Block\n`,
      "config.json": '{ "model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 768 }',
    },
    silent: {
      "acc.yaml": `${base}distributed_type: FSDP\nfsdp_config:\n  fsdp_transformer_layer_cls_to_wrap: BertLayer\n`,
      "config.json": '{ "model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 768 }',
    },
  }),
  rule({
    name: "fsdp-connections",
    severity: "warning",
    source: "torch/distributed/fsdp: collectives overlap with computation on streams of their own",
    why: "`CUDA_DEVICE_MAX_CONNECTIONS=1` puts all kernels of a device in one queue. Megatron's tensor parallelism needs that, but FSDP can then not overlap its communication.",
    fix: "Leave CUDA_DEVICE_MAX_CONNECTIONS unset.",
    check: (launch) =>
      launch.runs.flatMap(({ command }) => {
        const set = command.env.get("CUDA_DEVICE_MAX_CONNECTIONS");
        const all: Settings = new Map([...(launch.trainer ?? []), ...(launch.accelerate ?? [])]);
        const told = toldIn(all, "use_fsdp", "fsdp_version", "fsdp_config", "fsdp");
        const uses = told !== undefined || textIn(all, "distributed_type") === "FSDP";
        if (set?.value !== "1" || !uses) return [];
        return [
          {
            span: set.span,
            message: "CUDA_DEVICE_MAX_CONNECTIONS=1 prevents FSDP from overlapping communication with computation",
            ...nearby("FSDP", told?.nameSpan),
          },
        ];
      }),
    fires: {
      "run.sh":
        "export CUDA_DEVICE_MAX_CONNECTIONS=1\naccelerate launch --use_fsdp --fsdp_version 2 --num_processes 8 train.py\n",
    },
    silent: { "run.sh": "accelerate launch --use_fsdp --fsdp_version 2 --num_processes 8 train.py\n" },
  }),
];
