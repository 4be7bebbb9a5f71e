const colours = new RegExp(`${"\u001B"}\\[[0-9;]*m`, "g");

/** A plan's figures and units are a column each; what measures any character takes longer to load than a plan to be made. */
const widthOf = (text: string): number => text.replaceAll(colours, "").length;

/** Parts joined by `separator`, broken into lines of at most `width` columns between parts. */
export function wrap(parts: readonly string[], separator: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of parts) {
    const longer = line === "" ? part : `${line}${separator}${part}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = part;
    } else {
      line = longer;
    }
  }
  return line === "" ? lines : [...lines, line];
}
