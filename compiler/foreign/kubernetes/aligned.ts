/** Text of a manifest, word by word at its places there. */
import type { Span } from "../../../dsl/source/source.ts";
import type { Exported } from "../shell/reading.ts";
import type { Piece } from "../shell/text.ts";

/** Where each word of a text stands in the YAML that it was written in: folded, indented or in quotes. */
export function alignedPieces(text: string, span: Span, env: Exported): readonly Piece[] {
  const { source, start, end } = span;
  let from = start;
  return [...text.matchAll(/\S+|\s+/g)].map(({ 0: written }): Piece => {
    const part = expanded(written, env);
    const found = /\S/.test(written) ? source.text.indexOf(written, from) : -1;
    if (found < 0 || found + written.length > end) return { text: part, span, quoted: false };
    from = found + written.length;
    return { text: part, span: { source, start: found, end: from }, quoted: false };
  });
}

/** Kubernetes puts variables of the container in for `$(NAME)` before any shell reads it. */
export function expanded(text: string, env: Exported): string {
  return text.replaceAll(/\$\(([A-Za-z_]\w*)\)/g, (all, name: string) => (env.has(name) ? `\${${name}}` : all));
}
