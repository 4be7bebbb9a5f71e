import { closest, distance } from "fastest-levenshtein";

/** The candidate that `written` most probably means, or `null` where none is near enough. */
export function nearest(written: string, candidates: readonly string[]): string | null {
  const plain = bare(written);
  if (plain === "") return null;
  const others = candidates.filter((candidate) => candidate !== written);
  const same = others.find((candidate) => bare(candidate) === plain);
  if (same !== undefined) return same;

  const within = others.filter((candidate) => candidate.endsWith(`.${written}`));
  if (within.length === 1) return within[0] ?? null;

  const fuller = others.filter((candidate) => saysMore(candidate, written));
  if (fuller.length === 1) return fuller[0] ?? null;

  const swapped = others.find((candidate) => isSwapped(bare(candidate), plain));
  if (swapped !== undefined) return swapped;

  const alike = others
    .filter((candidate) => sameNumbers(bare(candidate), plain) && sameLetters(written, candidate))
    .map(bare);
  const best = alike.length === 0 ? null : closest(plain, alike);
  const index = best === null ? -1 : others.findIndex((candidate) => bare(candidate) === best);
  const shorter = Math.min(plain.length, best?.length ?? 0);
  const apart = best === null ? Infinity : distance(plain, best);
  if (apart < shorter && apart <= Math.max(1, Math.floor(0.4 * shorter))) {
    return others[index] ?? null;
  }
  if (plain.length < 3) return null;
  const longer = others.filter((candidate) => bare(candidate).startsWith(plain) || plain.startsWith(bare(candidate)));
  return longer.filter((candidate) => candidate.length > 2).toSorted((a, b) => a.length - b.length)[0] ?? null;
}

/** Two letters that changed places are one slip, in the shortest of words too: `Itn`. */
function isSwapped(a: string, b: string): boolean {
  const at = [...a].findIndex((letter, i) => letter !== b[i]);
  if (at < 0 || a.length !== b.length || /\d/.test(a.slice(at, at + 2))) return false;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

/** Another number is another thing, never a slip: an `h100` is no `h200`. */
function sameNumbers(a: string, b: string): boolean {
  const [one, other] = [a, b].map((name) => name.match(/\d+/g)?.join(" "));
  return one === undefined || other === undefined || one === other;
}

/** One letter before a number says with it what a thing is: a `v100` is neither an `a100` nor an `h100`. */
export function sameLetters(written: string, candidate: string): boolean {
  const models = (name: string): readonly string[] => name.toLowerCase().match(/(?<![a-z])[a-z]\d{2,}/g) ?? [];
  const others = models(candidate);
  return others.length === 0 || models(written).every((model) => others.includes(model));
}

/** Whether a name of several words has all of those that were written, in their order: `llama3_1_70b` for `llama3_70b`. */
function saysMore(candidate: string, written: string): boolean {
  if (!written.includes("_")) return false;
  const [words, all] = [wordsIn(written), wordsIn(candidate)];
  if (all.length <= words.length) return false;
  let from = 0;
  return words.every((word) => {
    const at = all.indexOf(word, from);
    from = at + 1;
    return at >= 0;
  });
}

/** `llama_3` is `llama3`. */
const wordsIn = (name: string): readonly string[] => name.toLowerCase().split(/_|(?<=[a-z])(?=\d)/);

/** Case, underscores, hyphens and a plural `s` are what people get wrong first. */
export function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-\s]/g, "");
}
