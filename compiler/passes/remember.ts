/** Work that an editor would have done again at each keystroke, though what it works on says the same as before. */

/** Results that are kept of each function. */
const most = 400;

/** Where something is said and how it came to be make no difference to what it is. */
const isBeside = (name: string): boolean => /^(?:span|origin)s?$|Spans?$/.test(name);

/** What a value says, as text: joined once, since a text that grew by additions is kept as a tree of its pieces. */
function essence(value: unknown): string {
  const pieces: string[] = [];
  say(value, pieces);
  return pieces.join("");
}

function say(value: unknown, pieces: string[]): void {
  if (typeof value === "string") pieces.push(JSON.stringify(value));
  else if (typeof value !== "object" || value === null) pieces.push(String(value));
  else if (Array.isArray(value) || value instanceof Set) {
    pieces.push(value instanceof Set ? "<" : "[");
    for (const item of value as Iterable<unknown>) {
      say(item, pieces);
      pieces.push(",");
    }
    pieces.push("]");
  } else if (value instanceof Map) {
    pieces.push("(");
    for (const [key, item] of value as ReadonlyMap<unknown, unknown>) sayNamed(String(key), item, pieces);
    pieces.push(")");
  } else {
    pieces.push("{");
    for (const key of Object.keys(value))
      if (!isBeside(key)) sayNamed(key, (value as Readonly<Record<string, unknown>>)[key], pieces);
    pieces.push("}");
  }
}

function sayNamed(name: string, value: unknown, pieces: string[]): void {
  pieces.push(name, ":");
  say(value, pieces);
  pieces.push(",");
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
