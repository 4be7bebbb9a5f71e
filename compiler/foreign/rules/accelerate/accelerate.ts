/** What `accelerate launch` and its plugins refuse. */
import { below } from "../../../engines/release.ts";
import { pinnedRelease } from "../../known/trainer-versions.ts";
import { documentsOf, type Launch } from "../../launch.ts";
import { at, entryOf, scalarOf } from "../../documents/located.ts";
import { numberIn, switchIn, toldIn, type Settings } from "../../settings.ts";
import { handedTo } from "./launch.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

export const base = "compute_environment: LOCAL_MACHINE\n";

const withAccelerate = (check: (settings: Settings, launch: Launch) => readonly Found[]) => (launch: Launch) =>
  launch.accelerate === null ? [] : check(launch.accelerate, launch);

/** What the DeepSpeed section of an accelerate YAML may hold. Source: accelerate/commands/config/cluster.py, commands/launch.py. */
const inline = new Set([
  "deepspeed_config_file",
  "deepspeed_hostfile",
  "deepspeed_exclusion_filter",
  "deepspeed_inclusion_filter",
  "deepspeed_multinode_launcher",
  "deepspeed_moe_layer_cls_names",
  "gradient_accumulation_steps",
  "gradient_clipping",
  "offload_optimizer_device",
  "offload_optimizer_nvme_path",
  "offload_param_device",
  "offload_param_nvme_path",
  "zero3_init_flag",
  "zero3_save_16bit_model",
  "zero_stage",
]);

/** Settings that belong either in the file that `deepspeed_config_file` names, or here. */
const either = new Set([
  "gradient_accumulation_steps",
  "gradient_clipping",
  "zero_stage",
  "offload_optimizer_device",
  "offload_param_device",
  "zero3_save_16bit_model",
]);

export const accelerateRules: readonly ForeignRule[] = [
  rule({
    name: "accelerate-machines",
    source:
      "accelerate/utils/launch.py: prepare_multi_gpu_env, _filter_args; commands/launch.py: _validate_launch_command",
    why: "Several machines need the address of the first one, before accelerate 1.7 its port too, and a number of processes that can be divided evenly among them. accelerate takes neither from the environment: without them torchrun gets the endpoint `None:29500`, and the machines wait for one another until they time out.",
    fix: "Add main_process_ip and main_process_port to the file or the command, and make num_processes a multiple of num_machines.",
    check: withAccelerate((settings, launch) => {
      const machines = toldIn(settings, "num_machines");
      const count = numberIn(settings, "num_machines") ?? 1;
      if (machines === undefined || count <= 1) return [];
      const found: Found[] = [];
      const processes = toldIn(settings, "num_processes");
      const all = numberIn(settings, "num_processes");
      if (processes !== undefined && all !== null && all % count !== 0)
        found.push({
          span: processes.span,
          message: `${all} processes cannot be divided evenly among ${count} machines`,
          valid: [String(Math.ceil(all / count) * count)],
          ...nearby("machines", machines.span),
        });
      // DeepSpeed's own launcher finds the first machine in its hostfile.
      if (handedTo(settings) !== null) return found;
      const [address, port] = [toldIn(settings, "main_process_ip"), toldIn(settings, "main_process_port")];
      const isStarted = launch.runs.some(({ launcher: { kind } }) => kind === "accelerate");
      const release = pinnedRelease(launch, "accelerate");
      if (address === undefined)
        found.push({
          span: machines.span,
          // The address often follows on the command line.
          ...(isStarted ? {} : { severity: "info" as const }),
          message: isStarted
            ? `${count} machines need main_process_ip: accelerate would look for a machine called None`
            : `main_process_ip is missing for ${count} machines: \`accelerate launch\` must get it as an option`,
        });
      else if (isStarted && port === undefined && release !== null && below(release.version, "1.7"))
        found.push({
          span: machines.span,
          message: `${count} machines need main_process_port under accelerate ${release.version}, which has no default for it`,
          ...nearby("the release", release.span),
        });
      return found;
    }),
    fires: {
      "acc.yaml": `${base}distributed_type: MULTI_GPU\nnum_machines: 2\nnum_processes: 16\n`,
      "run.sh": "accelerate launch --config_file acc.yaml --machine_rank $RANK train.py\n",
    },
    silent: {
      "acc.yaml": `${base}distributed_type: MULTI_GPU\nnum_machines: 2\nnum_processes: 16\n`,
      "run.sh":
        "accelerate launch --config_file acc.yaml --machine_rank $RANK --main_process_ip $HEAD --main_process_port 29500 train.py\n",
    },
  }),
  rule({
    name: "accelerate-modes",
    source: "accelerate/commands/launch.py: _validate_launch_command",
    why: "Only one of `--cpu`, `--multi_gpu`, `--tpu`, `--use_deepspeed`, `--use_fsdp` and `--use_megatron_lm` can be given: it selects how the processes work together.",
    fix: "Keep one of the modes.",
    check: withAccelerate((settings) => {
      const modes = ["cpu", "multi_gpu", "tpu", "use_deepspeed", "use_fsdp"].filter(
        (name) => switchIn(settings, name) === true,
      );
      const [first, second] = modes.map((name) => toldIn(settings, name));
      if (first === undefined || second === undefined) return [];
      return [
        {
          span: second.nameSpan,
          message: `${modes.join(" and ")} cannot be combined`,
          ...nearby("the first", first.nameSpan),
        },
      ];
    }),
    fires: { "run.sh": "accelerate launch --use_deepspeed --use_fsdp --num_processes 8 train.py\n" },
    silent: { "run.sh": "accelerate launch --use_deepspeed --num_processes 8 train.py\n" },
  }),
  rule({
    name: "accelerate-multi-gpu",
    source: "accelerate/commands/launch.py: _validate_launch_command",
    why: "`--multi_gpu` on the command line starts two or more processes that work together, and accelerate refuses it with `--num_processes 1`. Values of either in a file are read later and not checked.",
    fix: "Set --num_processes to 2 or more, or remove --multi_gpu.",
    check: (launch) =>
      launch.runs
        .filter(({ launcher }) => launcher.kind === "accelerate")
        .flatMap(({ launcher: { settings } }): readonly Found[] => {
          const mode = toldIn(settings, "multi_gpu");
          const count = numberIn(settings, "num_processes");
          if (mode === undefined || mode.value === false || count === null || count >= 2) return [];
          return [
            {
              span: toldIn(settings, "num_processes")?.span ?? mode.span,
              message: `--multi_gpu with ${count} process${count === 1 ? "" : "es"}`,
              ...nearby("the mode", mode.span),
            },
          ];
        }),
    fires: { "run.sh": "accelerate launch --multi_gpu --num_processes 1 train.py\n" },
    silent: {
      "acc.yaml": `${base}distributed_type: MULTI_GPU\nnum_processes: 1\n`,
      "run.sh": "accelerate launch --config_file acc.yaml train.py\n",
    },
  }),
  rule({
    name: "accelerate-precision",
    source:
      "accelerate/utils/launch.py: prepare_simple_launcher_cmd_env; utils/dataclasses.py: DeepSpeedPlugin.set_mixed_precision",
    why: "`mixed_precision` is no, fp16, bf16 or fp8, and must agree with the DeepSpeed JSON.",
    fix: "Write no, fp16, bf16 or fp8, and enable the matching section of the DeepSpeed JSON.",
    check: withAccelerate((settings, launch) => {
      const told = toldIn(settings, "mixed_precision");
      const value = told?.value === false ? "no" : String(told?.value ?? "no");
      if (told === undefined || !told.known) return [];
      const valid = ["no", "fp16", "bf16", "fp8"];
      if (!valid.includes(value))
        return [{ span: told.span, message: `mixed_precision ${value} is not a value of accelerate`, valid }];
      return documentsOf(launch, "deepspeed").flatMap(({ root }) =>
        ["fp16", "bf16"].flatMap((name): Found[] => {
          const node = at(root, name, "enabled");
          if (
            node === undefined ||
            scalarOf(node) !== true ||
            value === name ||
            (value === "no" && told.value === "no")
          )
            return [];
          return [
            {
              span: node.span,
              message: `mixed_precision is ${value}, but the DeepSpeed JSON turns ${name} on`,
              valid: ['"auto"'],
              ...nearby("mixed_precision", told.span),
            },
          ];
        }),
      );
    }),
    fires: {
      "acc.yaml": `${base}distributed_type: DEEPSPEED\nmixed_precision: bf16\nnum_processes: 8\n`,
      "ds.json": '{ "fp16": { "enabled": true }, "zero_optimization": { "stage": 2 } }',
    },
    silent: {
      "acc.yaml": `${base}distributed_type: DEEPSPEED\nmixed_precision: fp16\nnum_processes: 8\n`,
      "ds.json": '{ "fp16": { "enabled": true }, "zero_optimization": { "stage": 2 } }',
    },
  }),
  rule({
    name: "accelerate-deepspeed-keys",
    source:
      "accelerate/commands/launch.py: the options that deepspeed_config is read into; utils/dataclasses.py: DeepSpeedPlugin",
    why:
      "The `deepspeed_config` section of an accelerate YAML holds a fixed list of settings; anything else there is not read. All other settings of DeepSpeed " +
      "belong in a JSON that `deepspeed_config_file` names; if it is given, the settings must all be there.",
    fix: "Move the key into a DeepSpeed JSON, and let the section contain only deepspeed_config_file with its name.",
    check: (launch) =>
      documentsOf(launch, "accelerate").flatMap(({ root }) => {
        const section = at(root, "deepspeed_config");
        if (section?.kind !== "map") return [];
        const file = entryOf(section, "deepspeed_config_file");
        return section.entries.flatMap(({ key, keySpan }): Found[] => {
          if (!inline.has(key))
            return [
              {
                span: keySpan,
                message: `accelerate does not read ${key} here: it has no effect`,
                valid: [...inline],
                severity: "warning",
              },
            ];
          if (file === undefined || !either.has(key)) return [];
          return [
            {
              span: keySpan,
              message: `${key} must be in the JSON that deepspeed_config_file names, because one is given`,
              ...nearby("the file", file.keySpan),
            },
          ];
        });
      }),
    fires: {
      "acc.yaml": `${base}distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 2\n  train_micro_batch_size_per_gpu: 2\n`,
    },
    silent: { "acc.yaml": `${base}distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 2\n` },
  }),
  rule({
    name: "accelerate-batch-auto",
    severity: "warning",
    source: "accelerate/accelerator.py: Accelerator._prepare_deepspeed",
    why: "accelerate replaces a batch of `auto` with the batch size of the data loader that is prepared together with the model; without a data loader there is none.",
    fix: "Give train_micro_batch_size_per_gpu a number, or pass the data loader to accelerator.prepare with the model.",
    check: (launch) => {
      if (launch.accelerate === null || launch.trainer !== null) return [];
      return documentsOf(launch, "deepspeed").flatMap(({ root }) => {
        const nodes = ["train_micro_batch_size_per_gpu", "train_batch_size"].map((key) => at(root, key));
        const auto = nodes.find((node) => scalarOf(node) === "auto");
        if (auto === undefined || nodes.some((node) => typeof scalarOf(node) === "number")) return [];
        return [
          {
            span: auto.span,
            message: 'the batch is "auto" and comes from a data loader that must be prepared together with the model',
          },
        ];
      });
    },
    fires: {
      "acc.yaml": `${base}distributed_type: DEEPSPEED\nnum_processes: 8\n`,
      "ds.json": '{ "train_batch_size": "auto", "zero_optimization": { "stage": 3 } }',
    },
    silent: {
      "acc.yaml": `${base}distributed_type: DEEPSPEED\nnum_processes: 8\n`,
      "ds.json": '{ "train_micro_batch_size_per_gpu": 4, "zero_optimization": { "stage": 3 } }',
    },
  }),
];
