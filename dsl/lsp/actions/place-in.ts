import { lineStartsOf, positionAt } from "../../source/source.ts";
import type { Block } from "../../syntax/ast.ts";
import { textOf } from "../positions.ts";

/** At the end of the block, on a line of its own where the block has several. */
export function placeIn({ span, body }: Block): { span: Block["span"]; before: string; after: string } {
  if (body === null) return { span: { ...span, start: span.end }, before: " { ", after: " }" };
  const text = textOf(span);
  const replaced = (tail: RegExp, before: string, after: string) => {
    const start = span.end - (tail.exec(text)?.[0].length ?? 1);
    return { span: { ...span, start }, before, after };
  };
  if (body.length === 0 && /\{\s*\}$/.test(text)) return replaced(/\{\s*\}$/, "{ ", " }");
  if (!/[\r\n]/.test(text)) return replaced(/,?\s*\}$/, ", ", " }");
  const newline = /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
  const own = lineStartsOf(span.source)[positionAt(span.source, span.start).line] ?? 0;
  const indent = /^[ \t]*/.exec(span.source.text.slice(own, span.start))?.[0] ?? "";
  const isAlone = /[\r\n][ \t]*\}$/.test(text);
  return replaced(/[ \t]*\}$/, `${isAlone ? "" : newline}${indent}  `, `${newline}${indent}}`);
}
