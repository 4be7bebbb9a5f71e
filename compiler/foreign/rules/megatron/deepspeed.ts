/** Megatron-DeepSpeed: a program with an optimizer of its own, under a DeepSpeed configuration. */
import { argumentTable } from "../../../engines/megatron/table.ts";
import { entryOf as programOf } from "../../../engines/megatron/programs.ts";
import { enginesOf } from "../../engines.ts";
import { documentsOf } from "../../launch.ts";
import { at, entryOf, scalarOf } from "../../documents/located.ts";
import { isFork, isMegatron } from "../../megatron.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const config =
  '{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 2, "offload_optimizer": { "device": "cpu" } } }';
const run = (more: string): string =>
  `deepspeed --num_gpus 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 --micro-batch-size 1 --deepspeed --deepspeed_config ds.json --no-pipeline-parallel ${more}\n`;
const plain = (launcher: string): string =>
  `export CUDA_DEVICE_MAX_CONNECTIONS=1\n${launcher} pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 8 --mock-data --tokenizer-type NullTokenizer --vocab-size 32000 --lr 1e-4 --train-iters 10\n`;

export const megatronDeepspeedRules: readonly ForeignRule[] = [
  rule({
    name: "megatron-deepspeed-offload",
    source:
      "deepspeed/runtime/engine.py: DeepSpeedEngine._configure_optimizer; Megatron-DeepSpeed megatron/optimizer/__init__.py: get_megatron_optimizer",
    why: "Megatron-DeepSpeed creates its optimizer itself, on the GPU unless --cpu-optimizer is given. DeepSpeed refuses to step it if offload_optimizer puts its states on the CPU.",
    fix: "Add --cpu-optimizer, or set zero_force_ds_cpu_optimizer to false in the DeepSpeed configuration.",
    check: (launch) =>
      launch.runs
        .filter((each) => isMegatron(each) && isFork(each) && !each.open && !each.options.has("cpu_optimizer"))
        .flatMap(({ program }) =>
          documentsOf(launch, "deepspeed").flatMap(({ root }): readonly Found[] => {
            const device = at(root, "zero_optimization", "offload_optimizer", "device");
            if (device === undefined || scalarOf(device) === "none" || entryOf(root, "optimizer") !== undefined)
              return [];
            if (scalarOf(at(root, "zero_force_ds_cpu_optimizer")) === false) return [];
            return [
              {
                span: device.span,
                message: "an offloaded optimizer needs --cpu-optimizer on the command line",
                ...nearby("the program", program?.span),
              },
            ];
          }),
        ),
    fires: { "ds.json": config, "run.sh": run("") },
    silent: { "ds.json": config, "run.sh": run("--cpu-optimizer") },
  }),
  rule({
    name: "megatron-local-rank",
    source: "deepspeed/launcher/launch.py: main (`--local_rank=N` for each process); megatron/training/arguments.py",
    why: "DeepSpeed's launcher passes `--local_rank=N` to each process. Megatron's parser accepts only `--local-rank`, and no abbreviated names, and stops at anything else: `unrecognized arguments: --local_rank=1`.",
    fix: "Start with torchrun, or add --no_local_rank to the options of `deepspeed`.",
    check: (launch) =>
      launch.runs.flatMap((each): readonly Found[] => {
        const entry = programOf(each.program?.text ?? "");
        const { kind, settings, word } = each.launcher;
        if (kind !== "deepspeed" || entry === null || isFork(each) || settings.has("no_local_rank")) return [];
        const judged = enginesOf(launch).find(({ engine }) => engine === "megatron");
        if (argumentTable(entry, judged?.version).byName.has("--local_rank")) return [];
        const isNamed = judged?.written != null;
        return [
          {
            span: word.span,
            message: `deepspeed adds --local_rank=N to the arguments, which ${isNamed ? `Megatron ${judged.version} refuses` : "Megatron refuses, unless this is a fork that accepts it"}`,
            ...(isNamed ? {} : { severity: "info" as const }),
          },
        ];
      }),
    fires: { "run.sh": plain("deepspeed --num_gpus 8") },
    silent: { "run.sh": plain("torchrun --nproc-per-node=8") },
  }),
];
