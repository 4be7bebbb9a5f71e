/** What arguments in `raw megatron { … }` make of a layout: which layers run forward again, and over how many ranks an expert is cut. */
import { modules, repeated } from "../../planner/details.ts";
import type { Layout } from "../../planner/physics/layout.ts";
import type { StageStep } from "../../pipeline.ts";
import { readPipelineLayout } from "./pipeline-layout.ts";
import { rawWord } from "./raw-word.ts";

type Raw = StageStep["rawMegatron"];

/** `full` and `selective` as the engine's own words say them, `null` where they do not. */
export function rawRecompute(raw: Raw): "full" | "selective" | null {
  const granularity = rawWord(raw, "recompute_granularity");
  if (granularity === "full" || granularity === "selective") return granularity;
  return rawWord(raw, "recompute_activations") === true ? "selective" : null;
}

export function rawExpertRanks(raw: Raw): number | null {
  const ranks = rawWord(raw, "expert_tensor_parallel_size");
  return typeof ranks === "number" && ranks >= 1 ? ranks : null;
}

export function cutInWords(raw: Raw): boolean {
  return pipelineWords.some((name) => rawWord(raw, name) !== undefined);
}

const pipelineWords: readonly string[] = [
  ...["pipeline_model_parallel_layout", "num_layers_per_virtual_pipeline_stage"],
  ...["num_virtual_stages_per_pipeline_rank", "microbatch_group_size_per_vp_stage"],
  ...["decoder_first_pipeline_num_layers", "decoder_last_pipeline_num_layers"],
  ...["account_for_embedding_in_pipeline_split", "account_for_loss_in_pipeline_split"],
];

/** `layers` of the whole model. */
export function relaid(layout: Layout, raw: Raw, layers: number): Layout {
  const recompute = rawRecompute(raw) ?? layout.recompute;
  return {
    ...layout,
    recompute,
    ...dealt(layout, raw, layers),
    ...(recompute === "selective" ? selected(raw) : {}),
    ...(recompute === "full" ? partly(layout, raw, layers) : {}),
  };
}

const read = new WeakMap<Raw, readonly number[] | null>();

/** Layers of each stage as a layout of all stages says them; `null` where none does. */
export function rawPieces(raw: Raw): readonly number[] | null {
  let pieces = read.get(raw);
  if (pieces === undefined) {
    const said = rawWord(raw, "pipeline_model_parallel_layout");
    const stages = typeof said === "string" ? readPipelineLayout(said) : undefined;
    pieces = stages?.map((stage) => [...stage].filter((letter) => letter === "t").length) ?? null;
    read.set(raw, pieces);
  }
  return pieces;
}

/** A layout of other sizes is refused. */
function dealt({ pipeline, chunks }: Layout, raw: Raw, layers: number): Pick<Layout, "pieces"> {
  const pieces = rawPieces(raw);
  if (pieces === null || pieces.length !== pipeline * chunks) return {};
  return pieces.reduce((sum, each) => sum + each, 0) === layers ? { pieces } : {};
}

function selected(raw: Raw): Pick<Layout, "modules"> {
  const said = rawWord(raw, "recompute_modules");
  const named = typeof said === "string" ? said.split(/\s+/) : Array.isArray(said) ? said : null;
  return named === null ? {} : { modules: modules.filter((module) => named.includes(module)) };
}

/** `uniform` keeps the input of so many layers at a time; `block` runs so many of each chunk of a stage again and keeps the others. */
function partly(layout: Layout, raw: Raw, layers: number): Pick<Layout, "share" | "unit"> {
  const count = rawWord(raw, "recompute_num_layers");
  if (typeof count !== "number" || count < 1) return {};
  const isBlock = rawWord(raw, "recompute_method") === "block";
  return repeated(isBlock ? { block: count } : { uniform: count }, layers, layout);
}
