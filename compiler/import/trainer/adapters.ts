/** Adapters that are trained in place of the weights, under the names that programs give them. */
import { numberIn, switchIn, textIn, type Settings } from "../../foreign/settings.ts";
import { property, type Member } from "../draft.ts";
import { numeral, percent } from "../literals.ts";
import { unsaid } from "./answers.ts";
import { isLlamaFactory } from "./programs.ts";
import type { Launch } from "../../foreign/launch.ts";
import { inTable } from "../../../dsl/in-table.ts";

const parts: Readonly<Record<string, string>> = {
  q_proj: "q",
  k_proj: "k",
  v_proj: "v",
  o_proj: "o",
  gate_proj: "gate",
  up_proj: "up",
  down_proj: "down",
  all: "all",
  "all-linear": "all",
};

export const isPart = (name: string): boolean => Object.hasOwn(parts, name);

/** Matrices that get an adapter, under the names that programs give them; none where no file says. */
export const targetsIn = (settings: Settings): readonly string[] =>
  (textIn(settings, "lora_target", "target_modules", "lora_target_modules") ?? "")
    .split(/[\s,[\]"']+/)
    .filter((name) => name !== "");

/** What kind of training the files name; `null` where none does. */
export const tuningOf = (settings: Settings): string | null =>
  textIn(settings, "finetuning_type", "adapter", "tuner_type", "train_type", "sft_type");

interface Usual {
  readonly rank: number;
  readonly alpha: (rank: number) => number;
  readonly targets: readonly string[];
  /** Whether these are the program's own, and no guess. */
  readonly isKnown: boolean;
}

/** llamafactory/hparams/finetuning_args.py: LoraArguments */
const llamaFactorys: Usual = { rank: 8, alpha: (rank) => 2 * rank, targets: ["all"], isKnown: true };

/** peft/utils/constants.py: TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING has these for nearly all of the families here. */
const others: Usual = { rank: 8, alpha: (rank) => 2 * rank, targets: ["q", "v"], isKnown: false };

export function adaptersOf(launch: Launch, settings: Settings): readonly Member[] {
  const isOwn = isLlamaFactory(launch, settings);
  const kind = tuningOf(settings) ?? (isOwn ? "lora" : null);
  const said = numberIn(settings, "lora_rank", "lora_r");
  const isAdapted = kind === null ? isOn(settings, "use_lora", "use_peft", "use_peft_lora") || said !== null : /^q?lora$/.test(kind);
  if (!isAdapted) return [];
  const usual = isOwn ? llamaFactorys : others;
  const dropout = numberIn(settings, "lora_dropout") ?? 0;
  const named = targetsIn(settings).map((one) => inTable(parts, one));
  const known = named.length > 0 && named.every((one) => one !== undefined);
  const isAll = switchIn(settings, "lora_target_linear") === true;
  const isQuantized =
    kind === "qlora" || isOn(settings, "load_in_4bit", "use_qlora") || numberIn(settings, "quantization_bit", "quant_bits") === 4;
  const alpha = numberIn(settings, "lora_alpha");
  const rank = said ?? usual.rank;
  const targets = isAll ? ["all"] : known ? named : usual.targets;
  const open = usual.isKnown
    ? []
    : [
        ...(said === null ? ["the rank"] : []),
        ...(alpha === null ? ["alpha"] : []),
        ...(isAll || named.length > 0 ? [] : ["the targets"]),
      ];
  const options = [
    `rank = ${rank}`,
    `alpha = ${numeral(alpha ?? usual.alpha(rank))}`,
    ...(dropout > 0 ? [`dropout = ${percent(dropout)}`] : []),
    `targets = [${targets.join(", ")}]`,
    ...(isQuantized ? ["quantized = true"] : []),
  ];
  return [property("adapters", `lora(${options.join(", ")})`, open.length === 0 ? undefined : `${listed(open)}: ${unsaid}`)];
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

const isOn = (settings: Settings, ...names: readonly string[]): boolean => names.some((name) => switchIn(settings, name) === true);
