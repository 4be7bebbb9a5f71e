/** Layers over pipeline stages: hybrid patterns, virtual stages, layouts. */
import { hybridPatternFault, layerLetters, readHybridPattern } from "../hybrid-pattern.ts";
import type { Arguments } from "../launch.ts";
import { pipelineLayoutFault, readPipelineLayout } from "../pipeline-layout.ts";
import { rulesOf, settle, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");
const patterns = rulesOf(
  "megatron/core/models/hybrid/hybrid_layer_allocation.py: _validate_pattern, parse_hybrid_pattern",
);
const layouts = rulesOf("megatron/core/transformer/pipeline_parallel_layer_layout.py: validate_layer_layout");

/** What a pattern with its own stages leaves nothing to say about. */
const saidByPattern = [
  ["num_layers_per_virtual_pipeline_stage", "--num-layers-per-virtual-pipeline-stage", "1"],
  ["num_virtual_stages_per_pipeline_rank", "--num-virtual-stages-per-pipeline-rank", "2"],
  ["pipeline_model_parallel_layout", "--pipeline-model-parallel-layout", "Et*12L"],
  ["account_for_embedding_in_pipeline_split", "--account-for-embedding-in-pipeline-split", ""],
  ["account_for_loss_in_pipeline_split", "--account-for-loss-in-pipeline-split", ""],
] as const;

export const hybrid: readonly Step[] = [
  ban("hybrid-two-patterns", {
    about: ["hybrid_override_pattern", "hybrid_layer_pattern"],
    when: (a) => a.hybrid_override_pattern !== null && a.hybrid_layer_pattern !== null,
    says: "--hybrid-override-pattern is the old name of --hybrid-layer-pattern, which is given too",
    why: "Both describe the layers, the first under its old name, and the engine does not guess which one is meant.",
    fix: "Leave --hybrid-override-pattern out.",
    base: "hybrid",
    fires: "--hybrid-override-pattern M-M-",
    silent: "",
  }),
  settle(["hybrid_layer_pattern", "mtp_hybrid_override_pattern"], (a) => {
    a.hybrid_layer_pattern ??= a.hybrid_override_pattern;
    const predictions = a.mtp_num_layers ?? 0;
    if (a.mtp_hybrid_override_pattern === null || predictions < 1 || a.hybrid_layer_pattern?.includes("/") === true)
      return;
    a.hybrid_layer_pattern = `${a.hybrid_layer_pattern ?? ""}${`/${a.mtp_hybrid_override_pattern}`.repeat(predictions)}`;
    a.mtp_hybrid_override_pattern = null;
  }),
  patterns.demand("hybrid-pattern", {
    about: ["hybrid_layer_pattern"],
    check: (a) => {
      const fault = a.hybrid_layer_pattern === null ? null : hybridPatternFault(a.hybrid_layer_pattern);
      return fault === null ? null : `--hybrid-layer-pattern ${a.hybrid_layer_pattern}: ${fault}`;
    },
    valid: () => Object.entries(layerLetters).map(([letter, name]) => `${letter} (${name})`),
    why: "One letter builds one layer, | ends a pipeline segment, and / begins a depth of multi-token prediction; all depths are alike.",
    fix: "Write the pattern in the letters of `valid`, with one | between segments and equal patterns after each /.",
    base: "hybrid",
    fires: "--hybrid-layer-pattern M-M-X",
    silent: "--hybrid-layer-pattern M-M-*-",
  }),
  settle(["num_layers"], (a) => {
    if (a.hybrid_layer_pattern !== null) a.num_layers = readHybridPattern(a.hybrid_layer_pattern).layers;
  }),
  ban("hybrid-uneven-and-pipes", {
    about: ["decoder_first_pipeline_num_layers", "decoder_last_pipeline_num_layers", "hybrid_layer_pattern"],
    when: (a) =>
      a.hybrid_layer_pattern !== null &&
      readHybridPattern(a.hybrid_layer_pattern).piped &&
      (a.decoder_first_pipeline_num_layers !== null || a.decoder_last_pipeline_num_layers !== null),
    says: "the | of --hybrid-layer-pattern already splits the stages: leave --decoder-first/last-pipeline-num-layers out",
    why: "A | ends a stage, and the two options set the same thing again, perhaps differently.",
    fix: "Move the | of the pattern to where the stages should end and leave --decoder-first-pipeline-num-layers and --decoder-last-pipeline-num-layers out; or write a pattern without |.",
    base: "hybrid",
    fires: "--hybrid-layer-pattern M-M-|M-M- --pipeline-model-parallel-size 2 --decoder-first-pipeline-num-layers 3",
    silent: "--hybrid-layer-pattern M-M-|M-M- --pipeline-model-parallel-size 2",
  }),
  ...saidByPattern.map(([name, flag, value]) =>
    ban(`hybrid-${flag.slice(2)}`, {
      about: [name, "hybrid_layer_pattern"],
      when: (a) => a.hybrid_layer_pattern !== null && a[name] !== null && a[name] !== false,
      says: `${flag} cannot be combined with --hybrid-layer-pattern, in which | ends the stages`,
      why: "In a hybrid pattern | ends the stages, and another option that splits the pipeline would contradict it.",
      fix: `Leave ${flag} out and write a | where each stage ends, virtual ones included: the number of segments is a multiple of --pipeline-model-parallel-size.`,
      base: "hybrid",
      fires: `${flag} ${value}`,
      silent: "--hybrid-layer-pattern M-M-|M-M-|M-M-|M-M- --pipeline-model-parallel-size 2",
    }),
  ),
  demand("hybrid-segments", {
    about: ["hybrid_layer_pattern", "pipeline_model_parallel_size"],
    check: (a) => {
      if (a.hybrid_layer_pattern === null) return null;
      const { segments, piped } = readHybridPattern(a.hybrid_layer_pattern);
      if (!piped || segments % a.pipeline_model_parallel_size === 0) return null;
      return `${segments} segments of --hybrid-layer-pattern are not a multiple of pipeline parallelism ${a.pipeline_model_parallel_size}`;
    },
    why: "Segments are assigned to the pipeline ranks in turn, the same number to each. With a remainder some rank would have one stage fewer than the schedule expects.",
    fix: "Write a number of segments (| + 1) that is a multiple of --pipeline-model-parallel-size.",
    base: "hybrid",
    fires: "--hybrid-layer-pattern M-|M-|M- --pipeline-model-parallel-size 2",
    silent: "--hybrid-layer-pattern M-|M-|M-|M- --pipeline-model-parallel-size 2",
  }),
  settle(["virtual_pipeline_model_parallel_size", "mtp_num_layers", "multi_latent_attention"], (a) => {
    a.virtual_pipeline_model_parallel_size = null;
    if (a.hybrid_layer_pattern === null) return;
    const { segments, depths, letters } = readHybridPattern(a.hybrid_layer_pattern);
    if (segments > a.pipeline_model_parallel_size)
      a.virtual_pipeline_model_parallel_size = Math.floor(segments / a.pipeline_model_parallel_size);
    if (depths > 0) a.mtp_num_layers = depths;
    if (letters.has("+") || letters.has("D")) a.multi_latent_attention = true;
  }),
  demand("prediction-positions", {
    about: ["position_embedding_type", "mtp_num_layers"],
    check: (a) =>
      a.mtp_num_layers !== null && a.mtp_num_layers !== 0 && !["rope", "none"].includes(a.position_embedding_type)
        ? `multi-token prediction needs position embeddings rope or none, not ${a.position_embedding_type}`
        : null,
    valid: () => ["rope", "none"],
    why: "A prediction depth reads shifted tokens, for which learned positions do not exist.",
    fix: "Give --position-embedding-type rope or none, or leave --mtp-num-layers out.",
    fires: "--mtp-num-layers 1",
    silent: "--mtp-num-layers 1 --position-embedding-type rope",
  }),
];

/** Layers to spread over stages, with the tables that may count as layers. */
function counted(a: Arguments): number | null {
  const layers = a.num_layers ?? a.decoder_num_layers;
  if (layers === null) return null;
  return layers + Number(a.account_for_embedding_in_pipeline_split) + Number(a.account_for_loss_in_pipeline_split);
}

const isUneven = (a: Arguments): boolean =>
  a.decoder_first_pipeline_num_layers !== null || a.decoder_last_pipeline_num_layers !== null;

export const pipeline: readonly Step[] = [
  demand("virtual-stages-once", {
    about: [
      "num_virtual_stages_per_pipeline_rank",
      "num_layers_per_virtual_pipeline_stage",
      "pipeline_model_parallel_layout",
    ],
    check: (a) => {
      const given = [
        a.num_layers_per_virtual_pipeline_stage === null ? null : "--num-layers-per-virtual-pipeline-stage",
        a.num_virtual_stages_per_pipeline_rank === null ? null : "--num-virtual-stages-per-pipeline-rank",
        a.pipeline_model_parallel_layout === null ? null : "--pipeline-model-parallel-layout",
      ].filter((each) => each !== null);
      return given.length > 1 ? `${given.join(" and ")} each set the split of the pipeline` : null;
    },
    why: "The number of chunks per rank follows from any one of them, and a second could contradict the first.",
    fix: "Keep one of --num-layers-per-virtual-pipeline-stage, --num-virtual-stages-per-pipeline-rank and --pipeline-model-parallel-layout.",
    fires:
      "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 2 --num-virtual-stages-per-pipeline-rank 3",
    silent: "--pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 3",
  }),
  layouts.demand("pipeline-layout", {
    about: ["pipeline_model_parallel_layout", "num_layers", "pipeline_model_parallel_size"],
    check: (a) => {
      if (a.pipeline_model_parallel_layout === null) return null;
      const stages = readPipelineLayout(a.pipeline_model_parallel_layout);
      const fault =
        stages === undefined
          ? "it repeats more layers than any model has"
          : pipelineLayoutFault(stages, {
              layers: a.num_layers,
              predictions: a.mtp_num_layers,
              pipeline: a.pipeline_model_parallel_size,
            });
      return fault === null ? null : `--pipeline-model-parallel-layout: ${fault}`;
    },
    why: "A layout names every layer once and in order: E, then t for each decoder layer, m for each prediction layer, L at the end, with | between the stages of all ranks and chunks.",
    fix: "Correct the layout: one E, as many t as --num-layers, as many m as --mtp-num-layers, one L, and stages in a multiple of --pipeline-model-parallel-size.",
    fires: "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout Et*5|t*6L",
    silent: "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout Et*6|t*6L",
  }),
  ban("virtual-stages-uneven", {
    about: ["num_layers_per_virtual_pipeline_stage", "decoder_first_pipeline_num_layers"],
    when: (a) =>
      a.pipeline_model_parallel_layout === null && a.num_layers_per_virtual_pipeline_stage !== null && isUneven(a),
    says: "with uneven first or last stages write --num-virtual-stages-per-pipeline-rank, not --num-layers-per-virtual-pipeline-stage",
    why: "Stages of different depth cannot have chunks of one depth: only the number of chunks is common.",
    fix: "Write --num-virtual-stages-per-pipeline-rank N instead of --num-layers-per-virtual-pipeline-stage.",
    fires:
      "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 2 --decoder-first-pipeline-num-layers 4",
    silent: "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 2",
  }),
  demand("layers-per-stage", {
    about: ["num_layers", "pipeline_model_parallel_size"],
    check: (a) => {
      const layers = counted(a);
      if (a.pipeline_model_parallel_layout !== null || a.hybrid_layer_pattern !== null || isUneven(a)) return null;
      if (
        a.num_layers_per_virtual_pipeline_stage === null &&
        (a.num_virtual_stages_per_pipeline_rank !== null || a.num_layers === null)
      )
        return null;
      if (layers === null || a.pipeline_model_parallel_size < 1 || layers % a.pipeline_model_parallel_size === 0)
        return null;
      const tables = layers === (a.num_layers ?? a.decoder_num_layers) ? "" : " (tables counted)";
      return `${layers} layers${tables} cannot be divided evenly into ${a.pipeline_model_parallel_size} pipeline stages`;
    },
    valid: (a) => [...Array(65).keys()].filter((stages) => stages > 0 && (counted(a) ?? 1) % stages === 0),
    why: "Stages have the same number of layers unless --decoder-first/last-pipeline-num-layers or --pipeline-model-parallel-layout say otherwise.",
    fix: "Choose a pipeline size that divides the layers (`valid` lists them) or a number of layers that is a multiple of it, or set the depth of the ends with --decoder-first-pipeline-num-layers and --decoder-last-pipeline-num-layers.",
    fires: "--num-layers 13 --pipeline-model-parallel-size 2",
    silent: "--num-layers 14 --pipeline-model-parallel-size 2",
  }),
  demand("layers-per-chunk", {
    about: ["num_layers_per_virtual_pipeline_stage", "num_layers", "pipeline_model_parallel_size"],
    check: (a) => {
      const [layers, chunk] = [counted(a), a.num_layers_per_virtual_pipeline_stage];
      if (chunk === null || layers === null || a.pipeline_model_parallel_layout !== null || isUneven(a)) return null;
      const stage = Math.floor(layers / a.pipeline_model_parallel_size);
      return chunk > 0 && stage % chunk === 0
        ? null
        : `${stage} layers per stage cannot be divided evenly into chunks of ${chunk}`;
    },
    why: "An interleaved schedule gives each rank several chunks of equal depth. With a remainder the layers of a stage do not fill them.",
    fix: "Set --num-layers-per-virtual-pipeline-stage to a divisor of the layers per stage: --num-layers / --pipeline-model-parallel-size.",
    fires: "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 4",
    silent: "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3",
  }),
  settle(["virtual_pipeline_model_parallel_size"], (a) => {
    const ranks = a.pipeline_model_parallel_size;
    const chunk = a.num_layers_per_virtual_pipeline_stage;
    let chunks: number | null = a.virtual_pipeline_model_parallel_size;
    if (a.pipeline_model_parallel_layout !== null)
      chunks = Math.floor((readPipelineLayout(a.pipeline_model_parallel_layout)?.length ?? 1) / ranks);
    else if (a.num_virtual_stages_per_pipeline_rank !== null) chunks = a.num_virtual_stages_per_pipeline_rank;
    else if (chunk !== null && chunk > 0) chunks = Math.floor(Math.floor((counted(a) ?? 0) / ranks) / chunk);
    else if (a.hybrid_layer_pattern === null) chunks = null;
    a.virtual_pipeline_model_parallel_size = chunks === 1 ? null : chunks;
  }),
  demand("interleaved-ranks", {
    about: ["pipeline_model_parallel_size", "num_layers_per_virtual_pipeline_stage", "overlap_p2p_comm"],
    check: (a) => {
      if (a.virtual_pipeline_model_parallel_size === null) return null;
      const least = a.overlap_p2p_comm ? 2 : 3;
      return a.pipeline_model_parallel_size >= least
        ? null
        : `an interleaved pipeline${a.overlap_p2p_comm ? "" : " without overlapped transfers"} needs at least ${least} stages, not ${a.pipeline_model_parallel_size}`;
    },
    why: "Chunks travel around the ranks. Without overlapping, two ranks would post several sends and receives to each other at once.",
    fix: "Give --pipeline-model-parallel-size 2 or more (3 with --no-overlap-p2p-communication), or leave the virtual stages out.",
    fires: "--num-layers-per-virtual-pipeline-stage 2",
    silent: "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 2",
  }),
  settle(["overlap_p2p_comm", "align_param_gather"], (a) => {
    if (a.virtual_pipeline_model_parallel_size === null) a.overlap_p2p_comm = a.align_param_gather = false;
  }),
];
