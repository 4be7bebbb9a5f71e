/** A Megatron command line as values: what was given, and what the engine makes of all of it. */
import { parseCommandLine, parsedValues, type CommandLine } from "../../engines/megatron/command-line.ts";
import { judge } from "../../engines/megatron/judge.ts";
import type { Surroundings } from "../../engines/megatron/launch.ts";
import { entryOf } from "../../engines/megatron/programs.ts";
import { argumentTable, type ArgumentTable, type Entry } from "../../engines/megatron/table.ts";
import { unknown } from "../../engines/megatron/unknown.ts";
import type { Word } from "../../engines/word.ts";
import { withDefaults } from "../variables.ts";

/** One launch of a Megatron program, from whatever said it. */
export interface MegatronLaunch {
  /** Its path as it was written; `null` where nobody said. */
  readonly program: string | null;
  readonly entry: Entry | null;
  readonly args: readonly Word[];
  readonly env: Readonly<Record<string, string>>;
  readonly world: number | null;
  readonly architecture: number | null;
  /** The release that files name. */
  readonly release?: string;
}

export interface Reading {
  readonly entry: Entry;
  readonly table: ArgumentTable;
  readonly line: CommandLine;
  /** After parsing. */
  readonly parsed: Readonly<Record<string, unknown>>;
  /** After the engine's validation has filled in and changed what it does; what stays open is as it was parsed. */
  readonly used: Readonly<Record<string, unknown>>;
}

/** The entry that takes most of the arguments, where the program is nobody's known one. */
export function entryFor(launch: MegatronLaunch): Entry {
  if (launch.entry !== null) return launch.entry;
  const known = launch.program === null ? null : entryOf(launch.program);
  if (known !== null) return known;
  return launch.args.some(({ text }) => text?.startsWith("--hybrid-layer-pattern") === true) ? "hybrid" : "gpt";
}

export function readArguments(launch: MegatronLaunch): Reading {
  const entry = entryFor(launch);
  const table = launch.release === undefined ? argumentTable(entry) : argumentTable(entry, launch.release);
  const line = parseCommandLine(launch.args, table);
  const parsed = parsedValues({ ...line, open: false }, table);
  const surroundings: Surroundings = {
    entry,
    world: launch.world ?? unknown,
    env: launch.env,
    envOpen: true,
    architecture: launch.architecture ?? unknown,
    transformerEngine: unknown,
  };
  // A checkpoint that nobody reads here may say otherwise: what is given stands for it.
  const given = new Map([...line.given].filter(([dest]) => dest !== "use_checkpoint_args"));
  const { values } = judge({ ...line, given, open: false }, table, surroundings);
  const used = Object.fromEntries(
    Object.entries(values).map(([dest, value]) => [dest, value === unknown ? parsed[dest] : value]),
  );
  used["use_checkpoint_args"] = parsed["use_checkpoint_args"];
  return { entry, table, line, parsed, used };
}

/**
 * The arguments that are not what they were. One is the same where the parser reads the same value, or where what the engine's
 * validation makes of it is the same: `--ffn-hidden-size 3072` beside nothing at a width of 768.
 */
export function changedArguments(before: Reading, after: Reading): readonly string[] {
  return before.table.all
    .map(({ dest }) => dest)
    .filter((dest, at, all) => all.indexOf(dest) === at)
    .filter((dest) => !isSame(settled(before.parsed[dest]), after.parsed[dest]))
    .filter((dest) => !isSame(settled(before.used[dest]), after.used[dest]));
}

/** Variables that the job sets have their params' values in the file. */
function settled(value: unknown): unknown {
  if (typeof value === "string") return withDefaults(value);
  return Array.isArray(value) ? value.map(settled) : value;
}

function isSame(left: unknown, right: unknown): boolean {
  if (left === unknown || right === unknown) return left === right;
  return left === right || JSON.stringify(left ?? null) === JSON.stringify(right ?? null);
}
