/** Where the line of an offset begins. `lastIndexOf` would take an offset below 0, as before the first line, for 0. */
export function lineStart(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && text[start - 1] !== "\n" && text[start - 1] !== "\r") start--;
  return start;
}
