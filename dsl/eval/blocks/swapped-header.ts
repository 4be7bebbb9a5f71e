import type { Fix } from "../../diagnostics/diagnostic.ts";
import type { Name } from "../../syntax/ast.ts";

/** `web source { … }`: the kind stands first, and what stands there is the name. */
export function swappedHeader(first: Name, second: Name): Fix {
  const edits = [
    { span: first.span, newText: second.text },
    { span: second.span, newText: first.text },
  ];
  return { title: `write \`${second.text} ${first.text}\``, edits };
}
