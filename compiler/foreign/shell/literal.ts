import type { Piece, Text } from "./text.ts";

/** Text as written, less its backslashes; runs without one keep their exact places. With `isOpen` all but what stands behind a backslash is split. */
export function literal(
  start: number,
  end: number,
  mode: "bare" | "double" | "document",
  { text }: { readonly text: Text },
  isOpen = false,
): readonly Piece[] {
  const raw = text.text.slice(start, end);
  const quoted = !isOpen;
  const piece = (from: number, to: number, quoted: boolean): Piece => {
    const name = text.fromOf?.(start + from, start + to);
    return {
      text: raw.slice(from, to),
      span: text.spanOf(start + from, start + to),
      quoted,
      ...(name === undefined ? {} : { from: name }),
    };
  };
  if (!raw.includes("\\")) return raw === "" ? [] : [piece(0, raw.length, quoted)];
  const special = mode === "double" ? '$`"\\\n' : "$`\\\n";
  const pieces: Piece[] = [];
  const add = (from: number, to: number, quoted: boolean): void => {
    if (to > from) pieces.push(piece(from, to, quoted));
  };
  let from = 0;
  for (let at = raw.indexOf("\\"); at >= 0; at = raw.indexOf("\\", at)) {
    const next = raw[at + 1];
    if (next === undefined || (mode !== "bare" && !special.includes(next))) {
      at++;
      continue;
    }
    add(from, at, quoted);
    from = next === "\n" ? at + 2 : at + 1;
    if (isOpen && next !== "\n") {
      add(from, from + 1, true);
      from += 1;
    }
    at += 2;
  }
  add(from, raw.length, quoted);
  return pieces;
}
