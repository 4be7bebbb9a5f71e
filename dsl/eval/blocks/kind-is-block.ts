import { unknownKind } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import type { Span } from "../../source/source.ts";
import type { BlockSymbol } from "../../symbols/symbol.ts";

/** `pretrain with { … }`, `pretrain fine { … }`: a declared block where a kind stands. */
export function kindIsBlock(at: Span, base: BlockSymbol, { name, node }: BlockSymbol): Diagnostic {
  const kind = at.source.text.slice(at.start, at.end);
  const of = base.node.head[0].text;
  const head = { ...at, end: name.span.end };
  const isAmendment = /^(?:with|where|set|amend)$/.test(name.text);
  const written = isAmendment ? kind : `${of} ${name.text} extends ${kind}`;
  const fixes = node.extends === null ? [replacement(head, written, `write \`${written} { … }\``)] : [];
  const fix = isAmendment
    ? `Amend it by its name alone, \`${kind} { … }\`.`
    : `Amend it by its name alone, \`${kind} { … }\`, or declare another one: \`${of} ${name.text} extends ${kind} { … }\`.`;
  return unknownKind(at, { kind, inside: [], block: of }, { fixes, fix });
}
