/** Which arguments Megatron's parser knows, by version. */
import core020 from "./versions/core-0.20.0.json" with { type: "json" };

/** One `add_argument` of the engine. */
export interface Argument {
  readonly names: readonly string[];
  /** The name under which the engine's code reads it. */
  readonly dest: string;
  /** Python callable that converts a word; none for text. */
  readonly type?: string;
  readonly action?: "store_true" | "store_false" | "boolean_optional";
  /** `+`, `*`, `?` or a number of words; none for one. */
  readonly nargs?: string;
  readonly default?: unknown;
  readonly choices?: readonly (string | number)[];
  readonly help: string;
  readonly deprecated?: boolean;
  readonly deprecation?: { readonly status?: string; readonly replacement?: string };
}

export interface ArgumentTable {
  readonly version: string;
  readonly byName: ReadonlyMap<string, Argument>;
  readonly all: readonly Argument[];
}

/** Programs that add arguments of their own to the common ones. */
export type Entry = "gpt" | "hybrid" | "t5" | "bert" | "rl" | "vlm" | "multimodal" | "mimo";

const added: Readonly<Record<Entry, readonly string[]>> = {
  gpt: ["megatron/post_training/arguments.py"],
  hybrid: ["megatron/post_training/arguments.py"],
  t5: [],
  bert: [],
  rl: ["megatron/inference/utils.py"],
  vlm: ["pretrain_vlm.py"],
  multimodal: ["examples/multimodal/multimodal_args.py"],
  mimo: [
    "examples/mimo/train.py",
    "examples/mimo/training/args.py",
    "examples/mimo/training/data.py",
    "examples/mimo/training/encoder_prefetch.py",
  ],
};

const tables = new Map<Entry, ArgumentTable>();

/** The arguments that one program accepts at the newest version known. */
export function argumentTable(entry: Entry): ArgumentTable {
  const known = tables.get(entry);
  if (known !== undefined) return known;
  const own = core020.added
    .filter(({ by }) => added[entry].includes(by))
    .flatMap((provider) => provider.arguments as readonly Omit<Argument, "dest" | "help">[])
    .map((each): Argument => ({ ...each, dest: destOf(each.names), help: "" }));
  const all = [...(core020.arguments as readonly Argument[]), ...own];
  const table = {
    version: core020.version,
    byName: new Map(all.flatMap((argument) => argument.names.map((name) => [name, argument] as const))),
    all,
  };
  tables.set(entry, table);
  return table;
}

/** argparse: the first long name, without dashes. */
function destOf(names: readonly string[]): string {
  return (names.find((name) => name.startsWith("--")) ?? names[0] ?? "").replace(/^-+/, "").replaceAll("-", "_");
}
