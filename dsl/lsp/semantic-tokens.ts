/** What each word is, for colours that a grammar of regular expressions cannot know. */
import { lineStartsOf, positionAt } from "../source/source.ts";
import { isStandard, type Meaning, type Occurrence } from "./meaning/meaning.ts";

export const tokenTypes = [
  "keyword",
  "class",
  "property",
  "variable",
  "parameter",
  "function",
  "enum",
  "enumMember",
  "namespace",
  "type",
  "method",
] as const;
export const tokenModifiers = ["declaration", "readonly", "defaultLibrary", "modification"] as const;

type TokenType = (typeof tokenTypes)[number];

/** As the protocol wants them: five numbers a token, relative to the one before. */
export function encode(occurrences: readonly Occurrence[]): number[] {
  const data: number[] = [];
  let [line, character] = [0, 0];
  let end = 0;
  for (const { span, meaning, role } of occurrences) {
    const type = typeOf(meaning);
    if (type === null || span.start < end) continue;
    const at = positionAt(span.source, span.start);
    if ((lineStartsOf(span.source)[at.line + 1] ?? Infinity) < span.end) continue;
    end = span.end;
    const bits = modifiersOf(meaning, role);
    data.push(
      at.line - line,
      at.line === line ? at.character - character : at.character,
      span.end - span.start,
      tokenTypes.indexOf(type),
      bits,
    );
    [line, character] = [at.line, at.character];
  }
  return data;
}

function typeOf(meaning: Meaning): TokenType | null {
  switch (meaning.kind) {
    case "symbol":
      return symbolTypes[meaning.symbol.kind];
    case "local":
      return "parameter";
    case "block_kind":
    case "group":
      return "keyword";
    case "nested":
      return "class";
    case "property":
    case "derived":
    case "handle":
    case "formula_name":
      return "property";
    case "parameter":
      return "parameter";
    case "constructor":
      return "method";
    case "enum_member":
      return "enumMember";
    case "builtin":
      return "function";
    case "type":
    case "unit":
      return "type";
    case "auto":
      return "keyword";
    case "phase":
      return "namespace";
  }
}

const symbolTypes = {
  block: "class",
  param: "variable",
  secret: "variable",
  let: "variable",
  fn: "function",
  enum: "enum",
  namespace: "namespace",
} as const satisfies Record<string, TokenType>;

function modifiersOf(meaning: Meaning, role: Occurrence["role"]): number {
  const bit = (name: (typeof tokenModifiers)[number]) => 1 << tokenModifiers.indexOf(name);
  const isReadonly = meaning.kind === "derived" || (meaning.kind === "symbol" && meaning.symbol.kind === "let");
  const isStd = meaning.kind === "builtin" || (meaning.kind === "symbol" && isStandard(meaning.symbol.module));
  return (
    (role === "declaration" ? bit("declaration") : 0) |
    (role === "amendment" ? bit("modification") : 0) |
    (isReadonly ? bit("readonly") : 0) |
    (isStd ? bit("defaultLibrary") : 0)
  );
}
