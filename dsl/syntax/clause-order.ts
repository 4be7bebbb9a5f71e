/** `stage b after lint extends a`: what is wrong with the order of a header's clauses. */
import { headerOrder } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { replacement } from "../diagnostics/suggest.ts";
import { endOf, type Token } from "../lexer/token.ts";
import type { Source, Span } from "../source/source.ts";

export interface Clause {
  readonly word: Token;
  /** Its place among those of a header: `extends` is the first. */
  readonly rank: number;
  end: number;
}

/** What `after` names may be said together; of two bases, or two places, nobody knows which is meant. */
const several = 2;

export function clauseOrder(source: Source, clauses: readonly Clause[], word: Token): Diagnostic {
  const namesOf = (clause: Clause): string => source.text.slice(endOf(clause.word), clause.end).trim();
  const ranks = [...new Set(clauses.map(({ rank }) => rank))].sort((a, b) => a - b);
  const groups = ranks.map((rank) => clauses.filter((clause) => clause.rank === rank));
  const isClear = groups.every((group) => group.length === 1 || group[0]?.rank === several);
  const ordered = groups.map((group) => `${group[0]?.word.image} ${group.map(namesOf).join(", ")}`).join(" ");
  const whole: Span = { source, start: clauses[0]?.word.startOffset ?? 0, end: clauses.at(-1)?.end ?? 0 };
  const span: Span = { source, start: word.startOffset, end: endOf(word) };
  const fixes = isClear ? [replacement(whole, ordered)] : [];
  return headerOrder(span, { clause: word.image, ordered: isClear ? ordered : null }, { fixes });
}
