/** Names of options that are a slip of the pen away from another. */
import { distance } from "fastest-levenshtein";

/** Two letters make another word of a short name: `use_cpu` and `use_gpu`, `fp16` and `fp8`. */
const shortest = 10;

const plain = (name: string): string => name.replaceAll("_", "").toLowerCase();

interface PlainName {
  readonly each: string;
  readonly theirs: string;
}

export const plainNames = (names: readonly string[]): readonly PlainName[] =>
  names.map((each) => ({ each, theirs: plain(each) }));

/** The option that a name most probably means; `null` where it is a name of its own. */
export function slipOf(name: string, options: readonly PlainName[]): string | null {
  const ours = plain(name);
  const near = options
    .filter(({ theirs }) => Math.abs(theirs.length - ours.length) <= 2)
    .map(({ each, theirs }) => ({ each, apart: distance(theirs, ours) }))
    .filter(({ each, apart }) => apart === 0 || (each.length >= shortest && apart <= 2 && !isAnother(name, each)))
    .toSorted((a, b) => a.apart - b.apart);
  return near[0]?.each ?? null;
}

/** `vf_learning_rate`, `adam_beta3`, `min_grad_norm` and `lora_rank` are names of their own. */
function isAnother(name: string, option: string): boolean {
  if (name.startsWith(`${option}_`) || name.endsWith(`_${option}`)) return true;
  if (name.replaceAll(/\d/g, "") === option.replaceAll(/\d/g, "")) return true;
  const [ours, theirs] = [name.split("_"), option.split("_")];
  return ours.length === theirs.length && ours.some((word, at) => isOtherWord(word, theirs[at] ?? ""));
}

/** Short words that share little are no misspelling of each other; a plural is. */
const isOtherWord = (ours: string, theirs: string): boolean =>
  ours !== theirs &&
  (ours.length < 4 || (ours.length === 4 && !theirs.startsWith(ours) && distance(ours, theirs) > 1));
