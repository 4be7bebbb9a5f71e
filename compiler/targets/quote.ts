/** Values in shell text: no value can end its word, whatever is in it. */

/** What a shell takes for the name of a variable: it stands where nothing can be quoted. */
export const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** One POSIX shell word that expands to exactly this text. */
export function quote(text: string): string {
  if (text.includes("\0")) throw new Error("a NUL byte cannot be passed to a program");
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command line of several words. Words that mean nothing to a shell stay bare, for people who read it. */
export function quoteWords(words: readonly string[]): string {
  return words.map((word) => (/^[A-Za-z0-9_./:=@%+,-]+$/.test(word) ? word : quote(word))).join(" ");
}

/** A text for people where a line break would begin something else. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ");
}
