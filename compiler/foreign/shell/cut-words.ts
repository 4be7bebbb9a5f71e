/** Words that an unclosed quote runs through: it swallows what was meant to stand behind it. */
import type { Problem } from "./reading.ts";
import type { ShellCommand, ShellWord } from "./state.ts";

/** In place of such a word: one that may be any value, and one that may be any more arguments. */
export function withoutCutWords(
  commands: readonly ShellCommand[],
  problems: readonly Problem[],
): readonly ShellCommand[] {
  const unclosed = problems.filter(({ message }) => message.startsWith("unterminated")).map(({ span }) => span);
  if (unclosed.length === 0) return commands;
  const isCut = ({ span }: ShellWord): boolean =>
    unclosed.some(({ source, start }) => span.source === source && span.end > start);
  return commands.map((command) => ({
    ...command,
    words: command.words.flatMap((word): readonly ShellWord[] => {
      if (!isCut(word)) return [word];
      const span = { ...word.span, end: word.span.start + 1 };
      const unknown: ShellWord = { text: null, span, from: [], pieces: [{ text: null, span, quoted: true }] };
      return [unknown, unknown];
    }),
  }));
}
