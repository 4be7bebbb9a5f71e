/** What Axolotl's options may hold, and which forms of data its trainers read. */
import table from "./fields.json" with { type: "json" };
import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import { documentsOf } from "../../launch.ts";
import { at, entryOf, itemsOf, scalarOf, type Entry, type Located } from "../../documents/located.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const file =
  "base_model: m\nsequence_len: 2048\nmicro_batch_size: 1\ngradient_accumulation_steps: 4\ndatasets:\n  - path: d\n    type: alpaca\n";

const kinds: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(table.kinds).flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind.split(" ")])),
);
const words: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(table.words).map(([name, all]) => [name, all.split(" ")]),
);

const called: Readonly<Record<string, string>> = {
  list: "a list",
  map: "a section",
  int: "a whole number",
  float: "a number",
  bool: "true or false",
  str: "a text",
  word: "a word",
};

const isWord = (text: string, valid: readonly string[]): boolean =>
  valid.some((each) => (each.endsWith("*") ? text.startsWith(each.slice(0, -1)) : each === text));

/** As pydantic takes it: a text that reads as a number or a switch is one, a number is no text. */
function fits(node: Located, wanted: readonly string[], valid: readonly string[]): boolean {
  if (node.kind === "unknown") return true;
  if (node.kind !== "scalar") return wanted.includes(node.kind);
  const { value } = node;
  if (value === null || value === "") return true;
  const text = String(value);
  // What a template or a variable brings is unknown.
  if (/[{$]/.test(text)) return true;
  const number = typeof value === "boolean" ? Number.NaN : Number(text);
  return wanted.some((kind) => {
    if (kind === "bool")
      return typeof value === "boolean" || /^(?:true|false|yes|no|on|off|t|f|y|n|1|0)$/i.test(text);
    if (kind === "int") return Number.isInteger(number) || typeof value === "boolean";
    if (kind === "float") return !Number.isNaN(number) || typeof value === "boolean";
    if (kind === "str") return typeof value === "string";
    return kind === "word" && isWord(text, valid);
  });
}

const bounds: ReadonlyMap<string, readonly number[]> = new Map(Object.entries(table.bounds));
const filled: ReadonlySet<string> = new Set(table.filled.split(" "));

/** The schema's own name: what stands in fsdp_config may have its prefix (check_fsdp_config_kwargs_prefix). */
const named = (within: string, key: string): string =>
  `${within}${within === "fsdp_config." ? key.replace(/^fsdp_(?!version$)/, "") : key}`;

/** Options within a section are typed as those outside of it are. */
function misfits({ key, keySpan, value }: Entry, within = ""): readonly Found[] {
  const name = named(within, key);
  const wanted = kinds.get(name);
  const place = value.kind === "scalar" ? value.span : keySpan;
  if (filled.has(name) && value.kind === "list" && value.items.length === 0)
    return [{ span: keySpan, message: `${name} has nothing in it` }];
  if (wanted === undefined) return [];
  const valid = words.get(name) ?? [];
  if (!fits(value, wanted, valid)) {
    const text = value.kind === "scalar" ? String(value.value) : null;
    const meant = text === null || valid.length === 0 ? null : nearest(text, [...valid]);
    const what = wanted
      .map((kind) => (kind === "word" && valid.length > 0 ? `one of ${valid.length} words` : called[kind]))
      .join(" or ");
    return [
      {
        span: place,
        message: `${name} takes ${what}${text === null ? `, but this is ${called[value.kind] ?? ""}` : `, not ${text}`}`,
        valid: meant === null ? valid : [meant],
      },
    ];
  }
  return value.kind === "map" ? value.entries.flatMap((entry) => misfits(entry, `${name}.`)) : beyond(name, value);
}

function beyond(name: string, value: Located): readonly Found[] {
  const [from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY] = bounds.get(name) ?? [];
  const text = scalarOf(value);
  const number = text === null || text === undefined || text === "" ? Number.NaN : Number(text);
  if (Number.isNaN(number) || (number >= from && number <= to)) return [];
  const valid = number < from ? from : to;
  return [
    {
      span: value.span,
      message: `${name} is ${String(text)}: it must be ${number < from ? "at least" : "at most"} ${valid}`,
      valid: [String(valid)],
    },
  ];
}

/** Forms of data by the trainer that reads them. Source: axolotl/prompt_strategies/{dpo,kto,orpo}. */
const paired =
  "chatml chatml.default chatml.argilla_chat chatml.icr chatml.intel chatml.prompt_pairs chatml.ultra llama3 llama3.default llama3.argilla_chat llama3.icr llama3.intel llama3.prompt_pairs llama3.ultra zephyr.nectar passthrough passthrough.default user_defined.default chat_template chat_template.default chat_template.argilla_chat".split(
    " ",
  );
const forms: ReadonlyMap<string, readonly string[]> = new Map([
  ["dpo", paired],
  ["ipo", paired],
  ["simpo", paired],
  [
    "kto",
    ["chatml", "llama3"]
      .flatMap((name) =>
        ["argilla", "argilla_chat", "intel", "prompt_pairs", "ultra"].map((form) => `${name}.${form}`),
      )
      .concat("user_defined.default"),
  ],
  ["orpo", ["chat_template.argilla"]],
]);

function formsOf(root: Located): readonly Found[] {
  const rl = at(root, "rl");
  return itemsOf(at(root, "datasets")).flatMap((item): readonly Found[] => {
    const node = entryOf(item, "type")?.value;
    const type = scalarOf(node);
    if (node === undefined || typeof type !== "string") return [];
    if (type.startsWith("sharegpt"))
      return [{ span: node.span, message: "sharegpt was removed: use chat_template", valid: ["chat_template"] }];
    const valid = forms.get(String(scalarOf(rl)));
    // A longer path is a module of the user's own.
    if (valid === undefined || valid.includes(type) || type.split(".").length > 2) return [];
    const [module = ""] = type.split(".");
    if (!paired.some((each) => each.split(".")[0] === module)) return [];
    return [
      {
        span: node.span,
        message: `${String(scalarOf(rl))} has no data format ${type}`,
        valid,
        ...nearby("the trainer", rl?.span),
      },
    ];
  });
}

export const axolotlFieldRules: readonly ForeignRule[] = [
  rule({
    name: "axolotl-kind",
    source: `axolotl/utils/schemas, ${table.version}: AxolotlInputConfig`,
    why: "Axolotl's schema says for each option whether it is a switch, a number, a text, a list or a section, and which words or bounds it accepts, within its sections too. It refuses a file with any other value before anything is loaded.",
    fix: "Write a value of the type, or within the bounds, that the message names; an item of a list begins with a dash.",
    check: (launch) =>
      documentsOf(launch, "axolotl").flatMap(({ root }) =>
        root.kind === "map" ? root.entries.flatMap((entry) => misfits(entry)) : [],
      ),
    fires: { "axo.yaml": `${file}plugins: axolotl.integrations.liger.LigerPlugin\n` },
    silent: { "axo.yaml": `${file}plugins:\n  - axolotl.integrations.liger.LigerPlugin\n` },
  }),
  rule({
    name: "axolotl-data-form",
    source:
      "axolotl/utils/schemas/validation.py: deprecate_sharegpt_datasets; prompt_strategies/base.py: load; prompt_strategies/{dpo,kto,orpo}",
    why: "Each trainer has its own strategies for reading data. For one that it does not have, it logs a warning, `unable to load strategy`, and crashes when the data is read.",
    fix: "Write a type from `valid`, or user_defined.default with the names of the columns.",
    check: (launch) => documentsOf(launch, "axolotl").flatMap(({ root }) => formsOf(root)),
    fires: { "axo.yaml": `${file.replace("alpaca", "llama3.default")}rl: orpo\n` },
    silent: { "axo.yaml": `${file.replace("alpaca", "llama3.default")}rl: dpo\n` },
  }),
  rule({
    name: "axolotl-eight-bits-divided",
    // What a release of torch or of bitsandbytes brings is not known here.
    severity: "warning",
    source:
      "torch/distributed/fsdp/_flat_param.py: _validate_tensors_to_flatten (`Cannot flatten integer dtype tensors`)",
    why: "The 8-bit weights of bitsandbytes are integers, which FSDP 1 does not shard.",
    fix: "Set load_in_8bit: false, or train with adapter: qlora and load_in_4bit: true.",
    check: (launch) =>
      documentsOf(launch, "axolotl").flatMap(({ root }): readonly Found[] => {
        const eight = entryOf(root, "load_in_8bit");
        const divided = ["fsdp", "fsdp_config"]
          .map((name) => entryOf(root, name))
          .find((each) => each !== undefined && isGiven(each.value));
        if (eight === undefined || scalarOf(eight.value) !== true || divided === undefined) return [];
        const version = scalarOf(at(root, "fsdp_version")) ?? scalarOf(at(root, "fsdp_config", "fsdp_version")) ?? 1;
        if (Number(version) !== 1) return [];
        return [
          {
            span: eight.value.span,
            message: "FSDP cannot shard 8-bit weights",
            valid: ["false"],
            ...nearby("FSDP", divided.keySpan),
          },
        ];
      }),
    fires: { "axo.yaml": `${file}adapter: lora\nload_in_8bit: true\nfsdp:\n  - full_shard\n` },
    silent: { "axo.yaml": `${file}adapter: lora\nload_in_8bit: false\nfsdp:\n  - full_shard\n` },
  }),
];

/** A section or a list with something in it. */
const isGiven = (node: Located): boolean =>
  node.kind === "map" ? node.entries.length > 0 : node.kind === "list" ? node.items.length > 0 : false;
