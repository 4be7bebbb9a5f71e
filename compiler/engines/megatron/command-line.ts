import type { Word } from "../word.ts";
import { converted, type Wrong } from "./convert.ts";
import type { Argument, ArgumentTable } from "./table.ts";
import { unknown } from "./unknown.ts";

/** One argument as it was given: the last of its name counts. */
export interface Given {
  readonly argument: Argument;
  /** The name as it was typed. */
  readonly name: string;
  readonly value: unknown;
  /** The name and what follows it. */
  readonly words: readonly Word[];
}

/** What argparse would refuse, or pass over in silence. */
export type Complaint =
  | { readonly kind: "unrecognized"; readonly word: Word; readonly value: Word | null }
  | { readonly kind: "count"; readonly given: Given; readonly expected: string }
  | (Wrong & { readonly given: Given })
  | { readonly kind: "repeated"; readonly given: Given; readonly earlier: Given };

export interface CommandLine {
  /** By the name the engine's code reads them under. */
  readonly given: ReadonlyMap<string, Given>;
  /** A word nobody knows may hold any argument. */
  readonly open: boolean;
  readonly complaints: readonly Complaint[];
}

/** As `argparse._negative_number_matcher` of Python 3.12: `-1e-5` is none, and so is taken for a flag. */
const negativeNumber = /^-\d+$|^-\d*\.\d+$/;

/**
 * What Megatron's parser makes of its arguments.
 *
 * Source: Python 3.12 `argparse.ArgumentParser._parse_known_args` with `allow_abbrev=False` and no positional argument, as
 * `megatron/training/arguments.py: parse_args` builds it.
 */
export function parseCommandLine(words: readonly Word[], table: ArgumentTable): CommandLine {
  const given = new Map<string, Given>();
  const complaints: Complaint[] = [];
  let open = false;

  for (let at = 0; at < words.length;) {
    const word = words[at] as Word;
    if (word.text === null) {
      open = true;
      at++;
      continue;
    }
    const equals = word.text.startsWith("-") ? word.text.indexOf("=") : -1;
    const whole = table.byName.get(word.text);
    const name = whole === undefined && equals > 0 ? word.text.slice(0, equals) : word.text;
    const argument = whole ?? table.byName.get(name);
    if (argument === undefined) {
      const next = words[at + 1];
      const value = looksLikeFlag(word) && equals < 0 && next !== undefined && !looksLikeFlag(next) ? next : null;
      complaints.push({ kind: "unrecognized", word, value });
      at += value === null ? 1 : 2;
      continue;
    }
    const attached: Word | null = whole === undefined ? { text: word.text.slice(equals + 1), span: word.span } : null;
    const available = attached === null ? valuesAfter(words, at) : 1;
    const { take, expected } = wanted(argument, available, attached !== null);
    const own = attached === null ? words.slice(at, at + 1 + Math.min(take, available)) : [word];
    at += own.length;
    if (expected !== null) {
      complaints.push({ kind: "count", given: { argument, name, value: unknown, words: own }, expected });
      continue;
    }
    const { value, wrong } = converted(argument, name, attached === null ? own.slice(1) : [attached]);
    const one: Given = { argument, name, value, words: own };
    for (const each of wrong) complaints.push({ ...each, given: one });
    const earlier = given.get(argument.dest);
    if (earlier !== undefined) complaints.push({ kind: "repeated", given: one, earlier });
    given.set(argument.dest, one);
  }
  return { given, open, complaints };
}

/** Every argument's value after parsing; `unknown` where a word of the job decides. */
export function parsedValues({ given, open }: CommandLine, table: ArgumentTable): Record<string, unknown> {
  const values: Record<string, unknown> = { ...(open ? unsaid.open(table) : unsaid.closed(table)) };
  for (const [dest, { value }] of given) values[dest] = value;
  return values;
}

/** Every argument's value where no command line says it, made once for each table. */
function whereUnsaid(open: boolean): (table: ArgumentTable) => Readonly<Record<string, unknown>> {
  const known = new WeakMap<ArgumentTable, Readonly<Record<string, unknown>>>();
  return (table) => {
    const values = known.get(table) ?? {
      ...Object.fromEntries(table.lacking.map(({ dest, default: value, action }) => [dest, usual(value, action)])),
      ...Object.fromEntries(
        table.all.map(({ dest, default: value, action }) => [dest, open ? unknown : usual(value, action)]),
      ),
    };
    known.set(table, values);
    return values;
  };
}

const unsaid = { open: whereUnsaid(true), closed: whereUnsaid(false) };

function usual(value: unknown, action: Argument["action"]): unknown {
  return value ?? (action === undefined ? null : action !== "store_true");
}

function looksLikeFlag({ text }: Word): boolean {
  return text !== null && text.startsWith("-") && text !== "-" && !negativeNumber.test(text) && !text.includes(" ");
}

/** How many words behind that at `flag` are values. */
function valuesAfter(words: readonly Word[], flag: number): number {
  let end = flag + 1;
  while (end < words.length && !looksLikeFlag(words[end] as Word)) end++;
  return end - flag - 1;
}

/** How many of the `available` words an argument takes, or what argparse says when they are too few. */
function wanted(
  { action, nargs }: Argument,
  available: number,
  attached: boolean,
): { readonly take: number; readonly expected: string | null } {
  if (action !== undefined)
    return attached ? { take: 1, expected: "no value: the name alone switches it" } : { take: 0, expected: null };
  if (nargs === undefined) return { take: 1, expected: available >= 1 ? null : "one value" };
  if (nargs === "?") return { take: Math.min(1, available), expected: null };
  if (nargs === "*") return { take: available, expected: null };
  if (nargs === "+") return { take: available, expected: available >= 1 ? null : "at least one value" };
  const count = Number(nargs);
  return { take: count, expected: available >= count ? null : `${count} values` };
}
