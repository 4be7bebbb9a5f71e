import { distance } from "fastest-levenshtein";
import { nearest } from "../../../dsl/diagnostics/nearest.ts";
import { historyOf } from "./history.ts";
import type { ArgumentTable } from "./table.ts";

/** The argument that a word which is none was meant to be; `null` where nothing is near, or another release has it. */
export function meantBy(word: string, table: ArgumentTable): string | null {
  const argument = word.replace(/=.*/s, "");
  const before = found.get(table)?.get(argument);
  if (before !== undefined) return before;
  const meant =
    historyOf(argument, table.version) === null ? nearestArgument(argument, [...table.byName.keys()]) : null;
  const known = found.get(table);
  if (known === undefined || known.size >= most) found.set(table, new Map([[argument, meant]]));
  else known.set(argument, meant);
  return meant;
}

/** A script with branches is judged many times, and each asks for the same words among 800 names. */
const found = new WeakMap<ArgumentTable, Map<string, string | null>>();
const most = 500;

/** A slip of the hand before words that were left out: `--tensor-parallel` is `--tensor-model-parallel-size`. */
export function nearestArgument(written: string, names: readonly string[]): string | null {
  const near = nearest(written, names);
  if (near !== null && distance(near, written) <= slip) return near;
  return fuller(written, names) ?? near;
}

const slip = 2;

/** The only name with the fewest words more that has all of those written, in their order, and begins as they do. */
function fuller(written: string, names: readonly string[]): string | null {
  const words = wordsOf(written);
  if (words.length < 2) return null;
  const all = names
    .map((name) => ({ name, own: wordsOf(name) }))
    .filter(({ own }) => own[0] === words[0] && own.length > words.length && holds(own, words));
  const least = Math.min(...all.map(({ own }) => own.length));
  const [first, second] = all.filter(({ own }) => own.length === least);
  return second === undefined ? (first?.name ?? null) : null;
}

const wordsOf = (name: string): readonly string[] => name.replace(/^-+/, "").toLowerCase().split(/[-_]/);

function holds(own: readonly string[], words: readonly string[]): boolean {
  let from = 0;
  return words.every((word) => {
    const at = own.indexOf(word, from);
    from = at + 1;
    return at >= 0;
  });
}
