import type { Fix } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../source/source.ts";

/** The fix that puts a text where another one is. */
export function write(span: Span, newText: string): Fix {
  return { title: `write \`${newText}\``, edits: [{ span, newText }] };
}
