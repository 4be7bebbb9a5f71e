/** What `raw megatron { … }` says against what the stage, its family or the planner decides. */
import { families } from "../../../models/index.ts";
import { routedOf } from "../../../models/routed.ts";
import type { StageStep } from "../../../pipeline.ts";
import { readPipelineLayout } from "../pipeline-layout.ts";
import { rawWord } from "../raw-word.ts";
import { only, say, type Intent, type Subject } from "./intent.ts";
import { isHybrid } from "./model.ts";
import { hasOtherWords } from "./other-words.ts";
import type { RawArgument } from "./raw.ts";

/** A raw value against one that follows from the stage. */
export interface Contradiction {
  readonly raw: RawArgument;
  readonly derived: Intent;
  /** The language has no word for it: it runs, and the plan counts what stands in the stage. */
  readonly isWordless: boolean;
}

type Raw = ReadonlyMap<string, RawArgument>;

export function contradictionsOf(subject: Subject, intents: readonly Intent[], raw: Raw): readonly Contradiction[] {
  const decided = [...intents, ...absences(subject)].filter((intent) => !isUnread(intent, raw));
  return [
    ...decided.flatMap((derived) => {
      const other = raw.get(derived.dest);
      const isSame =
        other === undefined ||
        isChoice(derived, subject.stage) ||
        isDropped(other, subject) ||
        agrees(other, derived, raw);
      return isSame ? [] : [{ raw: other, derived, isWordless: isWordless(derived, other, subject) }];
    }),
    ...decided.flatMap((derived) => inOtherWords(derived, subject, raw)),
    ...chunked(subject, raw),
  ];
}

/** A layout of all stages says how many chunks a stage has, which the plan counts on. */
function chunked({ plan: { layout } }: Subject, raw: Raw): readonly Contradiction[] {
  const other = raw.get("pipeline_model_parallel_layout");
  const stages = typeof other?.value === "string" ? readPipelineLayout(other.value) : undefined;
  const { pipeline_parallel: ranks, virtual_pipeline: chunks } = layout;
  if (other === undefined || stages === undefined || stages.length === ranks * chunks) return [];
  const derived = say("num_virtual_stages_per_pipeline_rank", chunks, "layout.virtual_pipeline");
  return [{ raw: other, derived, isWordless: false }];
}

/** What is left out of a command line, and the plan counts on. */
function absences({ stage, plan: { model, layout } }: Subject): readonly Intent[] {
  const recompute = "layout.recompute";
  const { value: precision } = stage.precision;
  return [
    ...only(precision !== "fp8", () => [{ dest: "fp8", value: null, from: "precision" }]),
    ...only(precision !== "fp4", () => [{ dest: "fp4", value: null, from: "precision" }]),
    ...only(precision === "fp16" || precision === "fp32", () => [say("bf16", false, "precision")]),
    ...only(precision !== "fp16", () => [say("fp16", false, "precision")]),
    ...only(!model.gated, () => [say("swiglu", false, "model.gated")]),
    ...only(model.gated || model.activation !== "relu2", () => [say("squared_relu", false, "model.activation")]),
    ...only(model.mla === undefined, () => [say("multi_latent_attention", false, "model.family")]),
    ...only(model.positions !== "rope", () => [say("use_rotary_position_embeddings", false, "model.positions")]),
    ...only(routedOf(families[model.family], model) === undefined, () => [
      { dest: "num_experts", value: null, from: "model.family" },
    ]),
    ...only(model.mla === undefined && model.heads > 0 && model.kv_heads === model.heads, () => [
      say("group_query_attention", false, "model.kv_heads"),
      say("num_query_groups", model.heads, "model.kv_heads"),
    ]),
    ...only(!isHybrid(model), () => patterns.map((dest): Intent => ({ dest, value: null, from: "model.family" }))),
    ...resumption(stage),
    ...only(layout.recompute === "none" && stage.layout.given.has("recompute"), () => [
      { dest: "recompute_granularity", value: null, from: recompute },
      say("recompute_activations", false, recompute),
    ]),
  ];
}

/** The layers of a hybrid stack, by the names that releases had for them. */
const patterns = ["hybrid_layer_pattern", "hybrid_override_pattern"];

/** What would leave something out of a checkpoint, read another one or less of it (megatron/training/checkpointing.py: load_checkpoint). */
function resumption({ checkpoint, resume, from, rawMegatron }: StageStep): readonly Intent[] {
  if (checkpoint === null) return [{ dest: "save", value: null, from: "checkpoint" }];
  if (resume === "never") return [];
  const isOwnFirst = ["save", "pretrained_checkpoint"].every((name) => rawWord(rawMegatron, name) === undefined);
  return [
    say("finetune", false, "resume"),
    { dest: "ckpt_step", value: null, from: "resume" },
    { dest: "override_ckpt_iteration", value: null, from: "resume" },
    // Before the first save there is none.
    ...only(from === null && isOwnFirst, () => [say("exit_on_missing_checkpoint", false, "resume")]),
    ...only(resume === "exact", () => [
      say("no_save_optim", false, "resume"),
      say("no_save_rng", false, "resume"),
      say("no_load_optim", false, "resume"),
      say("no_load_rng", false, "resume"),
    ]),
  ];
}

/** Without rotary positions nothing reads how they turn. */
function isUnread({ dest }: Intent, raw: Raw): boolean {
  const positions = raw.get("position_embedding_type");
  return dest.startsWith("rotary_") && positions !== undefined && positions.value !== "rope";
}

/** A length and a warmup that the engine counts in other units: the stage's own would be left out without a word. */
function inOtherWords(derived: Intent, { stage, plan }: Subject, raw: Raw): readonly Contradiction[] {
  const { dest, value } = derived;
  const steps = Number(value);
  const found = (name: string, agreed: (said: number) => boolean): readonly Contradiction[] => {
    const other = raw.get(name);
    const isOff = typeof other?.value === "number" && !agreed(other.value);
    return other !== undefined && isOff ? [{ raw: other, derived, isWordless: false }] : [];
  };
  const isSteps = (samples: number): boolean => Math.abs(samples / plan.batch.global_batch - steps) < 1;
  if (dest === "train_iters") return found("train_samples", isSteps);
  const { warmup } = stage.schedule;
  // A schedule that says nothing of a warmup leaves it to the engine's words.
  if (dest !== "lr_warmup_iters" || warmup.value === 0 || isUnwritten(stage)) return [];
  return [
    ...found("lr_warmup_fraction", (share) =>
      warmup.unit === "fraction"
        ? Math.abs(share - warmup.value) < 1e-9
        : Math.abs(share * plan.total.steps - steps) < 1,
    ),
    ...found("lr_warmup_samples", isSteps),
  ];
}

/** What nobody asked for in the stage may be said otherwise in the engine's own words. */
function isChoice({ from, open }: Intent, stage: StageStep): boolean {
  if (open === true || from === "engine" || from === "data" || from.includes(" ")) return true;
  return from.startsWith("schedule") && isUnwritten(stage);
}

const isUnwritten = ({ schedule, span }: StageStep): boolean =>
  schedule.span.start === span.start && schedule.span.source === span.source;

/** `dropout` is what attention drops in most families; the stream may drop as much, and no more memory is taken than is counted. */
const isDropped = ({ argument, value }: RawArgument, { plan: { model } }: Subject): boolean =>
  argument.dest === "hidden_dropout" && (value ?? argument.default) === model.dropout;

/** The same, or what has other words taken back. */
function agrees({ value: said, argument }: RawArgument, { dest, value: derived }: Intent, raw: Raw): boolean {
  if (said === null && hasOtherWords(dest)) return true;
  // Taken back, the engine's own holds.
  const value = said ?? argument.default ?? null;
  if (dest === "optimizer" && value === "dist_muon") return derived === "muon";
  if (said === null && Array.isArray(derived) && derived.length === 1) return derived[0] === value;
  // The engine lowers what does not divide to what does.
  if (dest === "global_batch_size" && raw.get("decrease_batch_size_if_needed")?.value === true) return true;
  if (dest === "hybrid_layer_pattern") return letters(value) === letters(derived);
  // Every layer, one by one.
  if (dest === "moe_layer_freq" && derived === 1 && Array.isArray(value) && value.every((one) => one === 1))
    return true;
  return JSON.stringify(value) === JSON.stringify(derived);
}

/** Layers alone: `|` and what follows `/` say where a pipeline is cut, and what predicts further tokens. */
function letters(pattern: unknown): string {
  return String(pattern).split("/")[0]?.replaceAll("|", "") ?? "";
}

/** Values that properties have words for; of the others the engine alone knows. */
const worded: Readonly<Record<string, readonly unknown[]>> = {
  optimizer: ["adam", "sgd", "muon", "dist_muon"],
  position_embedding_type: ["rope", "learned_absolute", "none"],
  attention_backend: ["auto", "flash", "unfused"],
};

function isWordless({ dest, from }: Intent, { value }: RawArgument, { stage, plan }: Subject): boolean {
  const property = from.replace("model.", "");
  // A family may have experts, and no word for which of its layers have them.
  if (property.startsWith("moe.") && !(property in families[plan.model.family].defaults)) return true;
  const words = worded[dest];
  if (words !== undefined) return value !== null && !words.includes(value);
  switch (dest) {
    // Narrow products stand beside bf16 in the language.
    case "fp8":
    case "fp4":
      return stage.precision.value === "fp16" || stage.precision.value === "fp32";
    // One part of two with a dropout of its own.
    case "hidden_dropout":
    case "attention_dropout":
      return plan.model.dropout > 0;
    // Families with latent attention have experts too.
    case "multi_latent_attention":
      return plan.model.moe === undefined;
    case "window_size":
      return Array.isArray(value) && value[1] !== 0;
    case "moe_layer_freq":
      return Array.isArray(value) ? !/^0*1+$/.test(value.join("")) : value !== 1;
    case "moe_aux_loss_coeff":
      return Array.isArray(value) && value.length > 1;
    default:
      return false;
  }
}
