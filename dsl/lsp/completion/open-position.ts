/** Places in open blocks: `raw deepspeed { … }`, whose keys the descriptors do not know. */
import type { BlockKind } from "../../kind.ts";
import type { Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { OpenPlace } from "../open-keys.ts";
import type { Cursor } from "./context.ts";
import type { Position } from "./positions.ts";

/** What is known of the place around. */
interface Around {
  readonly block: BlockKind | null;
  readonly around: readonly BlockKind[];
  readonly open: OpenPlace | null;
}

/** The open block, or the section of one, that a head opens. */
export function openedBy(
  head: readonly Token[],
  block: BlockKind | null,
  { block: around, open }: Around,
): OpenPlace | null {
  if (open !== null) {
    const names = head.filter(({ tokenType }) => tokenType === t.Identifier || tokenType === t.StringToken);
    return { ...open, path: [...open.path, ...names.map(keyText)] };
  }
  const name = head[1];
  return block?.open === true && around !== null && name !== undefined
    ? { around: around.name, path: [name.image] }
    : null;
}

/** In an open block: a key, or the value of one. */
export function openPosition(
  { line, inString, open: opened }: Cursor,
  frame: Around,
  at: OpenPlace,
): Position | null {
  const items = opened.at(-1)?.items ?? [];
  const key = keysOf(line);
  const path = [...at.path, ...key.filter((_, i) => i % 2 === 0).map(keyText)];
  if (line.length === key.length && key.length % 2 === 0) {
    const written = items.flatMap(([first]) => (first === undefined || key.length > 0 ? [] : [keyText(first)]));
    return { kind: "open_key", at: { ...at, path }, written: new Set(written) };
  }
  const isValue = line.length === key.length + 1 && line.at(-1)?.tokenType === t.Equal && inString === null;
  return isValue ? { kind: "open_value", at: { ...at, path }, around: frame.around } : null;
}

/** The names and dots that a line begins with. */
function keysOf(line: readonly Token[]): readonly Token[] {
  const end = line.findIndex(({ tokenType }, i) =>
    i % 2 === 0 ? tokenType !== t.Identifier && tokenType !== t.StringToken : tokenType !== t.Dot,
  );
  return end < 0 ? line : line.slice(0, end);
}

const keyText = ({ image }: Token): string => image.replace(/^"|"$/g, "");
