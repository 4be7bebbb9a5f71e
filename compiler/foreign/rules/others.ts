/** Files of other trainers, and the model that a launch names, as far as they speak of parallelism, batch and precision. */
import { documentsOf, type Document, type Launch } from "../launch.ts";
import { at, entryOf, numberAt, scalarOf, type Located } from "../located.ts";
import { isMegatron } from "../megatron.ts";
import { numberIn, toldIn, type Settings, type Told } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";
import { zeroStages } from "./trainer.ts";

/** GPT-NeoX writes keys with `-` or `_`. */
function neox(root: Located, name: string): ReturnType<typeof entryOf> {
  return entryOf(root, name.replaceAll("_", "-")) ?? entryOf(root, name);
}

const neoxNumber = (root: Located, name: string): number | null => numberAt(neox(root, name)?.value);

/** Tensor parallelism by all the names that programs have for it. */
const tensorNames = [
  "tensor_parallel_size",
  "tensor_model_parallel_size",
  "tp_size",
  "tp",
  "tensor_parallel",
  "model_parallel_size",
];
const expertNames = ["expert_parallel_size", "expert_model_parallel_size", "ep_size", "ep", "expert_parallel"];

interface Degree {
  readonly size: number;
  readonly span: Told["span"];
}

function degrees(launch: Launch, names: readonly string[]): readonly Degree[] {
  const all: readonly (Settings | null)[] = [
    ...launch.runs.filter((run) => !isMegatron(run)).map(({ options }) => options),
    launch.trainer,
  ];
  const told = all.flatMap((settings) => {
    const one = settings === null ? undefined : toldIn(settings, ...names);
    const size = Number(one?.value);
    return one !== undefined && Number.isInteger(size) && size > 1 ? [{ size, span: one.span }] : [];
  });
  const auto =
    names === tensorNames
      ? documentsOf(launch, "deepspeed")
          .flatMap(({ root }) => [at(root, "tensor_parallel", "autotp_size") ?? []])
          .flat()
      : [];
  return [
    ...told,
    ...auto.flatMap((node) => ((numberAt(node) ?? 0) > 1 ? [{ size: numberAt(node) ?? 1, span: node.span }] : [])),
  ];
}

const divisorsOf = (count: number): readonly string[] =>
  Array.from({ length: Math.min(count, 512) }, (_, at) => at + 1)
    .filter((each) => count % each === 0)
    .map(String);

const texts = (root: Located): Located => at(root, "text_config") ?? root;

/** Parts of a model that a tensor-parallel degree divides. */
function heads(
  root: Located,
): readonly { readonly what: string; readonly count: number; readonly span: Told["span"] }[] {
  const parts: readonly (readonly [string, Located | undefined])[] = [
    ["attention heads", at(texts(root), "num_attention_heads")],
    [
      "attention heads of the vision tower",
      at(root, "vision_config", "num_attention_heads") ?? at(root, "vision_config", "num_heads"),
    ],
  ];
  return parts.flatMap(([what, node]) => {
    const count = numberAt(node);
    return node === undefined || count === null ? [] : [{ what, count, span: node.span }];
  });
}

const quotedNumber = /^[-+]?\d+(?:\.\d*)?[eE][-+]?\d+$/;
const neoxBase =
  "pipe-parallel-size: 1\nmodel-parallel-size: 1\ntrain_micro_batch_size_per_gpu: 4\ncheckpoint-factor: 100\n";

function scalarsOf(
  node: Located,
  prefix = "",
): readonly { readonly path: string; readonly node: Located & { readonly kind: "scalar" } }[] {
  if (node.kind === "scalar") return [{ path: prefix, node }];
  if (node.kind === "list") return node.items.flatMap((each, index) => scalarsOf(each, `${prefix}[${index}]`));
  return node.entries.flatMap(({ key, value }) => scalarsOf(value, prefix === "" ? key : `${prefix}.${key}`));
}

const yamls = (launch: Launch): readonly Document[] =>
  launch.documents.filter(({ source, kind }) => !/^\s*[{[]/.test(source.text) && kind !== "kubernetes");

export const otherRules: readonly ForeignRule[] = [
  rule({
    name: "yaml-number-text",
    severity: "error",
    source: "PyYAML: resolver of tag:yaml.org,2002:float (YAML 1.1)",
    why: "YAML 1.1, which Python reads, wants a point and a sign in a number with an exponent: `5e8` is text, `5.0e+8` is a number. What computes with it fails, or compares letters.",
    check: (launch) =>
      yamls(launch).flatMap(({ root }) =>
        scalarsOf(root).flatMap(({ path, node }): Found[] => {
          const { source, start, end } = node.span;
          if (
            typeof node.value !== "string" ||
            !quotedNumber.test(node.value) ||
            /^["']/.test(source.text.slice(start - 1, end))
          )
            return [];
          const [mantissa = "", exponent = ""] = node.value.toLowerCase().split("e");
          const right = `${mantissa.includes(".") ? mantissa : `${mantissa}.0`}e${/^[-+]/.test(exponent) ? exponent : `+${exponent}`}`;
          return [
            {
              span: node.span,
              message: `${path} is the text "${node.value}", not a number: Python's YAML wants ${right}`,
              valid: [right],
              fixes: [{ title: `write ${right}`, edits: [{ span: node.span, newText: right }] }],
            },
          ];
        }),
      ),
    fires: { "neox.yaml": `${neoxBase}zero_optimization:\n  stage: 1\n  reduce_bucket_size: 5e8\n` },
    silent: { "neox.yaml": `${neoxBase}zero_optimization:\n  stage: 1\n  reduce_bucket_size: 5.0e+8\n` },
  }),
  rule({
    name: "neox-world",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.calculate_derived, calculate_batch_parameters",
    why: "Ranks are pipeline stages x model-parallel ranks x data-parallel ranks, and the batch is micro-batch x accumulation x data-parallel ranks: whole numbers all.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const world = launch.world.size ?? neoxNumber(root, "num_gpus") ?? neoxNumber(root, "global_num_gpus");
        const [pipe, model] = [
          Math.max(1, neoxNumber(root, "pipe_parallel_size") ?? 1),
          Math.max(1, neoxNumber(root, "model_parallel_size") ?? 1),
        ];
        const place = neox(root, "pipe_parallel_size") ?? neox(root, "model_parallel_size");
        if (world === null || place === undefined) return [];
        if (world % (pipe * model) !== 0)
          return [
            {
              span: place.value.span,
              message: `${pipe} pipeline stages x ${model} model-parallel ranks do not divide ${world} GPUs`,
              ...nearby("model parallelism", neox(root, "model_parallel_size")?.value.span),
            },
          ];
        const [total, micro, accumulation] = [
          neoxNumber(root, "train_batch_size"),
          neoxNumber(root, "train_micro_batch_size_per_gpu"),
          neoxNumber(root, "gradient_accumulation_steps"),
        ];
        const ranks = world / (pipe * model);
        const node = neox(root, "train_batch_size");
        if (node === undefined || total === null || micro === null) return [];
        const unit = micro * ranks * (accumulation ?? 1);
        if (accumulation === null ? total % unit === 0 : total === unit) return [];
        return [
          {
            span: node.value.span,
            message: `train_batch_size ${total} is not ${micro} samples x ${accumulation ?? "a whole"} accumulation x ${ranks} data-parallel ranks`,
            valid: [String(Math.max(1, Math.round(total / unit)) * unit)],
          },
        ];
      }),
    fires: {
      "neox.yaml":
        neoxBase
          .replace("pipe-parallel-size: 1", "pipe-parallel-size: 2")
          .replace("model-parallel-size: 1", "model-parallel-size: 2") + "num_gpus: 2\n",
    },
    silent: { "neox.yaml": `${neoxBase}num_gpus: 2\n` },
  }),
  rule({
    name: "neox-keys",
    source: "megatron/neox_arguments/neox_args.py: NeoXArgsTraining",
    why: "GPT-NeoX 2 saves every `checkpoint_factor` steps; the older `save_interval` is refused as unknown. `data_impl` is mmap or cached: lazy loading has no reader.",
    check: (launch) =>
      documentsOf(launch, "gpt-neox").flatMap(({ root }): readonly Found[] => {
        const found: Found[] = [];
        const save = neox(root, "save_interval");
        if (save !== undefined)
          found.push({
            span: save.keySpan,
            message: "save_interval is now checkpoint_factor",
            valid: ["checkpoint_factor"],
          });
        const impl = neox(root, "data_impl");
        if (impl !== undefined && !["mmap", "infer", "cached"].includes(String(scalarOf(impl.value))))
          found.push({
            span: impl.value.span,
            message: `data_impl ${String(scalarOf(impl.value))} has no reader: preprocess with --dataset-impl mmap`,
            valid: ["mmap"],
          });
        const path = neox(root, "data_path");
        if (path !== undefined && String(scalarOf(path.value)).includes(","))
          found.push({
            span: path.value.span,
            message: "data_path is one prefix: several stand in train_data_paths with train_data_weights",
            valid: ["train-data-paths"],
          });
        return found;
      }),
    fires: { "neox.yaml": neoxBase.replace("checkpoint-factor", "save-interval") },
    silent: { "neox.yaml": neoxBase },
  }),
  rule({
    name: "neox-precision",
    source: "megatron/neox_arguments/arguments.py: NeoXArgs.configure_distributed_args",
    why: "The section `fp16` is for fp16 with its loss scale. bf16 has `precision: bfloat16` (or `bf16: {enabled: true}`) and no loss scale.",
    check: (launch) =>
      launch.documents.flatMap(({ kind, root }): readonly Found[] => {
        if (kind !== "gpt-neox" && kind !== "deepspeed") return [];
        const section = at(root, "fp16");
        const [type, enabled] = [at(section, "type"), scalarOf(at(section, "enabled"))];
        const precision = neox(root, "precision");
        if (enabled !== true) return [];
        if (type !== undefined && String(scalarOf(type)).startsWith("bf"))
          return [
            {
              span: type.span,
              message: "the fp16 section is on and says bfloat16: bf16 has no loss scale and its own section",
            },
          ];
        if (precision !== undefined && scalarOf(precision.value) !== "fp16")
          return [
            {
              span: precision.value.span,
              message: `precision ${String(scalarOf(precision.value))} and fp16.enabled contradict each other`,
              ...nearby("fp16", section?.span),
            },
          ];
        return [];
      }),
    fires: { "neox.yaml": `${neoxBase}fp16:\n  enabled: true\n  type: bfloat16\n` },
    silent: { "neox.yaml": `${neoxBase}fp16:\n  enabled: true\n` },
  }),
  rule({
    name: "pipeline-zero",
    source: "deepspeed/runtime/pipe/engine.py: PipelineEngine.__init__",
    why: "The pipeline engine of DeepSpeed keeps gradients whole until all micro-batches are through: ZeRO 2 and 3 divide them earlier and are refused. Take stage 1, or no pipeline.",
    check: (launch) => {
      const stages = pipelines(launch)[0];
      if (stages === undefined) return [];
      return zeroStages(launch)
        .filter(({ stage }) => stage >= 2)
        .map(({ stage, span }) => ({
          span,
          message: `ZeRO stage ${stage} cannot go with ${stages.size} pipeline stages`,
          valid: ["0", "1"],
          ...nearby("the pipeline", stages.span),
        }));
    },
    fires: {
      "neox.yaml": `${neoxBase.replace("pipe-parallel-size: 1", "pipe-parallel-size: 2")}zero_optimization:\n  stage: 2\n`,
    },
    silent: {
      "neox.yaml": `${neoxBase.replace("pipe-parallel-size: 1", "pipe-parallel-size: 2")}zero_optimization:\n  stage: 1\n`,
    },
  }),
  rule({
    name: "pipeline-bubble",
    severity: "warning",
    source: "deepspeed/runtime/pipe/schedule.py: TrainSchedule",
    why: "A pipeline of p stages with m micro-batches a step idles (p - 1) / (m + p - 1) of the time. Four micro-batches per stage keep that below a fifth.",
    check: (launch) => {
      const stages = pipelines(launch)[0];
      if (stages === undefined) return [];
      const nodes = launch.documents
        .filter(({ kind }) => kind === "deepspeed" || kind === "gpt-neox")
        .flatMap(({ root }) => neox(root, "gradient_accumulation_steps") ?? []);
      return nodes.flatMap(({ value }) => {
        const micro = numberAt(value);
        if (micro === null || micro >= 2 * stages.size) return [];
        const idle = Math.round((100 * (stages.size - 1)) / (micro + stages.size - 1));
        return [
          {
            span: value.span,
            message: `${micro} micro-batches in ${stages.size} stages: the pipeline idles ${idle} % of the time`,
            ...nearby("the pipeline", stages.span),
          },
        ];
      });
    },
    fires: {
      "neox.yaml": `${neoxBase.replace("pipe-parallel-size: 1", "pipe-parallel-size: 4")}gradient_accumulation_steps: 4\n`,
    },
    silent: {
      "neox.yaml": `${neoxBase.replace("pipe-parallel-size: 1", "pipe-parallel-size: 4")}gradient_accumulation_steps: 32\n`,
    },
  }),
  rule({
    name: "tensor-parallel-heads",
    source: "vllm/config: verify_with_parallel_config; deepspeed/module_inject/auto_tp.py; each engine's attention",
    why: "Tensor parallelism gives every rank a whole number of attention heads, in every tower of a model; expert parallelism a whole number of experts.",
    check: (launch) =>
      documentsOf(launch, "model").flatMap(({ root }) => {
        const found: Found[] = degrees(launch, tensorNames).flatMap(({ size, span }) =>
          heads(root)
            .filter(({ count }) => count % size !== 0)
            .map(({ what, count, span: there }) => ({
              span,
              message: `${size} tensor-parallel ranks do not divide ${count} ${what}`,
              valid: divisorsOf(count),
              ...nearby(what, there),
            })),
        );
        const node = ["num_experts", "num_local_experts", "n_routed_experts"]
          .map((key) => at(texts(root), key))
          .find((each) => each !== undefined);
        const experts = numberAt(node);
        const expert: Found[] = degrees(launch, expertNames)
          .filter(({ size }) => experts !== null && experts % size !== 0)
          .map(({ size, span }) => ({
            span,
            message: `${size} expert-parallel ranks do not divide ${experts} experts`,
            valid: divisorsOf(experts ?? 1),
            ...nearby("experts", node?.span),
          }));
        return [...found, ...expert];
      }),
    fires: {
      "config.json": '{ "model_type": "llama", "architectures": ["L"], "num_attention_heads": 52 }',
      "run.sh": "python -m vllm.entrypoints.api_server --tensor-parallel-size 8\n",
    },
    silent: {
      "config.json": '{ "model_type": "llama", "architectures": ["L"], "num_attention_heads": 52 }',
      "run.sh": "python -m vllm.entrypoints.api_server --tensor-parallel-size 4\n",
    },
  }),
  rule({
    name: "token-id-range",
    source: "torch/nn/modules/sparse.py: Embedding",
    why: "Ids begin at 0, so that a vocabulary of N rows ends at N - 1: an id of N reads past the embedding, on a GPU as a device-side assert far away. Resize the embedding after adding tokens.",
    check: (launch) =>
      documentsOf(launch, "model").flatMap(({ root }) => {
        const vocabulary = numberAt(at(texts(root), "vocab_size"));
        const places: readonly Located[] = [root, ...documentsOf(launch, "tokenizer").map((each) => each.root)];
        if (vocabulary === null) return [];
        const ids = places.flatMap((each) =>
          ["pad_token_id", "bos_token_id", "eos_token_id", "unk_token_id"].flatMap((key) => entryOf(each, key) ?? []),
        );
        const added = documentsOf(launch, "tokenizer").flatMap((each) => {
          const tokens = at(each.root, "added_tokens_decoder");
          return tokens?.kind === "map"
            ? tokens.entries.map(({ key, keySpan }) => ({
                id: Number(key),
                span: keySpan,
                name: `added token ${key}`,
              }))
            : [];
        });
        return [
          ...ids.map(({ key, value }) => ({ id: numberAt(value) ?? -1, span: value.span, name: key })),
          ...added,
        ]
          .filter(({ id }) => id >= vocabulary)
          .map(({ span, id, name }) => ({
            span,
            message: `${name === `added token ${id}` ? name : `${name} ${id}`} has no row: the model has ${vocabulary} rows, 0 to ${vocabulary - 1}`,
            ...nearby("rows", at(texts(root), "vocab_size")?.span),
          }));
      }),
    fires: {
      "config.json": '{ "model_type": "llama", "architectures": ["L"], "vocab_size": 32001, "pad_token_id": 32001 }',
    },
    silent: {
      "config.json": '{ "model_type": "llama", "architectures": ["L"], "vocab_size": 32001, "pad_token_id": 32000 }',
    },
  }),
  rule({
    name: "batch-world",
    source:
      "composer/trainer: global_train_batch_size; verl/workers: real_train_batch_size; nanotron/config: parallelism",
    why: "Every data-parallel rank takes the same number of whole micro-batches: the global batch is a multiple of ranks x micro-batch.",
    check: (launch) => {
      const composer = documentsOf(launch, "composer").flatMap(({ root }): readonly Found[] => {
        const node = at(root, "global_train_batch_size");
        const [total, world] = [numberAt(node), launch.world.size];
        if (node === undefined || total === null || world === null || total % world === 0) return [];
        return [
          {
            span: node.span,
            message: `${total} samples do not divide among ${world} ranks`,
            valid: [String(Math.floor(total / world) * world), String(Math.ceil(total / world) * world)],
            ...nearby("ranks", launch.world.said[0]?.span),
          },
        ];
      });
      return [...composer, ...launch.runs.flatMap(({ options }) => ofPrograms(options, launch.world.size))];
    },
    fires: {
      "mpt.yaml": "global_train_batch_size: 100\ndevice_train_microbatch_size: 4\nmax_duration: 1ep\n",
      "run.sh": "torchrun --nproc-per-node=8 train.py mpt.yaml\n",
    },
    silent: {
      "mpt.yaml": "global_train_batch_size: 96\ndevice_train_microbatch_size: 4\nmax_duration: 1ep\n",
      "run.sh": "torchrun --nproc-per-node=8 train.py mpt.yaml\n",
    },
  }),
  rule({
    name: "parallelism-product",
    source:
      "nanotron/parallel/context.py: ParallelContext; torchtitan/distributed/parallel_dims.py: ParallelDims._validate",
    why: "The degrees of parallelism multiply to the number of ranks; another product starts no process grid.",
    check: (launch) =>
      documentsOf(launch, "nanotron").flatMap(({ root }) => {
        const section = at(root, "parallelism");
        const sizes = ["dp", "pp", "tp", "cp"].map((key) => numberAt(at(section, key)) ?? 1);
        const product = sizes.reduce((all, size) => all * size, 1);
        if (section === undefined || launch.world.size === null || product === launch.world.size) return [];
        return [
          {
            span: at(section, "dp")?.span ?? section.span,
            message: `dp x pp x tp x cp = ${product} and there are ${launch.world.size} ranks`,
            ...nearby("ranks", launch.world.said[0]?.span),
          },
        ];
      }),
    fires: {
      "nano.yaml": "general:\n  run: a\nparallelism:\n  dp: 2\n  pp: 1\n  tp: 2\n",
      "run.sh": "torchrun --nproc-per-node=8 run_train.py --config-file nano.yaml\n",
    },
    silent: {
      "nano.yaml": "general:\n  run: a\nparallelism:\n  dp: 4\n  pp: 1\n  tp: 2\n",
      "run.sh": "torchrun --nproc-per-node=8 run_train.py --config-file nano.yaml\n",
    },
  }),
  rule({
    name: "submitit-timeouts",
    severity: "warning",
    source:
      "submitit/slurm/slurm.py: max_num_timeout; hydra_plugins/hydra_submitit_launcher/config.py: SlurmQueueConf",
    why: "submitit requeues a job that ran into its time limit `max_num_timeout` times, in hydra's launcher none: the run ends at the first limit. Say how often.",
    check: (launch) =>
      documentsOf(launch, "submitit").flatMap(({ root }) => {
        const count = entryOf(root, "max_num_timeout");
        const limit = entryOf(root, "timeout_min");
        if (count !== undefined && (numberAt(count.value) ?? 2) > 1) return [];
        const place = count?.value.span ?? limit?.keySpan;
        return place === undefined
          ? []
          : [
              {
                span: place,
                message: `the job is requeued ${count === undefined ? "not at all (the default)" : `${String(scalarOf(count.value))} times`} after its time limit`,
              },
            ];
      }),
    fires: { "launcher.yaml": "timeout_min: 60\nnodes: 2\ngpus_per_node: 8\ntasks_per_node: 8\n" },
    silent: {
      "launcher.yaml": "timeout_min: 60\nnodes: 2\ngpus_per_node: 8\ntasks_per_node: 8\nmax_num_timeout: 20\n",
    },
  }),
  rule({
    name: "resume-file-unsaved",
    source: "fairseq/checkpoint_utils.py: save_checkpoint (no_last_checkpoints)",
    why: "A run that keeps only the checkpoints of its intervals writes no `checkpoint_last`, from which it would resume: after an interruption it starts anew.",
    check: ({ runs }) =>
      runs.flatMap(({ options }) => {
        const none = toldIn(options, "no_last_checkpoints", "no_save_last");
        const from = toldIn(options, "restore_file", "resume_from", "load_checkpoint");
        if (none === undefined || (from !== undefined && !/last/.test(String(from.value)))) return [];
        return [
          {
            span: none.nameSpan,
            message: "nothing writes checkpoint_last, which a restart loads",
            ...nearby("loaded here", from?.span),
          },
        ];
      }),
    fires: {
      "run.sh":
        "torchrun --nproc-per-node=8 train.py --save-interval-updates 1000 --no-last-checkpoints --restore-file checkpoint_last.pt\n",
    },
    silent: {
      "run.sh":
        "torchrun --nproc-per-node=8 train.py --save-interval-updates 1000 --restore-file checkpoint_last.pt\n",
    },
  }),
];

/** Batches that programs take on their command line, in hydra's words too. */
function ofPrograms(options: Settings, world: number | null): readonly Found[] {
  const ends = (name: string): Told | undefined =>
    [...options].find(([key]) => key === name || key.endsWith(`.${name}`))?.[1];
  const total = ends("train_batch_size") ?? ends("global_train_batch_size");
  const micro = ends("ppo_micro_batch_size_per_gpu") ?? ends("micro_batch_size_per_gpu");
  const size = Number(total?.value);
  if (total === undefined || micro === undefined || !total.known || world === null || !Number.isInteger(size))
    return [];
  const degree = (name: string): number => Number(ends(name)?.value ?? 1) || 1;
  const model =
    degree("tensor_model_parallel_size") * degree("pipeline_model_parallel_size") * degree("context_parallel_size");
  const unit = (world / model) * Number(micro.value);
  if (!Number.isInteger(unit) || unit <= 0 || size % unit === 0) return [];
  return [
    {
      span: total.span,
      message: `${size} samples are no multiple of ${world / model} data-parallel ranks x micro-batch ${String(micro.value)} = ${unit}`,
      valid: [String(Math.floor(size / unit) * unit), String(Math.ceil(size / unit) * unit)].filter(
        (each) => each !== "0",
      ),
      ...nearby("the micro-batch", micro.span),
    },
  ];
}

function pipelines(launch: Launch): readonly Degree[] {
  const files = launch.documents.flatMap(({ kind, root }) => {
    const node =
      kind === "gpt-neox"
        ? neox(root, "pipe_parallel_size")?.value
        : kind === "deepspeed"
          ? at(root, "pipeline", "stages")
          : undefined;
    const size = numberAt(node);
    return node !== undefined && size !== null && size > 1 ? [{ size, span: node.span }] : [];
  });
  const told = launch.runs.flatMap(({ options }) => {
    const one = toldIn(options, "pipe_parallel_size", "pipeline_parallel_size", "pipeline_stages");
    const size = numberIn(options, "pipe_parallel_size", "pipeline_parallel_size", "pipeline_stages");
    return one !== undefined && size !== null && size > 1 ? [{ size, span: one.span }] : [];
  });
  return [...files, ...told];
}
