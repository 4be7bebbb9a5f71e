/** Names that only the expression around the cursor knows: parameters of its function, variables of comprehensions. */
import { type CompletionItem, CompletionItemKind as Kind } from "vscode-languageserver";
import { lex } from "../../lexer/lex.ts";
import type { Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Source } from "../../source/source.ts";
import { closerOf, isCloser } from "../../syntax/brackets/closers.ts";
import type { Cursor } from "./context.ts";

export interface Local {
  readonly name: string;
  readonly of: string;
}

export function localsAt(cursor: Cursor, source: Source, offset: number): readonly Local[] {
  const variables = cursor.open.flatMap(({ bracket }, index) =>
    bracket === "[" ? variableOf(cursor, index, source, offset) : [],
  );
  return [...parametersOf(cursor), ...variables];
}

/** Those of the function whose body the cursor is in. */
function parametersOf({ open, line, tokens }: Cursor): readonly Local[] {
  const [word, name] = open[0]?.head ?? line;
  if (word?.image !== "fn" || name === undefined) return [];
  const found: Local[] = [];
  let depth = 0;
  let begins = false;
  for (const token of tokens.slice(tokens.indexOf(name) + 1)) {
    const { tokenType, image } = token;
    if (isCloser(tokenType)) {
      depth -= 1;
      if (depth === 0) return found;
    }
    if (depth === 1 && begins && tokenType === t.Identifier) found.push({ name: image, of: name.image });
    if (closerOf(tokenType) !== undefined) depth += 1;
    begins = depth === 1 && [t.LeftParen, t.Comma, t.Newline].includes(tokenType);
  }
  return [];
}

/** `q` of `[q for q in l if q > 1]`: known before its `for`, and behind its `if`. */
function variableOf({ open, line }: Cursor, index: number, source: Source, offset: number): readonly Local[] {
  const before = open[index + 1]?.head ?? line;
  const at = before.findLastIndex(({ image }) => image === "for");
  if (at >= 0) return before.slice(at).some(({ image }) => image === "if") ? variable(before, at) : [];
  const after = lex({ path: source.path, text: source.text.slice(offset) }).tokens;
  let depth = open.length - index;
  for (const [next, { tokenType, image }] of after.entries()) {
    if (closerOf(tokenType) !== undefined) depth += 1;
    else if (isCloser(tokenType)) depth -= 1;
    if (depth === 0) return [];
    if (depth === 1 && image === "for" && after[next + 2]?.image === "in") return variable(after, next);
  }
  return [];
}

function variable(tokens: readonly Token[], at: number): readonly Local[] {
  const name = tokens[at + 1];
  return name?.tokenType === t.Identifier ? [{ name: name.image, of: "" }] : [];
}

export const localItems = (locals: readonly Local[]): CompletionItem[] =>
  locals.map(({ name, of }) => ({
    label: name,
    kind: Kind.Variable,
    sortText: `2${name}`,
    detail: of === "" ? "of the comprehension" : `parameter of \`${of}\``,
  }));
