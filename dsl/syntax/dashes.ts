import { leadingMinus, yamlList } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Edit, Fix } from "../diagnostics/diagnostic.ts";
import { endOf, makeToken, type Token } from "../lexer/token.ts";
import {
  Colon,
  Comma,
  Doc,
  Equal,
  Identifier,
  LeftSquare,
  Minus,
  Mistake,
  Newline,
  RightSquare,
} from "../lexer/vocabulary.ts";
import type { Source, Span } from "../source/source.ts";
import { closerOf, isCloser } from "./brackets/closers.ts";

/** A line that begins with `-`: YAML's list, or an operator on the wrong line. Returns the last index it took up. */
export function readDash(
  source: Source,
  tokens: readonly Token[],
  index: number,
  result: Token[],
  out: Diagnostic[],
): number {
  const dash = tokens[index] ?? makeToken(Minus, "-", 0);
  const span: Span = { source, start: dash.startOffset, end: endOf(dash) };
  const before = result.findLastIndex((token) => token.tokenType !== Newline && token.tokenType !== Doc);
  const sign = result[before];
  const afterKey =
    (sign?.tokenType === Colon || sign?.tokenType === Equal) && result[before - 1]?.tokenType === Identifier;
  const lines = dashedLines(source, tokens, index);
  if (!afterKey && lines.length === 1 && !/^-[ \t]/.test(source.text.slice(span.start, span.start + 2))) {
    result.push(dash);
    return index;
  }
  if (
    !afterKey &&
    lines.length === 1 &&
    before >= 0 &&
    sign?.tokenType !== Comma &&
    closerOf(sign?.tokenType ?? Comma) === undefined
  ) {
    const end = endOf(sign ?? dash);
    const fix: Fix = {
      title: "put it at the end of the line before",
      edits: [
        { span: { source, start: end, end }, newText: " -" },
        { span: { source, start: span.start, end: span.end + 1 }, newText: "" },
      ],
    };
    out.push(leadingMinus(span, {}, { fixes: [fix] }));
    result.length = before + 1;
    result.push(dash);
    return index;
  }
  const last = lines.at(-1)?.last ?? index;
  const key = afterKey ? result[before - 1] : undefined;
  if (key?.image === composing && isAtStart(source, key.startOffset)) {
    // Hydra's list of what a file is made of, whatever its items are.
    const own: Span = { source, start: key.startOffset, end: endOf(key) };
    out.push(yamlList(own, {}, { fix: composed }));
    result.length = before - 1;
    return last;
  }
  const simple = lines.every((line) => line.last > line.first && !line.nested);
  if (!afterKey || !simple || sign === undefined) {
    out.push(yamlList(span, {}));
    if (afterKey) {
      result[before] = makeToken(Equal, sign?.image ?? "", sign?.startOffset ?? 0);
      result.push(makeToken(Mistake, "", span.start));
    }
    return last;
  }
  const end = endOf(tokens[last] ?? dash);
  const signStart = sign.tokenType === Colon && source.text[sign.startOffset - 1] !== " " ? " = [" : "= [";
  const edits: Edit[] = [
    { span: { source, start: sign.startOffset, end: endOf(sign) }, newText: signStart },
    ...lines.map((line): Edit => {
      const token = tokens[line.first];
      const next = tokens[line.first + 1];
      return { span: { source, start: token?.startOffset ?? 0, end: next?.startOffset ?? 0 }, newText: "" };
    }),
    { span: { source, start: end, end }, newText: "]" },
  ];
  out.push(yamlList(span, {}, { fixes: [{ title: "write a list in `[ ]`", edits }] }));
  result[before] = makeToken(Equal, sign.image, sign.startOffset);
  result.length = before + 1;
  result.push(makeToken(LeftSquare, "", span.start));
  for (const line of lines) {
    for (let at = line.first + 1; at <= line.last; at++) {
      const token = tokens[at];
      if (token !== undefined) result.push(token);
    }
    result.push(makeToken(Comma, "", endOf(tokens[line.last] ?? dash)));
  }
  result.push(makeToken(RightSquare, "", end));
  return last;
}

/** How Hydra says of which files one is made. */
export const composing = "defaults";
export const composed =
  'Nothing is composed by a list: `import "models.cdr" { small }` brings names, a block says what it is made of (`model = small`, `extends base`), and `preset` or `overlay` what varies.';

const isAtStart = ({ text }: Source, at: number): boolean => at === 0 || /[\r\n]/.test(text[at - 1] ?? "");

/** The dashes of `[`, `- a`, `- b`, `]`, asked for at the first: an item of its own cannot begin with one and a blank. */
export function dashedItems(source: Source, tokens: readonly Token[], index: number): readonly Token[] {
  const before = tokens.slice(0, index).findLast((token) => token.tokenType !== Newline && token.tokenType !== Doc);
  if (before?.tokenType !== LeftSquare) return [];
  const dashes: Token[] = [];
  let depth = 0;
  for (let at = index; at < tokens.length && depth >= 0; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    if (closerOf(token.tokenType) !== undefined) depth += 1;
    else if (isCloser(token.tokenType)) depth -= 1;
    const begins = depth === 0 && token.tokenType === Minus && tokens[at - 1]?.tokenType === Newline;
    if (begins && /[ \t]/.test(source.text[endOf(token)] ?? "")) dashes.push(token);
  }
  return dashes[0] === tokens[index] ? dashes : [];
}

export function dashesInList(source: Source, tokens: readonly Token[], dashes: readonly Token[]): Diagnostic {
  const edits = dashes.map((dash): Edit => {
    const next = tokens[tokens.indexOf(dash) + 1];
    return { span: { source, start: dash.startOffset, end: next?.startOffset ?? endOf(dash) }, newText: "" };
  });
  const first = dashes[0] ?? makeToken(Minus, "-", 0);
  const span: Span = { source, start: first.startOffset, end: endOf(first) };
  return yamlList(span, {}, { fixes: [{ title: "remove the dashes", edits }] });
}

interface DashedLine {
  readonly first: number;
  readonly last: number;
  /** It is a mapping, or goes on in deeper lines. */
  readonly nested: boolean;
}

/** The lines from `index` on that begin with a dash in its column, with the deeper lines below each. */
function dashedLines(source: Source, tokens: readonly Token[], index: number): readonly DashedLine[] {
  const column = columnOf(source, tokens[index]);
  const lines: DashedLine[] = [];
  for (let first = index; first < tokens.length;) {
    const token = tokens[first];
    const isDash = token?.tokenType === Minus && columnOf(source, token) === column;
    const isDeeper =
      lines.length > 0 && columnOf(source, token) > column && token !== undefined && !isCloser(token.tokenType);
    if (!isDash && !isDeeper) break;
    let last = first;
    let depth = 0;
    let nested = !isDash;
    for (let at = first + 1; at < tokens.length; at++) {
      const type = tokens[at]?.tokenType;
      if (type === undefined || type === Newline) break;
      if (closerOf(type) !== undefined) depth += 1;
      else if (isCloser(type)) depth -= 1;
      if (depth < 0) break;
      if (depth === 0 && (type === Colon || type === Equal)) nested = true;
      last = at;
    }
    const previous = lines.at(-1);
    if (isDash) lines.push({ first, last, nested });
    else if (previous !== undefined) lines[lines.length - 1] = { first: previous.first, last, nested: true };
    if (depth !== 0) {
      lines[lines.length - 1] = {
        first: lines.at(-1)?.first ?? first,
        last: closeOf(tokens, first, last),
        nested: true,
      };
      last = lines.at(-1)?.last ?? last;
    }
    first = last + 1;
    while (tokens[first]?.tokenType === Newline) first += 1;
  }
  return lines;
}

/** The index at which brackets opened between `first` and `last` are closed again. */
function closeOf(tokens: readonly Token[], first: number, last: number): number {
  let depth = 0;
  for (let at = first; at < tokens.length; at++) {
    const type = tokens[at]?.tokenType;
    if (type === undefined) break;
    if (closerOf(type) !== undefined) depth += 1;
    else if (isCloser(type)) depth -= 1;
    if (depth < 0) return Math.max(last, at - 1);
    if (depth === 0 && at >= last) return at;
  }
  return tokens.length - 1;
}

export function columnOf(source: Source, token: Token | undefined): number {
  if (token === undefined) return -1;
  const start = token.startOffset;
  let at = start;
  while (at > 0 && source.text[at - 1] !== "\n" && source.text[at - 1] !== "\r") at -= 1;
  return start - at;
}
