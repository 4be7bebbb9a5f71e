/** The lines of a lexeme; a `"""` string moves with the member that holds it, which changes nothing that it says. */
import { commonIndent } from "../lexer/string-pieces.ts";

export function reindent(text: string, indent: number): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/);
  const moves = /^"""[ \t]*$/.test(lines[0] ?? "") && !/\\$|\$\{[^}]*$/m.test(text);
  if (lines.length === 1 || !moves) return lines;
  const [first = "", ...content] = lines;
  const taken = commonIndent(content.join("\n").slice(0, -3));
  const moved = content.map((line, index) => {
    const kept = line.slice(Math.min(taken, line.length - line.trimStart().length));
    return kept === "" && index < content.length - 1 ? "" : " ".repeat(indent) + kept;
  });
  return [first.trimEnd(), ...moved];
}
