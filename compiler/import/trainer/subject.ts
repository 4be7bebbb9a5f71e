/** The model and the data of a training, as far as files name them. */
import { documentsOf, type Launch } from "../../foreign/launch.ts";
import { foundBeside } from "../../foreign/beside.ts";
import { readJson } from "../../foreign/documents/json.ts";
import { at, numberAt, scalarOf, type Located } from "../../foreign/documents/located.ts";
import { numberIn, textIn, toldIn, type Settings } from "../../foreign/settings.ts";
import { textOf } from "../../foreign/shell/text.ts";
import type { DocumentKind } from "../../foreign/documents/kinds.ts";
import { families } from "../../models/index.ts";
import { block, property, when, type Block, type Member } from "../draft.ts";
import { numeral, percent, quantity, quoted } from "../literals.ts";
import { datasetsOf } from "./datasets.ts";
import type { Fact } from "./answers.ts";
import { namedPlace, writtenPlace, type NamedPlace } from "./named-place.ts";
import { presetContext, presetNames } from "./presets.ts";
import { inTable } from "../../../dsl/in-table.ts";

export interface Subject {
  readonly blocks: readonly Block[];
  /** Names of `std/models`. */
  readonly models: readonly string[];
  /** Tokens of a sample; `null` where they are as many as the model takes. */
  readonly context: Fact<number> | null;
  /** Whether its sizes are those of the files, and no guess. */
  readonly isSized: boolean;
}

/** Tokens of one sample, under the names that programs give them. */
export function contextOf(settings: Settings): number | null {
  return numberIn(
    settings,
    ...["cutoff_len", "sequence_len", "max_seq_length", "max_seq_len", "max_length", "model_max_length", "block_size", "seq_length"],
  );
}

/** `least`: the tokens that the run must have for what the files say of its length, where it is said in epochs. */
export function subjectOf(launch: Launch, settings: Settings, least: number | null, sharing = 1): Subject {
  const name = placeIn(launch, settings, "model_name_or_path", "base_model", "model_name", "model", "pretrained_model_name_or_path");
  const context = contextOf(settings);
  const config = documentsOf(launch, "model")[0]?.root ?? name?.config;
  const model = modelBlock(name, config, context, sharing);
  const tokenizer = placeIn(launch, settings, "tokenizer_name_or_path", "tokenizer_name", "tokenizer_config", "tokenizer") ?? name;
  return {
    blocks: [dataBlock(launch, settings, tokenizer, least), model.block],
    models: model.imports,
    isSized: model.isSized,
    context: context === null ? unsaidContext(launch, model.context) : { value: context },
  };
}

/** What a trainer cuts samples to where no file says it; `null` where a model takes no more anyway. */
function unsaidContext(launch: Launch, most: number | null): Fact<number> | null {
  if (most === null) return null;
  const isOf = (kind: DocumentKind): boolean => documentsOf(launch, kind).length > 0;
  // llamafactory/hparams/data_args.py: DataArguments.cutoff_len
  if (isOf("llama-factory")) return { value: Math.min(most, 2048) };
  // axolotl/utils/schemas/config.py: AxolotlInputConfig.sequence_len
  if (isOf("axolotl")) return { value: Math.min(most, 512) };
  // trl/trainer/sft_config.py: SFTConfig.max_length; other programs choose for themselves.
  return most <= 1024 ? null : { value: 1024, guessed: "no file gives the length of a sample" };
}

interface SubjectPlace extends NamedPlace {
  /** What lies in the folder of that name. */
  readonly config?: Located;
}

function placeIn(launch: Launch, settings: Settings, ...names: readonly string[]): SubjectPlace | null {
  const told = toldIn(settings, ...names);
  const name = textIn(settings, ...names);
  if (told === undefined || name === null) return null;
  const from = told.span.source;
  const place = namedPlace(name, launch.beside, from);
  const folder = place.isHub ? undefined : (foundBeside(launch.beside, name, from) ?? name);
  const source = folder === undefined ? undefined : launch.beside.text(`${folder}/config.json`, from);
  const config = source === undefined ? undefined : readJson(textOf(source)).root;
  return { ...place, ...(config === undefined ? {} : { config }) };
}

function modelBlock(
  place: NamedPlace | null,
  config: Located | undefined,
  context: number | null,
  sharing: number,
): Pick<Subject, "isSized"> & { readonly block: Block; readonly imports: readonly string[]; readonly context: number | null } {
  const name = place?.name ?? null;
  const from = place === null ? [] : [property("from", quoted(writtenPlace(place)), place.guessed)];
  if (config !== undefined) {
    const shape = shapeOf(config);
    if (shape !== null)
      return {
        block: block("model network", [...shape, ...from]),
        imports: [],
        context: positionsOf(config),
        isSized: true,
      };
  }
  const preset = name === null ? null : presetFor(name);
  if (preset !== null) {
    const most = presetContext(preset);
    // Positions of these models are computed: longer samples train, and the file says how long.
    const longer = context !== null && most !== null && context > most;
    return {
      block: block(`model network extends ${preset}`, [
        ...from,
        ...when(longer, property("context", quantity(context ?? 0, "tokens"))),
      ]),
      imports: [preset],
      // No model of the library takes fewer than any trainer's usual.
      context: Infinity,
      isSized: true,
    };
  }
  const size = /(\d+(?:\.\d+)?)\s*([bm])(?![a-z])/i.exec(name ?? "");
  const why =
    name === null
      ? "no file names the model"
      : `unknown model ${name}; give its sizes with \`--model config.json\``;
  const shape: readonly Member[] =
    size === null
      ? guessedShape(sharing)
      : [property("size", `auto(total = ${size[1]}${(size[2] ?? "b").toUpperCase()} params, within = 10%)`)];
  return {
    block: block(
      "model network",
      [property("family", "llama"), ...shape, property("context", quantity(context ?? 1024, "tokens")), ...from],
      `Guessed: ${why}.`,
    ),
    imports: [],
    context: null,
    isSized: false,
  };
}

/** Ranks that share a sequence divide the heads. */
function guessedShape(sharing: number): readonly Member[] {
  const heads = 12 % sharing === 0 ? 12 : sharing * Math.max(1, Math.round(12 / sharing));
  return [property("layers", "12"), property("d_model", String(64 * heads)), property("heads", String(heads))];
}

/** `meta-llama/Llama-3.1-8B-Instruct` is the standard library's `llama3_1_8b`. */
function presetFor(name: string): string | null {
  const bare = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const last = name.split("/").at(-1) ?? name;
  const plain = bare(
    last.replaceAll(/(?:^|[-_])(?:meta|instruct|chat|base|hf|it|pt|v\d+(?:\.\d+)?|deduped|bnb|4bit|8bit|unsloth)(?=$|[-_])/gi, "-"),
  );
  const other: Readonly<Record<string, string>> = { gpt2: "gpt2_124m", gpt2medium: "gpt2_350m", gpt2large: "gpt2_774m", gpt2xl: "gpt2_1558m" };
  return inTable(other, plain) ?? presetNames().find((preset) => bare(preset) === plain) ?? null;
}

function firstNumber(config: Located, names: readonly string[]): number | null {
  for (const name of names) {
    const value = numberAt(at(config, name));
    if (value !== null) return value;
  }
  return null;
}

/** Tokens that the model takes at most. */
const positionsOf = (config: Located): number =>
  firstNumber(config, ["max_position_embeddings", "n_positions"]) ?? 2048;

/** Families of the language by `model_type` of transformers. */
function shapeOf(config: Located): readonly Member[] | null {
  const type = String(scalarOf(at(config, "model_type")) ?? "");
  const family = type === "gemma3_text" ? "gemma3" : type;
  const number = (...names: readonly string[]): number | null => firstNumber(config, names);
  if (!Object.hasOwn(families, family)) return null;
  const said = (name: string, value: number | null): readonly Member[] => when(value !== null, property(name, numeral(value ?? 0)));
  const tied = scalarOf(at(config, "tie_word_embeddings"));
  const experts = number("num_local_experts", "num_experts", "n_routed_experts");
  return [
    property("family", family),
    ...said("layers", number("num_hidden_layers", "n_layer")),
    ...said("d_model", number("hidden_size", "n_embd")),
    ...said("heads", number("num_attention_heads", "n_head")),
    ...when(number("num_key_value_heads") !== number("num_attention_heads"), ...said("kv_heads", number("num_key_value_heads"))),
    ...said("d_ff", number("intermediate_size", "n_inner")),
    ...said("vocab", number("vocab_size")),
    property("context", quantity(positionsOf(config), "tokens")),
    ...when(typeof tied === "boolean", property("tied", String(tied))),
    ...when(experts !== null, block("moe", [
      ...said("experts", experts),
      ...said("top_k", number("num_experts_per_tok")),
      ...said("d_ff", number("moe_intermediate_size")),
    ])),
  ];
}

/** A round number of tokens, from 100 million on. */
function tokensFor(least: number): string {
  const power = Math.max(8, Math.ceil(Math.log10(Math.max(least, 1))));
  return `${10 ** (power % 3)}${["M", "B", "T"][Math.floor(power / 3) - 2] ?? "T"} tokens`;
}

function dataBlock(launch: Launch, settings: Settings, tokenizer: NamedPlace | null, least: number | null): Block {
  const sets = datasetsOf(launch, settings);
  const share = numberIn(settings, "val_size", "val_set_size", "test_size");
  const rest = [
    ...(tokenizer === null ? [] : [property("tokenizer", `hf(${quoted(tokenizer.name)})`, tokenizer.guessed)]),
    ...when(least !== null, property("tokens", tokensFor(least ?? 0), "a length in epochs needs it")),
    ...when(share !== null && share > 0 && share < 1, block("split", [property("val", percent(share ?? 0))])),
  ];
  const [first] = sets;
  if (first === undefined)
    return block("data corpus", [property("from", "python_stdlib", "no file names the text"), ...rest]);
  const from = ({ value, guessed }: Fact<string>): Member => property("from", quoted(value), guessed);
  if (sets.length === 1) return block("data corpus", [from(first), ...rest]);
  const sources = sets.map((each, at) => block(`source part_${at + 1}`, [from(each)]));
  return block("data corpus", [...rest, ...sources]);
}
