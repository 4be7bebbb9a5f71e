import type { ShellWord } from "./state.ts";

/** What stands for a word of the input: `{}` of `xargs -I {}`; `null` where it stands at the end. */
export function inputMark(words: readonly ShellWord[]): string | null {
  const at = words.findIndex(({ text }) => text !== null && /^-(?:I|i)|^--replace/.test(text));
  const text = words[at]?.text ?? null;
  if (text === null) return null;
  if (text === "-I") return words[at + 1]?.text ?? null;
  return /^-[Ii](.+)$/.exec(text)?.[1] ?? /=(.+)$/.exec(text)?.[1] ?? "{}";
}
