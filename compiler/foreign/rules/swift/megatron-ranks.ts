/** Ranks and layers that `megatron sft` of ms-swift divides. */
import { documentsOf, type Launch } from "../../launch.ts";
import { at, numberAt } from "../../documents/located.ts";
import { numberIn, toldIn, type Settings } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
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
            message: `${layers} layers are not shared among ${stages} pipeline stages`,
            ...nearby("the layers", node?.span),
          },
        ];
  });
}

export const swiftMegatronRankRules: readonly ForeignRule[] = [
  rule({
    name: "swift-megatron-ranks",
    source: "megatron/core/parallel_state.py: initialize_model_parallel",
    why: "A rank has a place in a tensor, a pipeline and a context group, and what is left over are data-parallel ranks: the product of the three divides the ranks, and that of the experts too.",
    fix: "Choose sizes whose product divides NPROC_PER_NODE x NNODES.",
    check: (launch) => startedIn(launch).flatMap(undivided),
    fires: { "run.sh": start(8, "--tensor_model_parallel_size 3") },
    silent: { "run.sh": start(8, "--tensor_model_parallel_size 4 --pipeline_model_parallel_size 2") },
  }),
  rule({
    name: "swift-megatron-layers",
    source: "megatron/core/transformer/transformer_block.py: get_num_layers_to_build",
    why: "Every pipeline stage has as many layers as the others, unless the first or the last is given a number of its own.",
    fix: "Set --decoder_first_pipeline_num_layers or --decoder_last_pipeline_num_layers so that the others share what is left, or take a divisor of the layers.",
    check: (launch) => startedIn(launch).flatMap((started) => unevenIn(launch, started)),
    fires: { "run.sh": start(8, "--pipeline_model_parallel_size 4"), "config.json": model(46) },
    silent: { "run.sh": start(8, "--pipeline_model_parallel_size 2"), "config.json": model(46) },
  }),
];
