/** What Python's own types make of a word, as a parser of a command line has it; `undefined` where they refuse it. */

/** `int(text)`. */
export const pythonInt = (text: string): number | undefined =>
  /^\s*[+-]?\d+(_\d+)*\s*$/.test(text) ? Number(text.replaceAll("_", "")) : undefined;

/** `float(text)`. */
export function pythonFloat(text: string): number | undefined {
  const plain = text.trim().replaceAll(/(?<=\d)_(?=\d)/g, "");
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return Number(plain);
  if (/^[+-]?(inf|infinity)$/i.test(plain)) return plain.startsWith("-") ? -Infinity : Infinity;
  return /^[+-]?nan$/i.test(plain) ? Number.NaN : undefined;
}
