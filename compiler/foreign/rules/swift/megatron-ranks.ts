/** Ranks and layers that `megatron sft` of ms-swift divides. */
import { documentsOf, type Launch } from "../../launch.ts";
import { at, numberAt } from "../../documents/located.ts";
import { numberIn, toldIn, type Settings } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { unwrapped } from "../../commands/unwrap.ts";
import { startedIn, type Started } from "./megatron.ts";

const start = (ranks: number, more: string): string =>
  `NPROC_PER_NODE=${ranks} megatron sft --model m --dataset d.jsonl --save out ${more}\n`;
const model = (layers: number): string =>
  `{ "model_type": "qwen2", "hidden_size": 64, "num_hidden_layers": ${layers}, "num_attention_heads": 4 }`;

const pipeline = "pipeline_model_parallel_size";
const sizes = ["tensor_model_parallel_size", pipeline, "context_parallel_size"];
/** What gives stages layers of their own. */
const uneven = [
  "decoder_first_pipeline_num_layers",
  "decoder_last_pipeline_num_layers",
  "pipeline_model_parallel_layout",
  "account_for_embedding_in_pipeline_split",
  "account_for_loss_in_pipeline_split",
];

/** 1 where nobody says it; `null` where only the job knows. */
function sizeOf(settings: Settings, name: string): number | null {
  return toldIn(settings, name) === undefined ? 1 : numberIn(settings, name);
}

function ranksOf({ command: { env } }: Started): number | null {
  const [perNode, nodes] = ["NPROC_PER_NODE", "NNODES"].map((name) => {
    const entry = env.get(name);
    if (entry === undefined) return name === "NNODES" ? 1 : null;
    return entry.value !== null && /^[1-9]\d*$/.test(entry.value) ? Number(entry.value) : null;
  });
  return perNode == null || nodes == null ? null : perNode * nodes;
}

function undivided(started: Started): readonly Found[] {
  const { settings, command } = started;
  const ranks = ranksOf(started);
  const counts = sizes.map((name) => sizeOf(settings, name));
  const deep = sizeOf(settings, pipeline);
  if (started.open || ranks === null || counts.includes(null) || deep === null) return [];
  const dense = counts.reduce<number>((product, each) => product * (each ?? 1), 1);
  const experts = sizeOf(settings, "expert_model_parallel_size");
  const slices = sizeOf(settings, "expert_tensor_parallel_size");
  const sparse = experts === null || slices === null || experts === 1 ? 1 : experts * slices * deep;
  const wrong = ranks % dense !== 0 ? dense : ranks % sparse !== 0 ? sparse : null;
  const told = toldIn(settings, ...(wrong === dense ? sizes : ["expert_model_parallel_size"]));
  if (wrong === null || told === undefined) return [];
  const what =
    wrong === dense ? "tensor x pipeline x context parallelism" : "expert x expert-tensor x pipeline parallelism";
  return [
    {
      span: told.span,
      message: `${what} = ${wrong} does not divide ${ranks} ranks`,
      ...nearby("ranks of a node", command.env.get("NPROC_PER_NODE")?.span),
    },
  ];
}

/** Read off MegatronArguments of ms-swift 3.7 to 4.5. */
const usual = { micro_batch_size: 1, global_batch_size: 16 };

function unshared(started: Started): readonly Found[] {
  const { settings, open, command } = started;
  const told = toldIn(settings, "global_batch_size", "micro_batch_size");
  const [, verb] = unwrapped(command.words, () => undefined).words;
  // Other ways to train make batches of their own.
  if (open || told === undefined || !/^(?:sft|pt)$/.test(verb?.text ?? "") || settings.has("rampup_batch_size"))
    return [];
  const ranks = ranksOf(started);
  const counts = sizes.map((name) => sizeOf(settings, name));
  const [micro, batch] = (["micro_batch_size", "global_batch_size"] as const).map((name) =>
    settings.has(name) ? numberIn(settings, name) : usual[name],
  );
  if (ranks === null || counts.includes(null) || micro == null || batch == null || micro < 1) return [];
  const copies = ranks / counts.reduce<number>((product, each) => product * (each ?? 1), 1);
  if (!Number.isInteger(copies) || batch % (micro * copies) === 0) return [];
  return [
    {
      span: told.span,
      message: `global_batch_size ${batch} is not a multiple of micro_batch_size ${micro} x ${copies} data-parallel ranks = ${micro * copies}`,
      ...nearby("ranks of a node", command.env.get("NPROC_PER_NODE")?.span),
    },
  ];
}

function unevenIn(launch: Launch, { settings, open }: Started): readonly Found[] {
  const told = toldIn(settings, pipeline);
  const stages = sizeOf(settings, pipeline);
  if (open || told === undefined || stages === null || uneven.some((name) => settings.has(name))) return [];
  return documentsOf(launch, "model").flatMap(({ root }): readonly Found[] => {
    const node = at(root, "num_hidden_layers");
    const layers = numberAt(node);
    return layers === null || layers % stages === 0
      ? []
      : [
          {
            span: told.span,
            message: `${layers} layers cannot be divided evenly among ${stages} pipeline stages`,
            ...nearby("the layers", node?.span),
          },
        ];
  });
}

export const swiftMegatronRankRules: readonly ForeignRule[] = [
  rule({
    name: "swift-megatron-ranks",
    source: "megatron/core/parallel_state.py: initialize_model_parallel",
    why: "A rank belongs to a tensor, a pipeline and a context group, and the rest are data-parallel ranks: the product of the three sizes must divide the ranks, and so must the product with expert parallelism.",
    fix: "Choose sizes whose product divides NPROC_PER_NODE x NNODES.",
    check: (launch) => startedIn(launch).flatMap(undivided),
    fires: { "run.sh": start(8, "--tensor_model_parallel_size 3") },
    silent: { "run.sh": start(8, "--tensor_model_parallel_size 4 --pipeline_model_parallel_size 2") },
  }),
  rule({
    name: "swift-megatron-batch",
    source: "megatron/core/num_microbatches_calculator.py: ConstantNumMicroBatchesCalculator",
    why: "A step is a whole number of micro-batches on every data-parallel rank. ms-swift's defaults are 16 samples per step and a micro-batch of 1.",
    fix: "Make --global_batch_size a multiple of --micro_batch_size x data-parallel ranks (those that tensor, pipeline and context parallelism leave).",
    check: (launch) => startedIn(launch).flatMap(unshared),
    fires: { "run.sh": start(8, "--tensor_model_parallel_size 4 --micro_batch_size 4 --global_batch_size 60") },
    silent: { "run.sh": start(8, "--tensor_model_parallel_size 4 --micro_batch_size 4 --global_batch_size 64") },
  }),
  rule({
    name: "swift-megatron-layers",
    source: "megatron/core/transformer/transformer_block.py: get_num_layers_to_build",
    why: "Every pipeline stage has the same number of layers, unless the first or the last has its own.",
    fix: "Set --decoder_first_pipeline_num_layers or --decoder_last_pipeline_num_layers so that the rest divides evenly, or use a number of stages that divides the layers.",
    check: (launch) => startedIn(launch).flatMap((started) => unevenIn(launch, started)),
    fires: { "run.sh": start(8, "--pipeline_model_parallel_size 4"), "config.json": model(46) },
    silent: { "run.sh": start(8, "--pipeline_model_parallel_size 2"), "config.json": model(46) },
  }),
];
