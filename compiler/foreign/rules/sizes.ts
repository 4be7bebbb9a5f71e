/** What fits, and what a launch leaves to the number of ranks. */
import { documentsOf } from "../launch.ts";
import { at, scalarOf, type Located } from "../documents/located.ts";
import { gigabytes, memoryOf } from "../known/model-size.ts";
import { given, saidIn } from "../said.ts";
import { numberIn, switchIn, textIn, toldIn, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const config =
  '{ "model_type": "opt", "architectures": ["OPT"], "hidden_size": 7168, "num_hidden_layers": 48, "num_attention_heads": 56, "ffn_dim": 28672, "vocab_size": 50272 }';
const args = "output_dir: out\nper_device_train_batch_size: 4\nmax_seq_length: 2048\n";

const numberAt = (root: Located, ...names: readonly string[]): number | null => {
  const value = names.map((name) => scalarOf(at(root, name))).find((each) => typeof each === "number");
  return typeof value === "number" ? value : null;
};

export const sizeRules: readonly ForeignRule[] = [
  rule({
    name: "activations-memory",
    severity: "warning",
    source: "Korthikanti et al. 2022 (arXiv 2205.05198), equation 1: s b h (34 + 5 a s / h) bytes a layer",
    why: "ZeRO shards weights, gradients and the optimizer; activations stay whole on every rank. Without recomputation a layer keeps 34 bytes per sample, token and unit of width, and eager attention 5 more per pair of tokens and head.",
    fix: "Set gradient_checkpointing to true, attn_implementation to flash_attention_2 or sdpa, or use a smaller micro-batch.",
    check: (launch) => {
      const said = saidIn(launch);
      const memory = memoryOf(launch.supplied.gpu);
      const micro = numberIn(
        said,
        "per_device_train_batch_size",
        "train_micro_batch_size_per_gpu",
        "micro_batch_size",
      );
      const place =
        toldIn(said, "gradient_checkpointing") ??
        toldIn(said, "per_device_train_batch_size", "train_micro_batch_size_per_gpu");
      const length = numberIn(
        said,
        "max_seq_length",
        "max_length",
        "cutoff_len",
        "sequence_len",
        "block_size",
        "model_max_length",
        "seq_length",
      );
      if (memory === null || micro === null || length === null || place === undefined) return [];
      if (switchIn(said, "gradient_checkpointing") === true) return [];
      return documentsOf(launch, "model").flatMap(({ root }): readonly Found[] => {
        const own = at(root, "text_config") ?? root;
        const [hidden, layers] = [
          numberAt(own, "hidden_size", "n_embd"),
          numberAt(own, "num_hidden_layers", "n_layer"),
        ];
        const heads = numberAt(own, "num_attention_heads", "n_head") ?? 1;
        if (hidden === null || layers === null) return [];
        const eager = (textIn(said, "attn_implementation") ?? textOf(own)) === "eager";
        const bytes = layers * length * micro * hidden * (34 + (eager ? (5 * heads * length) / hidden : 0));
        if (bytes <= memory) return [];
        return [
          {
            span: place.span,
            message: `activations take about ${gigabytes(bytes)} on every rank, but the GPU has ${Math.round(memory / 2 ** 30)} GB`,
            ...nearby("the model", at(own, "hidden_size")?.span),
          },
        ];
      });
    },
    fires: { "args.yaml": `${args}attn_implementation: eager\n`, "config.json": config },
    silent: { "args.yaml": `${args}gradient_checkpointing: true\n`, "config.json": config },
    supplied: { gpu: "a100_80gb" },
  }),
  rule({
    name: "batch-follows-ranks",
    severity: "info",
    source:
      "libai/engine/default.py: default_setup (train_micro_batch_size x data-parallel ranks x accumulation); megatron/training/arguments.py: validate_args",
    why: "If only the micro-batch is given, the global batch is micro-batch x data-parallel ranks: another layout on the same GPUs trains with another batch, and to another loss.",
    fix: "Also give the global batch (--global-batch-size, train_batch_size); the accumulation follows from it.",
    check: (launch) =>
      launch.runs.flatMap(({ options }): readonly Found[] => {
        const micro = micros.map((name) => options.get(name)).find((told) => told !== undefined);
        const total = [...totals, ...accumulation].some((name) => given(options, name) !== undefined);
        const degree = model
          .flatMap((names) => toldIn(options, ...names) ?? [])
          .find((told) => Number(told.value) > 1);
        if (micro === undefined || total || degree === undefined) return [];
        const size = launch.world.size;
        const parts = model.map((names) => numberIn(options, ...names) ?? 1).reduce((all, one) => all * one, 1);
        const ranks = size === null ? null : size / parts;
        const batch =
          ranks === null || !Number.isInteger(ranks)
            ? ""
            : `: ${String(micro.value)} x ${ranks} = ${Number(micro.value) * ranks}`;
        return [
          {
            span: micro.span,
            message: `the global batch is not given and follows from the layout${batch}`,
            ...nearby("the layout", degree.span),
          },
        ];
      }),
    fires: {
      "run.sh": "torchrun --nproc-per-node=2 pretrain_gpt.py --micro-batch-size 16 --tensor-model-parallel-size 2\n",
    },
    silent: {
      "run.sh":
        "torchrun --nproc-per-node=2 pretrain_gpt.py --micro-batch-size 16 --global-batch-size 32 --tensor-model-parallel-size 2\n",
    },
  }),
  rule({
    name: "docker-gpus",
    severity: "warning",
    source: "docker-run(1): --gpus; nvidia-container-toolkit",
    why: "A container sees no GPU unless it is given some: `torch.cuda.device_count()` is 0, launchers start 0 ranks, and a batch of micro-batch x ranks is 0.",
    fix: "Add --gpus all to docker run.",
    check: ({ runs }) =>
      runs.flatMap(({ docker, launcher, options, program }): readonly Found[] => {
        const settings = docker?.settings;
        if (docker === null || settings === undefined || docker.image === null) return [];
        if (["gpus", "runtime", "device", "privileged"].some((name) => settings.has(name))) return [];
        if (
          !["torchrun", "deepspeed", "accelerate"].includes(launcher.kind) &&
          !usesGpus(program?.text ?? "", options)
        )
          return [];
        if (
          ["use_cpu", "no_cuda", "cpu"].some(
            (name) => switchIn(options, name) === true || launcher.settings.has(name),
          )
        )
          return [];
        return [{ span: docker.span, message: "this container has no GPU, and the launch counts 0" }];
      }),
    fires: { "run.sh": "docker run --ipc=host image deepspeed train.py --deepspeed_config ds.json\n" },
    silent: { "run.sh": "docker run --gpus all --ipc=host image deepspeed train.py --deepspeed_config ds.json\n" },
  }),
];

const micros = ["micro_batch_size", "train.train_micro_batch_size", "train_micro_batch_size"];
const totals = [
  "global_batch_size",
  "train.global_batch_size",
  "train_batch_size",
  "step_batch_size_schedule",
  "rampup_batch_size",
];
const accumulation = ["train.num_accumulation_steps", "gradient_accumulation_steps"];
const model = [
  ["tensor_model_parallel_size", "train.dist.tensor_parallel_size"],
  ["pipeline_model_parallel_size", "train.dist.pipeline_parallel_size"],
  ["context_parallel_size"],
] as const;

const usesGpus = (program: string, options: ReadonlyMap<string, Told>): boolean =>
  /(?:^|\/)(?:deepy|pretrain_\w+)\.py$/.test(program) ||
  ["deepspeed", "deepspeed_config", "bf16", "fp16"].some((name) => options.has(name));

function textOf(root: Located): string | null {
  const told = scalarOf(at(root, "_attn_implementation") ?? at(root, "attn_implementation"));
  return typeof told === "string" ? told : null;
}
