import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { ordered } from "../diagnostics/order.ts";
import { lex } from "../lexer/lex.ts";
import type { Source } from "../source/source.ts";
import type { Expression, File, Statement } from "./ast.ts";
import { balance } from "./brackets/balance.ts";
import { deepestExpression } from "./grammar/limits.ts";
import { readFloorDivisions } from "./floor-division.ts";
import { Grammar } from "./grammar/grammar.ts";
import { layOut, type Layout } from "./layout.ts";
import { readIndented } from "./indented-blocks.ts";
import { readNewcomers } from "./newcomers.ts";
import { readNumbers } from "./numbers/numbers.ts";
import { piecesOf } from "./pieces.ts";

/** Characters that are read in one go. Tokens of longer texts would outlive the young generation, which costs as much as reading. */
const longestPiece = 2 ** 15;

/** Reads a whole file. It never throws: what cannot be read is a diagnostic, and its neighbours are kept. */
export function parse(
  source: Source,
  piece = longestPiece,
): { readonly file: File; readonly diagnostics: readonly Diagnostic[] } {
  const file = source.text.length > 4 * piece ? parseInPieces(source, piece) : null;
  return file === null ? parseAtOnce(source) : { file, diagnostics: [] };
}

/** `null` where a piece has a mistake: what to say of it depends on what stands around. */
function parseInPieces(source: Source, piece: number): File | null {
  const statements: Statement[] = [];
  let doc: string | null = null;
  let start = 0;
  for (const end of piecesOf(source.text, piece)) {
    const read = parseStretch(source, start, end);
    if (read === null) return null;
    for (const statement of read.statements) statements.push(statement);
    if (start === 0) doc = read.doc;
    start = end;
  }
  return { kind: "file", source, doc, statements };
}

/** Reads whole statements from the midst of a file; `null` where they have a mistake. */
export function parseStretch(source: Source, start: number, end: number): Pick<File, "statements" | "doc"> | null {
  // What cannot be decoded and marks of a merge are told of a whole file.
  if (/\ufffd|<{7}|>{7}/.test(source.text.slice(start, end))) return null;
  const { layout, diagnostics } = prepare(source, "members", start, end);
  if (diagnostics.length > 0) return null;
  const result = reading((grammar) => grammar.readFile(source, layout));
  return result.diagnostics.length > 0 ? null : { statements: result.statements, doc: layout.fileDoc };
}

function parseAtOnce(source: Source): { readonly file: File; readonly diagnostics: readonly Diagnostic[] } {
  const { layout, diagnostics } = prepare(source, "members");
  const result = reading((grammar) => grammar.readFile(source, layout));
  const file: File = { kind: "file", source, doc: layout.fileDoc, statements: result.statements };
  return { file, diagnostics: ordered([...diagnostics, ...result.diagnostics]) };
}

/** Reads one value, such as that of a `--set`. */
export function parseExpression(source: Source): {
  readonly expression: Expression;
  readonly diagnostics: readonly Diagnostic[];
} {
  const { layout, diagnostics } = prepare(source, "value");
  const result = reading((grammar) => grammar.readExpression(source, layout));
  return { expression: result.expression, diagnostics: ordered([...diagnostics, ...result.diagnostics]) };
}

let instance: Grammar | undefined;

/** Where the stack is too small for the deepest expression, less deep ones are too deep already. */
function reading<T>(read: (grammar: Grammar) => T, deepest = deepestExpression): T {
  try {
    return read(deepest === deepestExpression ? (instance ??= new Grammar()) : new Grammar(undefined, deepest));
  } catch (error) {
    if (!(error instanceof RangeError) || deepest < 2) throw error;
    instance = undefined;
    return reading(read, deepest >> 1);
  }
}

function prepare(
  source: Source,
  holds: "members" | "value",
  start = 0,
  end = source.text.length,
): { readonly layout: Layout; readonly diagnostics: Diagnostic[] } {
  const { tokens, comments, diagnostics } = lex(source, start, end);
  readFloorDivisions(source, comments, diagnostics);
  const numbered = readNumbers(source, tokens, diagnostics);
  const balanced = balance(source, numbered);
  for (const diagnostic of balanced.diagnostics) diagnostics.push(diagnostic);
  const own = readNewcomers(source, readIndented(source, balanced.tokens, diagnostics), diagnostics);
  return { layout: layOut(source, own, diagnostics, holds, start === 0), diagnostics };
}
