/** A launch of Megatron as the configuration of Megatron Bridge: the same plan, said in fields of its dataclasses. */
import { wordsFor } from "../print.ts";
import { readPipelineLayout } from "../pipeline-layout.ts";
import type { Launch, LoweredArgument } from "../lower/launch.ts";
import type { Argument } from "../table.ts";
import type { BridgeFields, Section, SectionName } from "./fields.ts";
import { at, places, type Values } from "./places.ts";

export interface Field {
  readonly name: string;
  readonly value: unknown;
  /** The property that it follows from, or a reason. */
  readonly from: string;
}

export interface ContainerSection {
  readonly name: string;
  readonly target: string;
  readonly fields: readonly Field[];
}

export interface Container {
  readonly sections: readonly ContainerSection[];
  /** Arguments that no field says. */
  readonly unplaced: readonly LoweredArgument[];
}

/** What Megatron's programs take without a word and Bridge takes otherwise. */
const usual: readonly string[] = [
  ...["bias_dropout_fusion", "masked_softmax_fusion", "apply_rope_fusion", "gradient_accumulation_fusion"],
  ...["cross_entropy_loss_fusion", "attention_softmax_in_fp32", "no_persist_layer_norm", "min_lr", "num_workers"],
  ...["reset_position_ids", "reset_attention_mask", "eod_mask_loss", "check_for_nan_in_loss_and_grad"],
  "accumulate_allreduce_grads_in_fp32",
];

const plain = ["train", "optimizer", "scheduler", "ddp", "logger", "tokenizer", "checkpoint", "dist", "rng"] as const;

export function containerOf(launch: Launch, { sections }: BridgeFields): Container {
  const values: Values = new Map(launch.arguments.map(({ dest, value }) => [dest, value]));
  const chosen = chosenSections(launch, values, sections);
  const filled = new Map([...chosen.keys()].map((name) => [name, new Map<string, Field>()]));
  const put = (path: string, value: unknown, from: string): boolean => {
    const [section = "", name = ""] = path.split(".");
    if (chosen.get(section)?.fields[name] === undefined) return false;
    filled.get(section)?.set(name, { name, value, from });
    return true;
  };
  const place = (dest: string, value: unknown, from: string): boolean => {
    const special = Object.hasOwn(places, dest) ? places[dest] : undefined;
    const placed =
      special?.(value, values) ?? [...chosen.keys()].map((section) => [`${section}.${dest}`, value] as const);
    const done = placed.map(([path, each]) => put(path, each, from));
    return done.includes(true) || (special !== undefined && placed.length === 0);
  };

  for (const [path, value] of typesOf(values)) put(path, value, "precision");
  for (const dest of usual)
    if (!values.has(dest)) place(dest, defaultOf(launch, dest), "what Megatron takes silently");
  const interleaved = values.has("num_virtual_stages_per_pipeline_rank") || saysChunks(values);
  put("model.overlap_p2p_comm", interleaved, "layout.virtual_pipeline");
  put("model.batch_p2p_comm", !interleaved, "layout.virtual_pipeline");
  const unplaced = launch.arguments.filter(({ dest, value, from }) => {
    const isSilent = value === null || value === undefined || isUsual(launch, dest, value);
    return !place(dest, value, from) && !isSilent;
  });
  return {
    sections: [...chosen].map(([name, { target }]) => ({
      name,
      target,
      fields: [...(filled.get(name)?.values() ?? [])],
    })),
    unplaced,
  };
}

function chosenSections(
  launch: Launch,
  values: Values,
  sections: BridgeFields["sections"],
): ReadonlyMap<string, Section> {
  const model: SectionName =
    launch.entry === "hybrid" ? "hybrid" : values.get("multi_latent_attention") === true ? "mla" : "gpt";
  const isNarrow = values.get("bf16") === true || values.get("fp16") === true;
  return new Map<string, Section>([
    ["model", sections[model]],
    ...plain.map((name) => [name, sections[name]] as const),
    ["dataset", sections[values.get("mock_data") === true ? "mock" : "dataset"]],
    ...(isNarrow ? [["mixed_precision", sections.mixed_precision] as const] : []),
  ]);
}

/** Types that Megatron works out from its switches. */
function typesOf(values: Values): readonly (readonly [string, unknown])[] {
  const name = values.get("bf16") === true ? "bfloat16" : values.get("fp16") === true ? "float16" : "float32";
  const type = at(`torch.${name}`);
  return ["model", "optimizer", "mixed_precision"].flatMap((section) => [
    [`${section}.params_dtype`, type] as const,
    [`${section}.pipeline_dtype`, type] as const,
    [`${section}.bf16`, values.get("bf16") === true] as const,
    [`${section}.fp16`, values.get("fp16") === true] as const,
  ]);
}

function argumentOf({ table }: Launch, dest: string): Argument | undefined {
  return table.byDest.get(dest)?.[0];
}

function defaultOf(launch: Launch, dest: string): unknown {
  const argument = argumentOf(launch, dest);
  return (
    argument?.default ?? (argument?.action === "store_false" ? true : argument?.action === undefined ? null : false)
  );
}

/** A switch that is not turned has nothing to say. */
function isUsual(launch: Launch, dest: string, value: unknown): boolean {
  return typeof value === "boolean" && wordsFor(dest, value, launch.table).length === 0;
}

/** Has a layout of all stages more of them than there are ranks? */
function saysChunks(values: ReadonlyMap<string, unknown>): boolean {
  const said = values.get("pipeline_model_parallel_layout");
  const stages = typeof said === "string" ? readPipelineLayout(said) : undefined;
  return stages !== undefined && stages.length > Number(values.get("pipeline_model_parallel_size") ?? 1);
}
