/** A word that no clause of a header takes: `stage b extends a c { … }`. */
import { headerWord } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { endOf, type Token, type TokenType } from "../lexer/token.ts";
import * as t from "../lexer/vocabulary.ts";
import type { Source, Span } from "../source/source.ts";
import { inTable } from "../in-table.ts";

const clauses: readonly (readonly [TokenType, string])[] = [
  [t.Extends, "extends"],
  [t.After, "after"],
  [t.On, "on"],
];
/** Words of other languages for a clause. */
const synonyms: Readonly<Record<string, string>> = {
  ...{ inherits: "extends", inherit: "extends", implements: "extends", derives: "extends" },
  ...{ like: "extends", is: "extends", needs: "after", requires: "after", depends_on: "after", runs_on: "on" },
};
/** What stands before the kind of a block in other languages: `resource stage pre { … }`. */
const beforeKind = new Set(
  "resource dynamic module component block define declare new const static public private final global local".split(
    " ",
  ),
);
const ofHeader = new Set<TokenType>([t.Identifier, t.Dot, t.Abstract, ...clauses.map(([type]) => type)]);

/** What is wrong with `next`, where the item before it is a header; `token(0)` is the one before it, `token(-1)` the one before that. */
export function wordInHeader(source: Source, next: Token, token: (at: number) => Token): Diagnostic | null {
  const words: Token[] = [];
  for (let at = 0; ofHeader.has(token(at).tokenType); at--) words.unshift(token(at));
  const [kind, name] = words[0]?.tokenType === t.Abstract ? words.slice(1) : words;
  if (kind?.tokenType !== t.Identifier || name?.tokenType !== t.Identifier) return null;
  if (next.tokenType !== t.Identifier && next.tokenType !== t.StringToken) return null;
  const span = { source, start: next.startOffset, end: endOf(next) };
  const block = `${kind.image} ${name.image}`;
  if (beforeKind.has(kind.image) && kind === words[0]) {
    const first = { ...span, start: kind.startOffset, end: endOf(kind) };
    const why = `a block begins with its kind: \`${name.image} ${next.image}\``;
    return headerWord(first, { block, why }, { fixes: [remove({ ...first, end: name.startOffset }, kind)] });
  }
  if (/^(?:when|if|unless)$/.test(next.image) && token(2).tokenType !== t.LeftBrace) {
    const why = `a condition belongs in the block: \`${block} { when = … }\``;
    return headerWord(
      span,
      { block, why },
      { fixes: conditionInside(source, next, token(0)), fix: "Write `when = condition` in the block." },
    );
  }
  const before = { ...span, end: span.start };
  const inserted = (word: string): Fix => ({
    title: `write \`${word} ${next.image}\``,
    edits: [{ span: before, newText: `${word} ` }],
  });
  const reached = clauses.findLastIndex(([type]) => words.some((word) => word.tokenType === type));
  const isClause = clauses.some(([, word]) => word === next.image);
  const behind = token(2);
  const bare = /^"([A-Za-z_]\w*)"$/.exec(behind.image)?.[1];
  const meant =
    behind.tokenType === t.Identifier
      ? (inTable(synonyms, next.image) ??
        nearest(
          next.image,
          clauses.map(([, word]) => word),
        ))
      : null;
  const fixes =
    kind.image === name.image
      ? [remove({ ...span, start: kind.startOffset, end: name.startOffset }, kind)]
      : isClause && bare !== undefined
        ? [write({ ...span, start: behind.startOffset, end: endOf(behind) }, bare)]
        : meant !== null
          ? [write(span, meant)]
          : [
              ...(isClause || next.tokenType !== t.Identifier
                ? []
                : clauses.slice(reached + 1).map(([, word]) => inserted(word))),
              remove({ ...span, start: endOf(token(0)) }, next),
            ];
  const why = isClause
    ? `\`${next.image}\` takes a name without quotes`
    : `\`${next.image}\` does not follow \`extends\`, \`after\` or \`on\``;
  return headerWord(span, { block, why }, { fixes });
}

/** `data x when large { … }` as `data x { when = large, … }`. */
function conditionInside(source: Source, { image, startOffset }: Token, last: Token): readonly Fix[] {
  const [whole, condition = ""] =
    /^\w+[ \t]*(?:==?|:)?[ \t]*([^{}\r\n]*?)[ \t]*\{/.exec(source.text.slice(startOffset)) ?? [];
  if (whole === undefined || condition === "") return [];
  const end = startOffset + whole.length;
  const said = image === "unless" ? `not (${condition})` : condition;
  const [isLine, indent = "  "] = /^[ \t]*\r?\n([ \t]*)/.exec(source.text.slice(end)) ?? [];
  const isEmpty = /^\s*\}/.test(source.text.slice(end));
  const newText = isLine === undefined ? ` { when = ${said}${isEmpty ? "" : ","}` : ` {\n${indent}when = ${said}`;
  return [
    {
      title: `write \`when = ${said}\` in the block`,
      edits: [{ span: { source, start: endOf(last), end }, newText }],
    },
  ];
}

const write = (span: Span, newText: string): Fix => ({ title: `write \`${newText}\``, edits: [{ span, newText }] });
const remove = (span: Span, { image }: Token): Fix => ({
  title: `remove \`${image}\``,
  edits: [{ span, newText: "" }],
});
