/** What `raw megatron { … }` says against what the stage, its family or the planner decides. */
import { families } from "../../../models/index.ts";
import type { Property } from "../../../models/family.ts";
import { routedOf } from "../../../models/routed.ts";
import type { StageStep } from "../../../pipeline.ts";
import { only, say, type Intent, type Subject } from "./intent.ts";
import { hasOtherWords } from "./other-words.ts";
import type { RawArgument } from "./raw.ts";

/** A raw value against one that follows from the stage. */
export interface Contradiction {
  readonly raw: RawArgument;
  readonly derived: Intent;
}

type Raw = ReadonlyMap<string, RawArgument>;

export function contradictionsOf(subject: Subject, intents: readonly Intent[], raw: Raw): readonly Contradiction[] {
  const decided = [...intents, ...absences(subject)].filter((intent) => !isUnread(intent, raw));
  return [
    ...decided.flatMap((derived) => {
      const other = raw.get(derived.dest);
      return other === undefined || isChoice(derived, other, subject.stage) || agrees(other, derived, raw)
        ? []
        : [{ raw: other, derived }];
    }),
    ...decided.flatMap((derived) => inOtherWords(derived, subject, raw)),
  ];
}

/** What is left out of a command line, and the plan counts on. */
function absences({ stage, plan: { model, layout } }: Subject): readonly Intent[] {
  const recompute = "layout.recompute";
  return [
    ...only(routedOf(families[model.family], model) === undefined, () => [
      { dest: "num_experts", value: null, from: "model.family" },
    ]),
    ...only(model.mla === undefined && model.heads > 0 && model.kv_heads === model.heads, () => [
      say("group_query_attention", false, "model.kv_heads"),
      say("num_query_groups", model.heads, "model.kv_heads"),
    ]),
    ...only(layout.recompute === "none" && stage.layout.given.has("recompute"), () => [
      { dest: "recompute_granularity", value: null, from: recompute },
      say("recompute_activations", false, recompute),
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
    return other !== undefined && isOff ? [{ raw: other, derived }] : [];
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
function isChoice({ from, open }: Intent, { value }: RawArgument, stage: StageStep): boolean {
  if (open === true || from === "engine" || from === "data" || from.includes(" ")) return true;
  const [group, ...rest] = from.split(".");
  const name = rest.join(".");
  if (group === "model")
    return !sizes.has(name) && !stage.model.given.has(name) && (value === null || !isFree(name, stage));
  return group === "schedule" && isUnwritten(stage);
}

/** The family leaves it to the file: what it is otherwise has a word there. */
function isFree(property: string, { model }: StageStep): boolean {
  const { defaults, fixed } = families[model.family.value];
  return property in defaults && fixed[property as Property] === undefined;
}

const isUnwritten = ({ schedule, span }: StageStep): boolean =>
  schedule.span.start === span.start && schedule.span.source === span.source;

/** What a model is as large as: its plan would be another one's. */
const sizes: ReadonlySet<string> = new Set([
  ...["family", "layers", "d_model", "d_ff", "heads", "kv_heads", "head_dim", "context", "pattern", "vocab"],
  ...[
    "moe.experts",
    "moe.top_k",
    "moe.d_ff",
    "mla.q_rank",
    "mla.kv_rank",
    "mla.nope_dim",
    "mla.rope_dim",
    "mla.v_dim",
  ],
]);

/** The same, or what has other words taken back. */
function agrees({ value }: RawArgument, { dest, value: derived }: Intent, raw: Raw): boolean {
  if (value === null && hasOtherWords(dest)) return true;
  // The language has no name for the others on this engine, and most of them leave to Adam what is no matrix.
  if (dest === "optimizer") return value === derived || value !== "sgd";
  // The engine lowers what does not divide to what does.
  if (dest === "global_batch_size" && raw.get("decrease_batch_size_if_needed")?.value === true) return true;
  if (dest === "hybrid_layer_pattern") return letters(value) === letters(derived);
  return JSON.stringify(value) === JSON.stringify(derived);
}

/** Layers alone: `|` and what follows `/` say where a pipeline is cut, and what predicts further tokens. */
function letters(pattern: unknown): string {
  return String(pattern).split("/")[0]?.replaceAll("|", "") ?? "";
}
