/** Lines that fit: measured as a terminal does, colours not counted and wide characters twice. */
import stringWidth from "string-width";

export function widthOf(text: string): number {
  return stringWidth(text);
}

const escape = "\u001B";
/** A change of colour, or a character with the marks that stand on it. */
const pieces = new RegExp(`${escape}\\[[0-9;]*m|\\P{M}\\p{M}*`, "gsu");

/** At most so many columns; what was cut ends in `…`, and colours are closed. */
export function fit(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  if (columns <= 0) return "";
  let width = 0;
  let cut = "";
  let coloured = false;
  for (const [token] of line.matchAll(pieces)) {
    if (token.startsWith(escape)) {
      coloured = true;
      cut += token;
      continue;
    }
    const next = stringWidth(token);
    if (width + next > columns - 1) break;
    width += next;
    cut += token;
  }
  return `${cut}…${coloured ? `${escape}[0m` : ""}`;
}

export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/** Breaks at spaces; a word longer than a line stands alone. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && widthOf(line) + 1 + widthOf(word) > columns) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}
