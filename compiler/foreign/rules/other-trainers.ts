/** What torchtune, LitGPT and Composer refuse of their files, as far as these speak of ranks, batch and precision. */
import { documentsOf } from "../launch.ts";
import { at, numberAt, scalarOf } from "../documents/located.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const tune = "model:\n  _component_: torchtune.models.llama3.llama3_8b\nbatch_size: 2\ndtype: bf16\n";
const run = "tune run --nproc_per_node 8 full_finetune_distributed --config tune.yaml\n";
const mpt =
  "max_seq_len: 2048\nmodel:\n  name: mpt_causal_lm\nglobal_train_batch_size: 512\ndevice_train_microbatch_size: 8\nmax_duration: 1ba\n";
const lit = "checkpoint_dir: c\nprecision: bf16-true\ndevices: 8\ntrain:\n  micro_batch_size: 4\n";

const sizes = [
  "tensor_parallel_dim",
  "context_parallel_dim",
  "data_parallel_replicate_dim",
  "data_parallel_shard_dim",
];

const composerPrecisions = ["amp_bf16", "amp_fp16", "amp_fp8", "fp32"];

export const otherTrainerRules: readonly ForeignRule[] = [
  rule({
    name: "torchtune-ranks",
    source: "torchtune/training/_distributed.py: ParallelDims._validate",
    why: "Tensor and context parallelism, replicas and shards divide the ranks between them: their product is the number of ranks, and a shard dimension of -1 (the default) takes the ranks that the others leave.",
    fix: "Choose sizes whose product is the number of ranks; without data_parallel_shard_dim it must divide that number.",
    check: (launch) =>
      documentsOf(launch, "torchtune").flatMap(({ root }): readonly Found[] => {
        const world = launch.world.size;
        const said = sizes.flatMap((name) => {
          const node = at(root, name);
          const size = numberAt(node);
          return node === undefined || size === null || size === -1 ? [] : [{ name, size, span: node.span }];
        });
        const [first] = said;
        if (world === null || first === undefined) return [];
        const product = said.reduce((all, { size }) => all * size, 1);
        const isWhole = said.some(({ name }) => name === "data_parallel_shard_dim");
        if (isWhole ? product === world : product > 0 && world % product === 0) return [];
        const written = said.map(({ name, size }) => `${name} ${size}`).join(" x ");
        return [
          {
            span: first.span,
            message: `${written}${said.length > 1 ? ` = ${product}` : ""} does not ${isWhole ? "make" : "divide"} ${world} ranks`,
            ...nearby("ranks", launch.world.said[0]?.span),
          },
        ];
      }),
    fires: { "tune.yaml": `${tune}tensor_parallel_dim: 3\n`, "run.sh": run },
    silent: { "tune.yaml": `${tune}tensor_parallel_dim: 4\n`, "run.sh": run },
  }),
  rule({
    name: "torchtune-half",
    source: "torchtune/recipes: __init__ of every recipe (training.get_dtype)",
    why: "torchtune's recipes do not scale the loss, and refuse fp16 at the start.",
    fix: "Write dtype: bf16, or fp32 on GPUs without bf16.",
    check: (launch) =>
      documentsOf(launch, "torchtune").flatMap(({ root }): readonly Found[] => {
        const node = at(root, "dtype");
        return node !== undefined && scalarOf(node) === "fp16"
          ? [{ span: node.span, message: "torchtune trains in bf16 or fp32, not in fp16", valid: ["bf16", "fp32"] }]
          : [];
      }),
    fires: { "tune.yaml": tune.replace("bf16", "fp16") },
    silent: { "tune.yaml": tune },
  }),
  rule({
    name: "litgpt-batch",
    source: "litgpt/args.py: TrainArgs.batch_size, gradient_accumulation_iters",
    why: "The global batch is divided by the devices and then by the micro-batch, both rounded down. A result of 0 stops the run with an assertion; a remainder is silently dropped, and the batch is smaller than the file says.",
    fix: "Make train.global_batch_size a multiple of devices x num_nodes x train.micro_batch_size.",
    check: (launch) =>
      documentsOf(launch, "litgpt").flatMap(({ root }): readonly Found[] => {
        const total = at(root, "train", "global_batch_size");
        const [batch, micro] = [numberAt(total), numberAt(at(root, "train", "micro_batch_size")) ?? 4];
        const [devices, nodes] = [numberAt(at(root, "devices")), numberAt(at(root, "num_nodes")) ?? 1];
        if (total === undefined || batch === null || devices === null || micro < 1) return [];
        const own = Math.floor(batch / (devices * nodes));
        const taken = Math.floor(own / micro) * micro * devices * nodes;
        if (taken === batch) return [];
        const unit = devices * nodes * micro;
        const written = `${devices * nodes} devices x micro-batch ${micro} = ${unit}`;
        return [
          {
            span: total.span,
            ...(taken === 0 ? {} : { severity: "warning" as const }),
            message:
              taken === 0
                ? `a batch of ${batch} is smaller than ${written}`
                : `a batch of ${batch} is not a multiple of ${written}: only ${taken} samples are used`,
            valid: [String(Math.ceil(batch / unit) * unit)],
            ...nearby("the micro-batch", at(root, "train", "micro_batch_size")?.span),
          },
        ];
      }),
    fires: { "lit.yaml": `${lit}  global_batch_size: 16\n` },
    silent: { "lit.yaml": `${lit}  global_batch_size: 64\n` },
  }),
  rule({
    name: "composer-precision",
    source: "composer/core/precision.py: Precision (a StringEnum, which takes either case)",
    why: "Composer has its own names for precisions, which also say whether weights stay in fp32. Any other name stops the Trainer when it is created.",
    fix: "Write amp_bf16, amp_fp16, amp_fp8 or fp32.",
    check: (launch) =>
      documentsOf(launch, "composer").flatMap(({ root }): readonly Found[] => {
        const node = at(root, "precision");
        const value = scalarOf(node);
        if (node === undefined || typeof value !== "string" || value.includes("$")) return [];
        if (composerPrecisions.includes(value.toLowerCase())) return [];
        return [{ span: node.span, message: `Composer has no precision ${value}`, valid: composerPrecisions }];
      }),
    fires: { "mpt.yaml": `${mpt}precision: bf16\n`, "run.sh": "composer train.py mpt.yaml\n" },
    silent: { "mpt.yaml": `${mpt}precision: amp_bf16\n`, "run.sh": "composer train.py mpt.yaml\n" },
  }),
  rule({
    name: "document-partly-read",
    severity: "info",
    source: "docs/foreign.md: what is read of a file of each kind",
    why: "Files of this tool are recognised, but only their ranks, batch and precision are checked.",
    fix: "Nothing needs to be done.",
    check: (launch) =>
      (["torchtune", "litgpt"] as const).flatMap((kind) =>
        documentsOf(launch, kind).map(({ root }): Found => ({
          span: { ...root.span, end: Math.min(root.span.end, root.span.start + 1) },
          message: `only ranks, batch and precision of this ${kind === "litgpt" ? "LitGPT" : "torchtune"} file are checked`,
        })),
      ),
    fires: { "tune.yaml": tune },
    silent: { "args.yaml": "output_dir: o\nper_device_train_batch_size: 1\n" },
  }),
];
