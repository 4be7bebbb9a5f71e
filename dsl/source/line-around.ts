/** No word or path that a message reads is longer; a line of a megabyte would otherwise be read again for each of its tokens. */
const reach = 1000;

/** What stands on the line before a place, and behind it. */
export function lineAround(text: string, at: number): { readonly before: string; readonly after: string } {
  const before = text.slice(Math.max(0, at - reach), at);
  const after = text.slice(at, at + reach);
  return { before: /[^\r\n]*$/.exec(before)?.[0] ?? "", after: /^[^\r\n]*/.exec(after)?.[0] ?? "" };
}
