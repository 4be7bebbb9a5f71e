/**
 * What a part of a file needs of the files behind it: what it names there, and what that names in turn. The other declarations of
 * those files were judged with the whole, and an edit of this one seldom changes what they mean.
 */
import type { Module } from "../symbols/symbol.ts";
import type { Statement } from "../syntax/ast.ts";

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly statement: Statement;
  readonly words: ReadonlySet<string>;
}

/** The texts of files behind `root`, by their paths, with nothing in them but what `words` of it lead to. */
export function behind(root: Module, words: ReadonlySet<string>): ReadonlyMap<string, string> {
  const kept = new Map<Module, Set<Piece>>();
  const open: { readonly module: Module; readonly words: ReadonlySet<string> }[] = [{ module: root, words }];

  const keep = (module: Module, piece: Piece): void => {
    const known = kept.get(module) ?? new Set<Piece>();
    kept.set(module, known);
    if (known.has(piece)) return;
    known.add(piece);
    open.push({ module, words: piece.words });
  };

  const follow = (module: Module, word: string, among: ReadonlySet<string>): void => {
    const symbol = module.names.get(word);
    if (symbol === undefined) return;
    const isOwn = symbol.module === module && symbol.kind !== "namespace";
    if (!isOwn && module !== root)
      for (const piece of piecesOf(module))
        if (piece.statement.kind === "import" && piece.words.has(word)) keep(module, piece);
    if (symbol.kind === "namespace") {
      for (const inner of among)
        if (symbol.of.names.get(inner)?.module === symbol.of) follow(symbol.of, inner, among);
    } else if (!isOwn) follow(symbol.module, symbol.name.text, among);
    else if (module !== root && !module.path.startsWith("std/"))
      for (const piece of piecesOf(module)) if (says(piece, word)) keep(module, piece);
  };

  // What is imported has to be there, or the import would be wrong.
  for (const [word, symbol] of root.names) if (symbol.module !== root) follow(root, word, words);
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const word of next.words) follow(next.module, word, next.words);
  return new Map([...kept].map(([{ path, file }, pieces]) => [path, blanked(file.source.text, pieces)]));
}

/** What is left stands where it stood, so that places in it are those of the file. */
function blanked(text: string, pieces: ReadonlySet<Piece>): string {
  let result = "";
  for (const { start, end } of [...pieces].sort((a, b) => a.start - b.start))
    result += blank(text.slice(result.length, start)) + text.slice(start, end);
  return result + blank(text.slice(result.length));
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ");

/** Declares what is called so, or amends it. */
function says({ statement, words }: Piece, word: string): boolean {
  const declares = "name" in statement && statement.name !== null ? statement.name.text : null;
  if (declares !== null) return declares === word;
  return ["block", "assign", "bound"].includes(statement.kind) && words.has(word);
}

const known = new WeakMap<Module, readonly Piece[]>();

function piecesOf(module: Module): readonly Piece[] {
  const before = known.get(module);
  if (before !== undefined) return before;
  const { statements, source } = module.file;
  const pieces = statements.map((statement, index): Piece => {
    const start = index === 0 ? 0 : statement.span.start;
    const end = statements[index + 1]?.span.start ?? source.text.length;
    return { start, end, statement, words: wordsOf(source.text.slice(start, statement.span.end)) };
  });
  known.set(module, pieces);
  return pieces;
}

export const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/[A-Za-z_]\w*/g));
