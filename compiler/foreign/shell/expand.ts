/** What words of a script expand to, as far as the script itself decides it. */
import type * as Shell from "unbash";
import { arithmetic } from "./arithmetic.ts";
import { alternativesOf } from "./braces.ts";
import type { Context } from "./context.ts";
import { fieldsOf, separatorsOf, type Part } from "./fields.ts";
import { literal } from "./literal.ts";
import { numbersOf } from "./number-of.ts";
import { expansion, named } from "./parameters.ts";
import type { ShellWord, Value } from "./state.ts";
import { plain, type Piece } from "./text.ts";
import { wordOf } from "./word-of.ts";

/** The words that one word of a command becomes. */
export function wordsFrom(word: Shell.Word, context: Context): readonly ShellWord[] {
  const separators = separatorsOf(context.state);
  const { parts } = word;
  const fields =
    parts?.some(({ type }) => type === "BraceExpansion") === true
      ? wordsOfBraces(parts, context).flatMap((each) => fieldsOf(each, separators))
      : fieldsOf(partsOf(word, context), separators);
  context.spend(fields.length);
  return fields.map(wordOf);
}

/** A word where it isn't split, such as the value of an assignment. */
export function valueFrom(word: Shell.Word, context: Context): Value {
  return quotedAll(unsplit(partsOf(word, context)));
}

/** A part of a word where it isn't split. */
export function valueOf(part: Shell.WordPart, context: Context): Value {
  return quotedAll(unsplit(expanded(part, context, true)));
}

/** A word as a pattern: what is quoted in it stands for itself. */
export function patternFrom(word: Shell.Word, context: Context): string | null {
  const { parts } = word;
  const source = context.text.text.slice(word.pos, word.end);
  if (parts === undefined) return source;
  const texts = parts.map((part) => {
    if (part.type === "Glob") return part.text;
    if (part.type === "Literal") return context.text.text.slice(part.pos, part.end);
    const text = plain(unsplit(expanded(part, context, false)));
    if (part.type === "SimpleExpansion" || part.type === "ParameterExpansion" || part.type === "CommandExpansion")
      return text;
    return part.type === "ExtendedGlob" ? null : (text?.replace(/[*?[\]\\]/g, "\\$&") ?? null);
  });
  return texts.includes(null) ? null : texts.join("");
}

/** The body of a here-document. */
export function documentFrom(document: Shell.HereDoc, context: Context): Value {
  const { body, delimiter } = document;
  if (delimiter?.quoted === true)
    return [{ text: body.text, span: context.text.spanOf(body.pos, body.end), quoted: true }];
  if (body.parts === undefined) return literal(body.pos, body.end, "document", context);
  return body.parts.flatMap((part): Piece[] =>
    part.type === "Literal"
      ? [...literal(part.pos, part.end, "document", context)]
      : [...unsplit(expanded(part, context, true))],
  );
}

const quotedAll = (value: Value): Value => value.map((piece) => (piece.quoted ? piece : { ...piece, quoted: true }));

function unsplit(parts: readonly Part[]): Value {
  return parts.map((part) => ("joint" in part ? part.joint : part));
}

const mostWords = 1024;

/** Braces make words of a word before anything else is expanded. */
function wordsOfBraces(parts: readonly Shell.WordPart[], context: Context): readonly (readonly Part[])[] {
  let words: readonly (readonly Part[])[] = [[]];
  for (const part of parts) {
    const made = part.type === "BraceExpansion" ? alternativesOf(part, context.text) : null;
    const found = made !== null && made.length * words.length <= mostWords ? made : null;
    const next = found?.map((piece) => [piece]) ?? [expanded(part, context, false)];
    words = words.flatMap((word) => next.map((each) => [...word, ...each]));
    context.spend(words.length);
  }
  return words;
}

function partsOf(word: Shell.Word, context: Context): readonly Part[] {
  const { parts } = word;
  if (parts === undefined) return literal(word.pos, word.end, "bare", context);
  // `$A[1]` is an element in zsh.
  const indexed = parts.some(({ text }, at) => text.startsWith("[") && parts[at - 1]?.type === "SimpleExpansion");
  if (context.zsh && indexed) return [{ text: null, span: context.text.spanOf(word.pos, word.end), quoted: false }];
  // Only words of commands and arrays have braces.
  return parts.flatMap((part) =>
    part.type === "BraceExpansion" ? literal(part.pos, part.end, "bare", context) : expanded(part, context, false),
  );
}

/** The operand of `${NAME:-…}`: as quoted as what it stands in, but for what is quoted within. */
function operandOf(word: Shell.Word, context: Context, quoted: boolean): readonly Part[] {
  const open = (pieces: readonly Piece[]): readonly Piece[] => pieces.map((piece) => ({ ...piece, quoted: false }));
  const { parts } = word;
  const written = (pos: number, end: number): readonly Piece[] =>
    quoted ? literal(pos, end, "double", context) : literal(pos, end, "bare", context, true);
  if (parts === undefined) return written(word.pos, word.end);
  return parts.flatMap((part): readonly Part[] => {
    if (part.type === "Literal" || part.type === "Glob") return written(part.pos, part.end);
    if (part.type === "BraceExpansion") return open(literal(part.pos, part.end, "bare", context));
    if (quoted && part.type === "SingleQuoted") return literal(part.pos, part.end, "double", context);
    return expanded(part, context, quoted);
  });
}

function empty({ pos, end }: { readonly pos: number; readonly end: number }, { text }: Context): Piece {
  return { text: "", span: text.spanOf(pos, end), quoted: true };
}

/** What is not known in it is found by the shell that expands it, unless another has put it there. */
function expanded(part: Shell.WordPart, context: Context, quoted: boolean): readonly Part[] {
  const parts = partsIn(part, context, quoted);
  const isNew = (each: Part): each is Piece => !("joint" in each) && each.text === null && each.by === undefined;
  if (!parts.some(isNew)) return parts;
  const { text, state } = context;
  const given = text.byOf?.(part.pos);
  const by = given === undefined ? (state.shell ?? state.restarted) : given;
  return parts.map((each) => (isNew(each) ? { ...each, by } : each));
}

function partsIn(part: Shell.WordPart, context: Context, quoted: boolean): readonly Part[] {
  const here = context.text.spanOf(part.pos, part.end);
  const unknown: Piece = { text: null, span: here, quoted };
  switch (part.type) {
    case "Literal":
      return literal(part.pos, part.end, quoted ? "double" : "bare", context);
    case "Glob":
      return literal(part.pos, part.end, "bare", context);
    case "SingleQuoted":
      return [
        {
          text: part.value,
          span: context.text.spanOf(part.pos + 1, Math.max(part.pos + 1, part.end - 1)),
          quoted: true,
        },
      ];
    case "AnsiCQuoted":
      return [{ text: part.value, span: here, quoted: true }];
    case "LocaleString":
    case "DoubleQuoted": {
      const inside = part.parts.flatMap((each) => expanded(each, context, true));
      const list = part.parts.some((each) => each.type !== "Literal" && /^\$(@|\{[^}]*\[@\]|\{@)/.test(each.text));
      return inside.length > 0 || list ? inside : [empty(part, context)];
    }
    case "SimpleExpansion":
      return named(part.text.slice(1), part, context, quoted);
    case "ParameterExpansion":
      return expansion(part, context, quoted, (word, inQuotes) => operandOf(word, context, inQuotes), patternFrom);
    case "ArithmeticExpansion": {
      const refused: string[] = [];
      const value = arithmetic(
        part.expression,
        numbersOf(context, here, 0, (why) => refused.push(why)),
      );
      const [why] = refused;
      return [
        {
          text: value === null || why !== undefined ? null : String(value),
          span: here,
          quoted: true,
          ...(why === undefined ? {} : { refused: why }),
        },
      ];
    }
    case "CommandExpansion": {
      const output = context.output(part.script, context);
      return output === null ? [unknown] : output.map((piece) => ({ ...piece, quoted }));
    }
    case "ProcessSubstitution":
    case "ExtendedGlob":
      return [{ ...unknown, quoted: true }];
    case "BraceExpansion":
      return [unknown];
  }
}
