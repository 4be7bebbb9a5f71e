/** Work that an editor would have done again at each keystroke, though what it works on says the same as before. */

/** Results that are kept of each function. */
const most = 400;

/** Where something is said and how it came to be make no difference to what it is. */
const isBeside = (name: string): boolean => /^(?:span|origin)s?$|Spans?$/.test(name);

/** What a value says, as text: joined once, since a text that grew by additions is kept as a tree of its pieces. */
function essence(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(essence).join()}]`;
  if (value instanceof Set) return `<${[...(value as ReadonlySet<unknown>)].map(essence).join()}>`;
  const entries = value instanceof Map ? [...(value as ReadonlyMap<unknown, unknown>)] : Object.entries(value);
  const said = entries.filter(([key]) => value instanceof Map || !isBeside(key as string));
  return ["{", ...said.flatMap(([key, item]) => [String(key), ":", essence(item), ","]), "}"].join("");
}

const said = new WeakMap<object, string>();

/** The same of what is asked for again and again: a stage on many numbers of nodes. */
function essenceOf(given: unknown): string {
  if (typeof given !== "object" || given === null) return essence(given);
  let text = said.get(given);
  if (text === undefined) said.set(given, (text = essence(given)));
  return text;
}

/**
 * `work`, done once for arguments that say the same, as far as they matter; `isKept` tells results that hold wherever the arguments
 * were said.
 */
export function remember<A extends readonly unknown[], R>(
  work: (...given: A) => R,
  isKept: (result: R) => boolean,
  mattering: (...given: A) => readonly unknown[] = (...given) => given,
): (...given: A) => R {
  const known = new Map<string, R>();
  return (...given) => {
    const key = mattering(...given)
      .map(essenceOf)
      .join();
    const before = known.get(key);
    if (before !== undefined) return before;
    const result = work(...given);
    if (isKept(result)) {
      known.set(key, result);
      if (known.size > most) known.delete(known.keys().next().value ?? "");
    }
    return result;
  };
}
