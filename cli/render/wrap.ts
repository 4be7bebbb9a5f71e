import stringWidth from "string-width";

/** Parts joined by `separator`, broken into lines of at most `width` columns between parts. */
export function wrap(parts: readonly string[], separator: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line}${separator}${part}`;
    if (line !== "" && stringWidth(longer) > width) {
      lines.push(line);
      line = part;
    } else {
      line = longer;
    }
  }
  return line === "" ? lines : [...lines, line];
}
