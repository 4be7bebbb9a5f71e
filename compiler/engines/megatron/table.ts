/** Which arguments Megatron's parser knows, by version. */
import core080 from "./versions/core-0.8.0.json" with { type: "json" };
import core090 from "./versions/core-0.9.0.json" with { type: "json" };
import core0100 from "./versions/core-0.10.0.json" with { type: "json" };
import core0110 from "./versions/core-0.11.0.json" with { type: "json" };
import core0123 from "./versions/core-0.12.3.json" with { type: "json" };
import core0131 from "./versions/core-0.13.1.json" with { type: "json" };
import core0140 from "./versions/core-0.14.0.json" with { type: "json" };
import core0153 from "./versions/core-0.15.3.json" with { type: "json" };
import core0161 from "./versions/core-0.16.1.json" with { type: "json" };
import core0171 from "./versions/core-0.17.1.json" with { type: "json" };
import core0182 from "./versions/core-0.18.2.json" with { type: "json" };
import core0192 from "./versions/core-0.19.2.json" with { type: "json" };
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
  readonly byDest: ReadonlyMap<string, readonly Argument[]>;
  readonly all: readonly Argument[];
  /** Arguments of the newest version that this one lacks: rules read them as if nobody had given them. */
  readonly lacking: readonly Argument[];
}

/** Programs that add arguments of their own to the common ones. */
export type Entry = "gpt" | "hybrid" | "t5" | "bert" | "rl" | "vlm" | "multimodal" | "mimo" | "mimo_apart";

const added: Readonly<Record<Entry, readonly string[]>> = {
  gpt: ["megatron/post_training/arguments.py"],
  hybrid: ["megatron/post_training/arguments.py"],
  t5: [],
  bert: [],
  rl: ["megatron/inference/utils.py"],
  vlm: ["pretrain_vlm.py"],
  multimodal: ["examples/multimodal/multimodal_args.py"],
  mimo: ["examples/mimo/train.py"],
  mimo_apart: [
    "examples/mimo/training/args.py",
    "examples/mimo/training/data.py",
    "examples/mimo/training/encoder_prefetch.py",
  ],
};

/** What an older version's parser lacks of the next newer one's, and what it has otherwise; made by scripts/megatron-version.py. */
interface Difference {
  readonly version: string;
  readonly base: string;
  readonly without: readonly string[];
  readonly with: readonly Omit<Argument, "help">[];
}
/** The newest first. Of each minor release its last one. */
const older = [
  core0192,
  core0182,
  core0171,
  core0161,
  core0153,
  core0140,
  core0131,
  core0123,
  core0110,
  core0100,
  core090,
  core080,
] as readonly Difference[];

export const newestVersion = core020.version.replace("core ", "");

/** Every version whose arguments are known, the newest first. */
export const knownVersions: readonly string[] = [newestVersion, ...older.map(({ version }) => version)];

/** The known version of the same minor release: `0.12.1` is judged as 0.12.3. `null` before the first and after the newest. */
export function knownVersionOf(written: string): string | null {
  const minor = (version: string): string => version.split(".").slice(0, 2).join(".");
  return knownVersions.find((version) => minor(version) === minor(written)) ?? null;
}

const newest = core020.arguments as readonly Argument[];
const tables = new Map<string, ArgumentTable>();

/** The arguments that one program accepts; of the newest version unless another is named. */
export function argumentTable(entry: Entry, version: string = newestVersion): ArgumentTable {
  const key = `${entry} ${version}`;
  const before = tables.get(key);
  if (before !== undefined) return before;
  const own = core020.added
    .filter(({ by }) => added[entry].includes(by))
    .flatMap((provider) => provider.arguments as readonly Omit<Argument, "dest" | "help">[])
    .map((each): Argument => ({ ...each, dest: destOf(each.names), help: "" }));
  const all = [...argumentsOf(version), ...own];
  const byDest = Map.groupBy(all, ({ dest }) => dest);
  const table = {
    version,
    byName: new Map(all.flatMap((argument) => argument.names.map((name) => [name, argument] as const))),
    byDest,
    all,
    lacking: newest.filter(({ dest }) => !byDest.has(dest)),
  };
  tables.set(key, table);
  return table;
}

function argumentsOf(version: string): readonly Argument[] {
  const difference = older.find((one) => one.version === version);
  if (difference === undefined) return newest;
  const gone = new Set([...difference.without, ...difference.with.map(({ names }) => names[0])]);
  return [
    ...argumentsOf(difference.base).filter(({ names }) => !gone.has(names[0] ?? "")),
    ...difference.with.map((each): Argument => ({ help: "", ...each })),
  ];
}

/** argparse: the first long name, without dashes. */
function destOf(names: readonly string[]): string {
  return (names.find((name) => name.startsWith("--")) ?? names[0] ?? "").replace(/^-+/, "").replaceAll("-", "_");
}
