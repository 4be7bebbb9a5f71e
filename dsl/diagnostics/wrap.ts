/** Breaks a text between words into lines of at most `columns`; all but the first begin with `indent`. */
export function wrap(text: string, columns: number, indent: string, firstIndent = ""): string[] {
  const lines: string[] = [];
  let line = firstIndent;
  let empty = true;
  for (const word of text.split(" ")) {
    if (!empty && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = indent + word;
    } else {
      line += empty ? word : ` ${word}`;
    }
    empty = false;
  }
  return [...lines, line];
}
