/** Adapters that are trained in place of the weights, under the names that programs give them. */
import { numberIn, switchIn, textIn, type Settings } from "../../foreign/settings.ts";
import { property, type Member } from "../draft.ts";
import { numeral, percent } from "../literals.ts";
import { unsaid } from "./answers.ts";
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

export function adaptersOf(settings: Settings): readonly Member[] {
  const kind = textIn(settings, "finetuning_type", "adapter", "tuner_type", "train_type", "sft_type");
  const rank = numberIn(settings, "lora_rank", "lora_r");
  const isAdapted = kind === null ? isOn(settings, "use_lora", "use_peft", "use_peft_lora") || rank !== null : /^q?lora$/.test(kind);
  if (!isAdapted) return [];
  const dropout = numberIn(settings, "lora_dropout") ?? 0;
  const targets = targetsIn(settings).map((one) => inTable(parts, one));
  const known = targets.length > 0 && targets.every((one) => one !== undefined);
  const isQuantized =
    kind === "qlora" || isOn(settings, "load_in_4bit", "use_qlora") || numberIn(settings, "quantization_bit", "quant_bits") === 4;
  const alpha = numberIn(settings, "lora_alpha");
  const open = [...(rank === null ? ["the rank"] : []), ...(alpha === null ? ["alpha"] : [])].join(" and ");
  const options = [
    `rank = ${rank ?? 8}`,
    `alpha = ${numeral(alpha ?? 2 * (rank ?? 8))}`,
    ...(dropout > 0 ? [`dropout = ${percent(dropout)}`] : []),
    ...(known ? [`targets = [${targets.join(", ")}]`] : []),
    ...(isQuantized ? ["quantized = true"] : []),
  ];
  return [property("adapters", `lora(${options.join(", ")})`, open === "" ? undefined : `${open}: ${unsaid}`)];
}

const isOn = (settings: Settings, ...names: readonly string[]): boolean => names.some((name) => switchIn(settings, name) === true);
