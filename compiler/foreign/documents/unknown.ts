/** Values that a script puts into a file that it writes, and that nobody knows before it runs. */
import { hasHole, holes, type Text } from "../shell/text.ts";

/** Stands for each character of such a value: private use, so that no file of anybody's holds it. */
const mark = "\u{E000}";

/** In JSON a value without quotes has to be given some. */
const wordsOfJson = new RegExp(`"(?:[^"\\\\\\n]|\\\\.)*"|[-+.\\w]*${mark}[-+.\\w${mark}]*`, "g");

/** The text as a document can hold it, each part in its place; the same text where all of it is known. */
export function withUnknown(text: Text, format: "json" | "yaml"): Text {
  if (!hasHole(text.text)) return text;
  const marked = text.text.replaceAll(holes, (hole) => mark.repeat(hole.length));
  const quoted = (word: string): string => (word.startsWith('"') ? word : `"${mark.repeat(word.length - 2)}"`);
  return { ...text, text: format === "json" ? marked.replace(wordsOfJson, quoted) : marked };
}

export function isUnknown(text: string): boolean {
  return text.includes(mark);
}
