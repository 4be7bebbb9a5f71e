/** What the file of accelerate may hold, and how its parts go together. */
import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import { inTable } from "../../../../dsl/in-table.ts";
import { accelerateChanges, missingIn, pinnedRelease } from "../../known/trainer-versions.ts";
import { fills } from "../../trainer/fills.ts";
import { documentsOf } from "../../launch.ts";
import { at, entryOf, scalarOf } from "../../documents/located.ts";
import { numberIn, toldIn } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Source: accelerate 1.15, commands/config/config_args.py: ClusterConfig. */
const keys = set(`command_file commands compute_environment debug deepspeed_config distributed_type downcast_bf16
    dynamo_config enable_cpu_affinity fp8_config fsdp_config gpu_ids machine_rank main_process_ip
    main_process_port main_training_function megatron_lm_config mixed_precision mpirun_config num_machines
    num_processes parallelism_config rdzv_backend same_network tpu_env tpu_name tpu_use_cluster tpu_use_sudo
    tpu_vm tpu_zone use_cpu fp16 dynamo_backend`);

/** Source: accelerate 1.15, utils/dataclasses.py: DynamoBackend. */
const backends =
  set(`aot_eager aot_torchxla_trace_once aot_ts_nvfuser cudagraphs eager fx2trt hpu_backend inductor neuron no
    nvprims_nvfuser ofi onnxrt tensorrt torchxla_trace_once tvm`);

const offloads: readonly string[] = ["none", "cpu", "nvme"];

const base = "compute_environment: LOCAL_MACHINE\n";

export const accelerateFileRules: readonly ForeignRule[] = [
  rule({
    name: "accelerate-keys",
    source: "accelerate/commands/config/config_args.py: ClusterConfig.from_yaml_file, BaseConfig.process_config",
    why: "accelerate refuses a file with a key that it does not know, or without `distributed_type`: NO, MULTI_GPU, DEEPSPEED, FSDP, MULTI_CPU, XLA, …",
    fix: "Remove or correct the key, and add distributed_type.",
    check: (launch) => {
      const release = pinnedRelease(launch, "accelerate");
      // Of keys that are gone, a release that is named may have them.
      const isOf = (key: string): boolean =>
        keys.has(key) ||
        (release !== null &&
          inTable(accelerateChanges.file.went, key) !== undefined &&
          missingIn(accelerateChanges.file, key, release.version) === null);
      return documentsOf(launch, "accelerate").flatMap(({ root, source }): readonly Found[] => {
        if (root.kind !== "map" || scalarOf(at(root, "compute_environment")) === "AMAZON_SAGEMAKER") return [];
        const found: Found[] = root.entries
          .filter(({ key }) => !isOf(key))
          .map(({ key, keySpan }) => ({
            span: keySpan,
            message: `accelerate 1.15 has no ${key} here`,
            valid: [nearest(key, [...keys]) ?? []].flat(),
          }));
        if (entryOf(root, "distributed_type") === undefined)
          found.push({
            span: { source, start: root.span.start, end: root.span.start + 1 },
            message: "distributed_type is missing",
          });
        return found;
      });
    },
    fires: { "acc.yaml": `${base}distributed_type: MULTI_GPU\nnum_process: 8\n` },
    silent: { "acc.yaml": `${base}distributed_type: MULTI_GPU\nnum_processes: 8\n` },
  }),
  rule({
    name: "accelerate-processes",
    source: "accelerate/commands/launch.py: _validate_launch_command",
    why: "If `num_processes` is -1 in the file, the command line must give the number; the same holds if the key is missing, unless `distributed_type` is NO. Without a number accelerate stops before any process runs.",
    fix: "Add --num_processes N to the command, or write the number into the file.",
    check: (launch) => {
      const started = launch.runs.filter(({ launcher: { kind } }) => kind === "accelerate");
      const isOpen =
        started.length > 0 && started.every(({ launcher: { settings } }) => !settings.has("num_processes"));
      if (!isOpen) return [];
      return documentsOf(launch, "accelerate").flatMap(({ root }): readonly Found[] => {
        const [node, type] = [at(root, "num_processes"), entryOf(root, "distributed_type")];
        if (node !== undefined)
          return scalarOf(node) === -1
            ? [{ span: node.span, message: "num_processes is -1, and the command gives no number" }]
            : [];
        const isOne = scalarOf(type?.value) === "NO";
        return type === undefined || isOne || scalarOf(at(root, "compute_environment")) === "AMAZON_SAGEMAKER"
          ? []
          : [{ span: type.keySpan, message: "num_processes is missing, and the command gives no number" }];
      });
    },
    fires: {
      "acc.yaml": `${base}distributed_type: MULTI_GPU\nnum_processes: -1\n`,
      "run.sh": "accelerate launch --config_file acc.yaml train.py\n",
    },
    silent: {
      "acc.yaml": `${base}distributed_type: MULTI_GPU\nnum_processes: -1\n`,
      "run.sh": "accelerate launch --config_file acc.yaml --num_processes 8 train.py\n",
    },
  }),
  rule({
    name: "accelerate-dynamo",
    source: "accelerate/utils/launch.py: prepare_multi_gpu_env; utils/dataclasses.py: DynamoBackend",
    why: "The compiler backend is one of a fixed list of names, with `no` for none. Any other name stops the launch before a process starts.",
    fix: "Write a backend from `valid`, such as inductor, or no.",
    check: ({ accelerate }) => {
      const told =
        accelerate === null ? undefined : toldIn(accelerate, "dynamo_backend", "dynamo_config.dynamo_backend");
      const name = String(told?.value === false ? "no" : (told?.value ?? "no")).toLowerCase();
      return told === undefined || !told.known || backends.has(name)
        ? []
        : [{ span: told.span, message: `there is no dynamo backend called ${name}`, valid: [...backends] }];
    },
    fires: { "run.sh": "accelerate launch --num_processes 8 --dynamo_backend inductr train.py\n" },
    silent: { "run.sh": "accelerate launch --num_processes 8 --dynamo_backend inductor train.py\n" },
  }),
  rule({
    name: "accelerate-zero-section",
    source: "accelerate/utils/dataclasses.py: DeepSpeedPlugin.__post_init__",
    why: "accelerate and the Trainer need a section `zero_optimization` in the DeepSpeed JSON, even if only with stage 0: `Please specify the ZeRO optimization config in the DeepSpeed config.`",
    fix: 'Add "zero_optimization": {"stage": 0}, or with the stage that you want.',
    check: (launch) =>
      fills(launch) !== true
        ? []
        : documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] =>
            at(root, "zero_optimization") !== undefined
              ? []
              : [
                  {
                    span: { ...root.span, end: root.span.start + 1 },
                    message: "zero_optimization is missing, which accelerate needs",
                    valid: ['"zero_optimization": { "stage": 0 }'],
                  },
                ],
          ),
    fires: {
      "ds.json": '{ "train_micro_batch_size_per_gpu": 1, "bf16": { "enabled": true } }',
      "run.sh": "accelerate launch --use_deepspeed --num_processes 8 --deepspeed_config_file ds.json train.py\n",
    },
    silent: {
      "ds.json":
        '{ "train_micro_batch_size_per_gpu": 1, "bf16": { "enabled": true }, "zero_optimization": { "stage": 0 } }',
      "run.sh": "accelerate launch --use_deepspeed --num_processes 8 --deepspeed_config_file ds.json train.py\n",
    },
  }),
  rule({
    name: "accelerate-accumulation",
    source: "accelerate/accelerator.py: Accelerator._prepare_deepspeed; utils/dataclasses.py: DeepSpeedPlugin",
    why: "The number of accumulation steps may be given once: in the DeepSpeed JSON, in accelerate's section, or on the command line. Two different numbers stop the launch, or the first has no effect.",
    fix: 'Keep the number in one place: gradient_accumulation_steps in the DeepSpeed JSON as "auto", or the same number in both.',
    check: (launch) => {
      if (launch.accelerate === null || launch.trainer !== null) return [];
      const told = toldIn(
        launch.accelerate,
        "gradient_accumulation_steps",
        "deepspeed_config.gradient_accumulation_steps",
      );
      const own = Number(told?.value);
      return documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
        const node = at(root, "gradient_accumulation_steps");
        const steps = scalarOf(node);
        if (node === undefined || told === undefined || typeof steps !== "number" || !(own >= 1) || steps === own)
          return [];
        return [
          {
            span: node.span,
            message: `the DeepSpeed JSON accumulates ${steps} steps, but accelerate ${own}`,
            valid: ['"auto"'],
            ...nearby("accelerate", told.span),
          },
        ];
      });
    },
    fires: {
      "ds.json":
        '{ "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 8, "zero_optimization": { "stage": 2 } }',
      "run.sh": "accelerate launch --use_deepspeed --num_processes 8 --gradient_accumulation_steps 4 train.py\n",
    },
    silent: {
      "ds.json":
        '{ "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 8, "zero_optimization": { "stage": 2 } }',
      "run.sh": "accelerate launch --use_deepspeed --num_processes 8 --gradient_accumulation_steps 8 train.py\n",
    },
  }),
  rule({
    name: "accelerate-zero-stage",
    source: "accelerate/commands/launch.py: --zero_stage; deepspeed/runtime/zero/config.py: ZeroStageEnum",
    why: "ZeRO has the stages 0 to 3. accelerate passes any other to DeepSpeed, which refuses it once every rank has started.",
    fix: "Write a stage from `valid`.",
    check: ({ accelerate }) => {
      const told = accelerate === null ? undefined : toldIn(accelerate, "deepspeed_config.zero_stage", "zero_stage");
      const stage = Number(told?.value);
      if (told === undefined || !told.known || told.value === null || [0, 1, 2, 3].includes(stage)) return [];
      return [
        { span: told.span, message: `there is no ZeRO stage ${String(told.value)}`, valid: ["0", "1", "2", "3"] },
      ];
    },
    fires: {
      "acc.yaml": `${base}distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 4\n`,
    },
    silent: {
      "acc.yaml": `${base}distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 3\n`,
    },
  }),
  rule({
    name: "accelerate-offload-device",
    source:
      "accelerate/utils/dataclasses.py: DeepSpeedPlugin; deepspeed/runtime/zero/offload_config.py: OffloadDeviceEnum",
    why: "States and weights are offloaded to host memory (`cpu`) or to a disk (`nvme`), or not at all (`none`). accelerate passes any other word to DeepSpeed, which refuses it once every rank has started.",
    fix: "Write a device from `valid`.",
    check: ({ accelerate }) =>
      (["optimizer", "param"] as const).flatMap((what): readonly Found[] => {
        const name = `offload_${what}_device`;
        const told = accelerate === null ? undefined : toldIn(accelerate, `deepspeed_config.${name}`, name);
        if (told === undefined || !told.known || told.value === null || told.value === false) return [];
        const device = String(told.value);
        return offloads.includes(device)
          ? []
          : [{ span: told.span, message: `${name} takes no ${device}`, valid: offloads }];
      }),
    fires: {
      "acc.yaml": `${base}distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n  offload_optimizer_device: gpu\n`,
    },
    silent: {
      "acc.yaml": `${base}distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n  offload_optimizer_device: cpu\n`,
    },
  }),
  rule({
    name: "accelerate-offload-stage",
    severity: "warning",
    source:
      "accelerate/utils/dataclasses.py: DeepSpeedPlugin.__post_init__; deepspeed/runtime/engine.py: _configure_zero_optimizer",
    why: "Weights are offloaded only in ZeRO stage 3, and optimizer states from stage 1 on: at a lower stage the setting changes nothing, and the GPU holds what was meant to be elsewhere.",
    fix: "Set zero_stage to 3, or the device to none.",
    check: ({ accelerate }) => {
      if (accelerate === null) return [];
      const stage = numberIn(accelerate, "deepspeed_config.zero_stage", "zero_stage");
      if (stage === null) return [];
      return (["param", "optimizer"] as const).flatMap((what): readonly Found[] => {
        const name = `offload_${what}_device`;
        const told = toldIn(accelerate, `deepspeed_config.${name}`, name);
        const device = String(told?.value ?? "none").toLowerCase();
        if (told === undefined || !["cpu", "nvme"].includes(device) || stage >= (what === "param" ? 3 : 1)) return [];
        return [
          {
            span: told.span,
            message: `${told.name} ${device} has no effect: ZeRO stage ${stage} never offloads them`,
            valid: ["none"],
            ...nearby("the stage", toldIn(accelerate, "deepspeed_config.zero_stage", "zero_stage")?.span),
          },
        ];
      });
    },
    fires: {
      "acc.yaml": `${base}distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 2\n  offload_param_device: cpu\n`,
    },
    silent: {
      "acc.yaml": `${base}distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 3\n  offload_param_device: cpu\n`,
    },
  }),
];
