/** A training under the Trainer's names as members of a `stage`. */
import type { Launch } from "../../foreign/launch.ts";
import { numberIn, switchIn, textIn, type Settings } from "../../foreign/settings.ts";
import { block, property, when, type Member } from "../draft.ts";
import { numeral, percent, quantity } from "../literals.ts";
import { adaptersOf } from "./adapters.ts";
import { isLlamaFactory } from "./programs.ts";
import { answersOf, mapped, type Fact } from "./answers.ts";
import type { Facts } from "./facts.ts";
import type { Periods } from "./periods.ts";
import type { Zero } from "./zero.ts";

export interface Parts {
  readonly facts: Facts;
  readonly zero: Zero;
  readonly context: Fact<number> | null;
  readonly periods: Periods;
}

export function trainerStage(launch: Launch, settings: Settings, { facts, zero, context, periods }: Parts): readonly Member[] {
  const { length, optimizer, micro, batch, precision, clip } = facts;
  const { fact, settings: asked } = answersOf(settings, null);
  // What no file says of these is the Trainer's where there is one, and up to the program where there is none.
  const isTrainer = launch.trainer !== null;
  const unsplit = fact(() => "1", isTrainer);
  return [
    property("model", "network"),
    property("data", "corpus"),
    ...adaptersOf(launch, settings),
    property("engine", zero.over === undefined ? zero.engine : `torch(shard_over = ${zero.over})`, facts.undivided),
    ...(context === null ? [] : [stated("context", mapped(context, (tokens) => quantity(tokens, "tokens")))]),
    stated("length", mapped(length, ({ value, unit }) => quantity(value, unit))),
    stated("batch", mapped(batch, (samples) => quantity(samples, "samples"))),
    optimizerMember(optimizer),
    scheduleMember(facts),
    stated("clip", mapped(clip, (most) => (most === 0 ? "none" : numeral(most)))),
    stated("precision", precision),
    ...attentionOf(settings),
    ...when(switchIn(settings, "torch_compile") === true, property("compile", "true")),
    ...when(numberIn(settings, "seed") !== null, property("seed", numeral(numberIn(settings, "seed") ?? 42))),
    ...trackers(settings),
    block("layout", [
      stated("micro_batch", mapped(micro, (samples) => quantity(samples, "samples"))),
      ...when(zero.engine === "deepspeed" || zero.stage > 0, property("zero_stage", numeral(zero.stage), zero.guessed)),
      ...when(zero.engine === "deepspeed", property("offload", zero.offload, zero.guessed)),
      ...splits(facts, zero.engine, unsplit),
      stated("recompute", fact(() => (isRecomputed(launch, asked) ? "full" : "none"), isTrainer)),
    ]),
    ...periods.members,
  ];
}

/** Names of implementations, in transformers' words and LLaMA-Factory's (llamafactory/extras/constants.py: AttentionFunction). */
const attentions: readonly (readonly [RegExp, string])[] = [
  [/flash|^fa\d$/, "flash"],
  [/^sdpa$/, "sdpa"],
  [/^(?:eager|disabled)$/, "eager"],
];

function attentionOf(settings: Settings): readonly Member[] {
  const said = textIn(settings, "attn_implementation", "flash_attn") ?? "";
  const asked = ["flash", "sdp", "eager"].find((name) => switchIn(settings, `${name}_attention`, `use_${name}_attn`) === true);
  const named = asked === "sdp" ? "sdpa" : asked;
  const found = attentions.find(([shape]) => shape.test(said))?.[1] ?? named;
  return found === undefined ? [] : [property("attention", found)];
}

const stated = (name: string, { value, guessed }: Fact<string>): Member => property(name, value, guessed);

/** What these launches do not split, the planner might. */
function splits({ sequence }: Facts, engine: string, unsplit: Fact<string>): readonly Member[] {
  const context = sequence > 1 ? property("context_parallel", numeral(sequence)) : stated("context_parallel", unsplit);
  if (engine === "deepspeed")
    return [context, stated("pipeline_parallel", unsplit), stated("expert_parallel", unsplit)];
  return sequence > 1 ? [context] : [];
}

function optimizerMember({ lr, betas, eps, decay }: Facts["optimizer"]): Member {
  const options: readonly (readonly [name: string, fact: Fact<string>])[] = [
    ["lr", mapped(lr, numeral)],
    ["betas", mapped(betas, (pair) => `[${pair.map(numeral).join(", ")}]`)],
    ["eps", mapped(eps, numeral)],
    ["weight_decay", mapped(decay, numeral)],
  ];
  const text = `adamw(${options.map(([name, { value }]) => `${name} = ${value}`).join(", ")})`;
  const open = options.filter(([, { guessed }]) => guessed !== undefined);
  const [first] = open;
  if (first === undefined) return property("optimizer", text);
  if (open.length === options.length) return property("optimizer", text, first[1].guessed);
  const names = open.map(([name]) => (name === "lr" ? "the rate" : name)).join(", ");
  return property("optimizer", text, `${names}: ${first[1].guessed ?? ""}`);
}

function scheduleMember({ schedule: { value: { name, warmup, cooldown, to, why }, guessed }, length }: Facts): Member {
  const steps = length.value.unit === "steps" ? length.value.value : Infinity;
  const fits = warmup === null || warmup.endsWith("%") || Number.parseInt(warmup, 10) < steps;
  const options = [
    ...(warmup !== null && fits ? [`warmup = ${warmup.replace(/^(\d+)/, (digits) => numeral(Number(digits)))}`] : []),
    ...(cooldown === undefined ? [] : [`cooldown = ${numeral(cooldown)} steps`]),
    ...(to !== null && to > 0 && to <= 1 && !unending.has(name) ? [`to = ${percent(to)}`] : []),
  ];
  return property("schedule", options.length === 0 ? name : `${name}(${options.join(", ")})`, fits ? (why ?? guessed) : "the warm-up was longer than the run");
}

/** Schedules of the language that end where they end. */
const unending: ReadonlySet<string> = new Set(["constant", "inverse_sqrt"]);

export const recomputing = [
  ...["gradient_checkpointing", "use_gradient_checkpointing", "fsdp_activation_checkpointing"],
  ...["fsdp_config.fsdp_activation_checkpointing", "fsdp_config.activation_checkpointing"],
];

/** Axolotl's other words for it; two of them move what is kept (axolotl/utils/schemas/config.py: gradient_checkpointing). */
const recomputes = /^(?:unsloth|offload(?:_disk)?)$/;

function isRecomputed(launch: Launch, settings: Settings): boolean {
  // llamafactory/model/model_utils/checkpointing.py: prepare_model_for_training
  if (isLlamaFactory(launch, settings)) return switchIn(settings, "disable_gradient_checkpointing") !== true;
  return recomputing.some((name) => switchIn(settings, name) === true || recomputes.test(textIn(settings, name) ?? ""));
}

function trackers(settings: Settings): readonly Member[] {
  const to = (textIn(settings, "report_to") ?? "").replaceAll(/[[\]"' ]/g, "").split(",");
  const wandb = textIn(settings, "wandb_project");
  const known = [
    ...(to.includes("tensorboard") || switchIn(settings, "use_tensorboard") === true ? ["tensorboard"] : []),
    ...(to.includes("wandb") || (wandb !== null && wandb !== "") ? ["wandb"] : []),
  ];
  return when(known.length > 0, property("track", `[console, ${known.join(", ")}]`));
}
