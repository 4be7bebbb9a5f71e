import type { File, Statement } from "../../syntax/ast.ts";
import { nodesAt } from "../nodes.ts";
import type { Cursor } from "./context.ts";

/** What the block around the cursor says further down: the tokens before the cursor do not hold it. */
export function writtenBelow(file: File, offset: number, { open }: Cursor): readonly string[] {
  const start = open.at(-1)?.head[0]?.startOffset;
  const around = (nodesAt(file, offset) as readonly Statement[]).findLast((node) => node.kind === "block");
  if (around?.kind !== "block" || around.span.start !== start) return [];
  return (around.body ?? []).flatMap((member) => {
    if (member.span.start <= offset) return [];
    if (member.kind === "assign" || member.kind === "bound") return [member.target[0].text];
    return member.kind === "block" && member.name === null ? [member.head[0].text] : [];
  });
}
