import { inTable } from "../../in-table.ts";
import type { Registry } from "../../kind.ts";
import type { Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Frame } from "./frame.ts";
import type { Position } from "./positions.ts";

const nothing: Position = { kind: "nothing" };

/** Behind a kind, a name or a clause. */
export function headerPosition(line: readonly Token[], frame: Frame, registry: Registry): Position {
  const words = line.filter((token) => token.image !== "abstract");
  const [kindWord, name] = words;
  const last = line.at(-1);
  if (last === undefined) return nothing;
  if (last.image === "abstract") return { kind: "member", of: frame.block, written: new Set() };
  const kind = frame.block === null ? inTable(registry.kinds, kindWord?.image ?? "") : undefined;
  if (line.length === 1 && frame.block?.nested?.[last.image]?.open === true)
    return { kind: "open_name", around: frame.block.name };
  if (last.image === "extends") return { kind: "block", kinds: kindWord === undefined ? [] : [kindWord.image] };
  if (last.image === "on") return { kind: "block", kinds: kind?.on ?? ["cluster"] };
  if (last.image === "after" || last.tokenType === t.Comma) return { kind: "block", kinds: "step" };
  if (kind !== undefined && name !== undefined && name.tokenType === t.Identifier)
    return { kind: "header", of: kind, has: new Set(words.map((token) => token.image)) };
  return nothing;
}
