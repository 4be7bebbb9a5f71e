/** DeepSpeed's own launcher, and the fork of Megatron that it starts. */
import { isFork } from "../../megatron.ts";
import type { Run } from "../../launch.ts";
import { numberIn, textIn, toldIn, type Settings } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

/** Options of the deepspeed command that a training program hardly has itself. */
const ofDeepspeed = [
  "hostfile",
  "num_gpus",
  "num_nodes",
  "include",
  "exclude",
  "master_port",
  "master_addr",
  "force_multi",
  "launcher",
  "launcher_args",
  "ssh_port",
];

/** The program that Megatron-DeepSpeed gives a pipeline. */
const isOfGpt = ({ program }: Run): boolean => /(?:^|\/)pretrain_gpt\.py$/.test(program?.text ?? "");

/** Devices of this host that the launcher gives its processes; `null` where it takes all there are, or other hosts. */
function devicesTaken(settings: Settings): string | null {
  const slots = /^localhost:([\d,]+)$/.exec(textIn(settings, "include") ?? "")?.[1];
  if (slots !== undefined) return slots;
  const [nodes, each] = [numberIn(settings, "num_nodes") ?? 1, numberIn(settings, "num_gpus")];
  if (nodes !== 1 || each === null || each > 64 || ["exclude", "hostfile"].some((name) => settings.has(name)))
    return null;
  return Array.from({ length: each }, (_, at) => at).join(",");
}

function visibleDevices({ launcher: { kind, settings, open }, command }: Run): readonly Found[] {
  const visible = command.env.get("CUDA_VISIBLE_DEVICES");
  if (kind !== "deepspeed" || visible === undefined || visible.value === "" || open !== null) return [];
  const isOpen = ["num_gpus", "num_nodes", "include"].some((name) => settings.get(name)?.known === false);
  if (isOpen || visible.value === devicesTaken(settings)) return [];
  const nodes = toldIn(settings, "num_nodes");
  const count = numberIn(settings, "num_nodes") ?? -1;
  const said = toldIn(settings, "num_gpus", "include", "exclude") ?? (count > 1 ? nodes : undefined);
  const instead = `--include localhost:${visible.value ?? "N"}`;
  if (said !== undefined)
    return [
      {
        span: visible.span,
        message: `deepspeed ignores CUDA_VISIBLE_DEVICES when ${said.name} is given: write ${instead}`,
        ...nearby("chosen here", said.span),
      },
    ];
  // The variable is left alone where a file lists hosts.
  if (nodes === undefined || count < 0 || settings.has("hostfile")) return [];
  return [
    {
      span: nodes.nameSpan,
      severity: "error",
      message: `deepspeed makes ${instead} of CUDA_VISIBLE_DEVICES, and refuses ${nodes.name} beside it`,
      ...nearby("the devices", visible.span),
    },
  ];
}

export const deepspeedLauncherRules: readonly ForeignRule[] = [
  rule({
    name: "deepspeed-launcher-order",
    source: "deepspeed/launcher/runner.py: parse_args (user_args = REMAINDER)",
    why: "Everything after the program belongs to the program: the launcher uses its defaults, and the program gets an option that it does not know.",
    fix: "Move the option in front of the program.",
    check: ({ runs }) =>
      runs.flatMap(({ launcher, options }) =>
        launcher.kind !== "deepspeed"
          ? []
          : ofDeepspeed.flatMap((name) => {
              const told = options.get(name);
              return told === undefined
                ? []
                : [
                    {
                      span: told.nameSpan,
                      message: `${told.name} is after the program, where deepspeed does not read it`,
                    },
                  ];
            }),
      ),
    fires: { "run.sh": "deepspeed train.py --hostfile hosts\n" },
    silent: { "run.sh": "deepspeed --hostfile hosts train.py\n" },
  }),
  rule({
    name: "deepspeed-hostfile-word",
    source: "deepspeed/launcher/runner.py: parse_args (user_script is the first word that is not an option)",
    why: "The first word that belongs to no option is the program. A hostfile in that place is run as Python on this machine, and the program becomes its argument.",
    fix: "Write --hostfile before the name of the hostfile.",
    check: ({ runs }) =>
      runs.flatMap(({ launcher, program, args }): readonly Found[] =>
        launcher.kind === "deepspeed" &&
        program !== null &&
        /(?:^|[/_.-])hosts?(?:[_-]?(?:file|list))?(?:\.txt)?$/i.test(program.text ?? "") &&
        args[0]?.text?.endsWith(".py") === true
          ? [{ span: program.span, message: `${program.text ?? ""} is taken as the program: --hostfile is missing` }]
          : [],
      ),
    fires: { "run.sh": "deepspeed hostfile train.py\n" },
    silent: { "run.sh": "deepspeed --hostfile hostfile train.py\n" },
  }),
  rule({
    name: "deepspeed-visible-devices",
    severity: "warning",
    source: "deepspeed/launcher/runner.py: main",
    why:
      "The deepspeed command numbers devices itself. With `--num_gpus`, `--include`, `--exclude` or several nodes it prints that it ignores `CUDA_VISIBLE_DEVICES` and counts all devices of the machine; " +
      "without them it makes an `--include` of the variable, beside which even `--num_nodes 1` is refused.",
    fix: "Name the devices with --include localhost:…, as in the message, instead of CUDA_VISIBLE_DEVICES, --num_gpus and --num_nodes.",
    check: ({ runs }) => runs.flatMap(visibleDevices),
    fires: { "run.sh": "CUDA_VISIBLE_DEVICES=1 deepspeed --num_gpus=1 train.py\n" },
    silent: { "run.sh": "CUDA_VISIBLE_DEVICES=0,1 deepspeed --num_gpus=2 train.py\n" },
  }),
  rule({
    name: "deepspeed-filters",
    source: "deepspeed/launcher/runner.py: main, parse_resource_filter, parse_node_config",
    why: "Devices are chosen either by number (`--num_nodes`, `--num_gpus`) or by name, with only one of `--include` and `--exclude`. A host's slots are numbers after a colon, separated by commas.",
    fix: "Keep --num_nodes and --num_gpus, or one of --include and --exclude, as HOST or HOST:0,2 with @ between hosts.",
    check: ({ runs }) =>
      runs.flatMap(({ launcher: { kind, settings } }): readonly Found[] => {
        if (kind !== "deepspeed") return [];
        const [include, exclude] = [settings.get("include"), settings.get("exclude")];
        const count = toldIn(settings, "num_nodes", "num_gpus", "num_accelerators");
        const filter = include ?? exclude;
        if (include !== undefined && exclude !== undefined)
          return [
            {
              span: exclude.span,
              message: "--include and --exclude exclude each other",
              ...nearby("include", include.span),
            },
          ];
        const words = typeof filter?.value === "string" ? filter.value.split("@") : [];
        const wrong = words.find((part) => part.includes(":") && !/^[^:]+:\s*\d+\s*(?:,\s*\d+\s*)*$/.test(part));
        if (filter !== undefined && wrong !== undefined)
          return [
            {
              span: filter.span,
              message: `${filter.name} ${wrong}: slots are numbers after one colon, as in HOST:0,2`,
            },
          ];
        if (filter !== undefined && count !== undefined)
          return [
            {
              span: count.span,
              message: `${count.name} and ${filter.name} both choose devices`,
              ...nearby("the filter", filter.span),
            },
          ];
        return [];
      }),
    fires: { "run.sh": "deepspeed --include localhost:0,1 --num_gpus 2 train.py\n" },
    silent: { "run.sh": "deepspeed --include localhost:0,1 train.py\n" },
  }),
  rule({
    name: "deepspeed-force-multi",
    severity: "warning",
    source: "deepspeed/launcher/runner.py: main (force_multi), multinode_runner.py: PDSHRunner",
    why: "`--force_multi` starts even a single node through pdsh and ssh. If the node cannot reach itself over ssh, or has no pdsh, nothing starts.",
    fix: "Remove --force_multi for one node.",
    check: ({ runs }) =>
      runs.flatMap(({ launcher: { kind, settings } }) => {
        const told = settings.get("force_multi");
        const nodes = numberIn(settings, "num_nodes") ?? 1;
        if (kind !== "deepspeed" || told === undefined || nodes > 1 || settings.has("hostfile")) return [];
        return [{ span: told.span, message: "--force_multi for one node needs pdsh and ssh to itself" }];
      }),
    fires: { "run.sh": "deepspeed --force_multi --num_nodes 1 --num_gpus 8 train.py\n" },
    silent: { "run.sh": "deepspeed --num_nodes 1 --num_gpus 8 train.py\n" },
  }),
  rule({
    name: "deepspeed-launcher-args",
    severity: "warning",
    source: "deepspeed/launcher/multinode_runner.py: PDSHRunner.get_cmd; pdsh(1)",
    why: "`--launcher_args` are passed to the program that reaches the nodes. That is pdsh by default, whose `-x` excludes hosts, while that of mpirun exports a variable.",
    fix: "Write the variables in a .deepspeed_env file, one NAME=value per line, instead of -x.",
    check: ({ runs }) =>
      runs.flatMap(({ launcher: { kind, settings } }) => {
        const told = settings.get("launcher_args");
        if (
          kind !== "deepspeed" ||
          told === undefined ||
          (textIn(settings, "launcher") ?? "pdsh").toLowerCase() !== "pdsh"
        )
          return [];
        return /(?:^|\s)-x/.test(String(told.value))
          ? [{ span: told.span, message: "-x of pdsh excludes hosts; it does not export variables" }]
          : [];
      }),
    fires: { "run.sh": 'deepspeed --hostfile hosts --launcher_args="-x NCCL_DEBUG" train.py\n' },
    silent: { "run.sh": 'deepspeed --hostfile hosts --launcher=openmpi --launcher_args="-x NCCL_DEBUG" train.py\n' },
  }),
  rule({
    name: "deepspeed-environment",
    severity: "info",
    source: "deepspeed/launcher/runner.py: EXPORT_ENVS; multinode_runner.py: PDSHRunner.add_export",
    why:
      "Over ssh the nodes get a fresh environment. The deepspeed command passes on variables whose names begin with NCCL, PYTHON, MV2, UCX or MLFLOW, and the lines of a `.deepspeed_env` file; " +
      "all other variables that this script exports are not passed on.",
    fix: "Write the variables that the nodes need in a .deepspeed_env file in the home or working folder, one NAME=value per line.",
    check: ({ runs }) =>
      runs.flatMap(({ launcher: { kind, settings }, command }) => {
        const far = settings.has("hostfile") || (numberIn(settings, "num_nodes") ?? 1) > 1;
        if (kind !== "deepspeed" || !far || (textIn(settings, "launcher") ?? "pdsh") !== "pdsh") return [];
        const left = [...command.env].filter(
          ([name]) => !/^(?:NCCL|PYTHON|MV2|UCX|MLFLOW|PATH$|CUDA_VISIBLE_DEVICES$)/.test(name),
        );
        const [first] = left;
        return first === undefined
          ? []
          : [
              {
                span: first[1].span,
                message: `${left.map(([name]) => name).join(", ")}: not passed on to the other nodes, unless a .deepspeed_env names it`,
              },
            ];
      }),
    fires: { "run.sh": "export LD_LIBRARY_PATH=/opt/lib\ndeepspeed --hostfile hosts --launcher pdsh train.py\n" },
    silent: { "run.sh": "export NCCL_DEBUG=INFO\ndeepspeed --hostfile hosts --launcher pdsh train.py\n" },
  }),
  rule({
    name: "megatron-deepspeed-pipeline",
    source: "deepspeed/runtime/pipe/engine.py: PipelineEngine.__init__",
    why: "DeepSpeed's pipeline engine keeps whole gradients until all micro-batches are done: ZeRO 2 and 3 shard them earlier and are refused. Megatron-DeepSpeed uses that engine even with one stage, unless --no-pipeline-parallel is given.",
    fix: "Set zero_optimization.stage to 1 or 0; or use one stage, with --no-pipeline-parallel.",
    check: ({ runs }) =>
      runs.flatMap((run) => {
        const [stages, zero] = [
          toldIn(run.options, "pipeline_model_parallel_size", "pipe_parallel_size"),
          run.options.get("zero_stage"),
        ];
        if (stages === undefined || zero === undefined || run.options.has("no_pipeline_parallel")) return [];
        if (!isFork(run)) return [];
        const isPiped = Number(stages.value) > 1 || (run.options.has("deepspeed") && !run.open && isOfGpt(run));
        if (!isPiped || !(Number(zero.value) >= 2)) return [];
        if (Number(stages.value) === 1)
          return [
            {
              span: zero.span,
              message: `ZeRO stage ${String(zero.value)} cannot be combined with the pipeline engine: one stage needs --no-pipeline-parallel`,
              valid: ["--no-pipeline-parallel"],
              ...nearby("the pipeline", stages.span),
            },
          ];
        return [
          {
            span: zero.span,
            message: `ZeRO stage ${String(zero.value)} cannot be combined with ${String(stages.value)} pipeline stages`,
            valid: ["0", "1"],
            ...nearby("the pipeline", stages.span),
          },
        ];
      }),
    fires: { "run.sh": "deepspeed pretrain_gpt.py --pipeline-model-parallel-size 2 --zero-stage 3 --deepspeed\n" },
    silent: { "run.sh": "deepspeed pretrain_gpt.py --pipeline-model-parallel-size 2 --zero-stage 1 --deepspeed\n" },
  }),
  rule({
    name: "t5-extra-ids",
    source:
      "megatron/core/datasets/t5_dataset.py: T5MaskedWordPieceDataset; training/arguments.py: --vocab-extra-ids",
    why: "T5 masks spans with special tokens, which `--vocab-extra-ids 100` adds. Added later they change the padded vocabulary, and older checkpoints no longer fit.",
    fix: "Add --vocab-extra-ids 100.",
    check: ({ runs }) =>
      runs.flatMap(({ program, options }) => {
        if (
          program === null ||
          program.text?.endsWith("pretrain_t5.py") !== true ||
          (numberIn(options, "vocab_extra_ids") ?? 0) > 0
        )
          return [];
        if (options.get("vocab_extra_ids")?.known === false) return [];
        return [
          {
            span: options.get("vocab_extra_ids")?.span ?? program.span,
            message: "T5 needs --vocab-extra-ids for its mask tokens",
            valid: ["100"],
          },
        ];
      }),
    fires: {
      "run.sh": "torchrun pretrain_t5.py --num-layers 12 --tensor-model-parallel-size 1 --vocab-extra-ids 0\n",
    },
    silent: {
      "run.sh": "torchrun pretrain_t5.py --num-layers 12 --tensor-model-parallel-size 1 --vocab-extra-ids 100\n",
    },
  }),
];
