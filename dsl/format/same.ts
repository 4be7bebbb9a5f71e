/** Whether two files say the same, wherever they say it. */
import { lex } from "../lexer/lex.ts";
import type { File } from "../syntax/ast.ts";

export function saysTheSame(a: File, b: File): boolean {
  return meaningOf(a) === meaningOf(b) && commentsOf(a) === commentsOf(b);
}

/** The tree without its places. */
export function meaningOf({ doc, statements }: File): string {
  return JSON.stringify({ doc, statements }, (key: string, value: unknown) =>
    key === "span" || key === "source" ? undefined : value,
  );
}

function commentsOf({ source }: File): string {
  return lex(source)
    .comments.map((comment) => comment.image.trimEnd())
    .join("\n");
}
