/** A pattern of the shell as a regular expression over the whole text, or `null` where it has parts that we don't read. */
export function pattern(text: string): RegExp | null {
  if (/[!@+?]\(|\[\[:/.test(text)) return null;
  let source = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    const close = char === "[" ? text.indexOf("]", at + 2) : -1;
    if (char === "*") source += "[^]*";
    else if (char === "?") source += "[^]";
    else if (close > 0) {
      source += `[${text
        .slice(at + 1, close)
        .replace(/^!/, "^")
        .replaceAll("\\", "\\\\")}]`;
      at = close;
    } else if (char === "\\" && at + 1 < text.length) source += escape(text[++at] as string);
    else source += escape(char);
  }
  try {
    return new RegExp(`^${source}$`);
  } catch {
    return null;
  }
}

function escape(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|/-]/, String.raw`\$&`);
}
