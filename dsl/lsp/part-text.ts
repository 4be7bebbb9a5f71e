/**
 * The text of a part, and where its stretches stand in it. Most of them are the same at each keystroke: they come first and are read
 * once, and only the one that is edited, behind them, is read anew.
 */
import type { Source } from "../source/source.ts";
import type { File, Statement } from "../syntax/ast.ts";
import { parseStretch } from "../syntax/parse.ts";

/** A statement of the file with what stands before it. */
export interface Stretch {
  /** Among the statements of the file. */
  readonly index: number;
  /** Where it begins in the file. */
  readonly start: number;
  readonly text: string;
  readonly isJudged: boolean;
  readonly isImport: boolean;
}

interface Place extends Stretch {
  /** Where it begins in the part. */
  readonly at: number;
}

export interface Laid {
  readonly source: Source;
  readonly file?: File;
  readonly places: readonly Place[];
}

/** One after the other, for whatever reads a text with a mistake. */
export function inOrder(path: string, stretches: readonly Stretch[]): Laid {
  let text = "";
  const places = stretches.map((stretch): Place => {
    const place = { ...stretch, at: text.length };
    text += stretch.text;
    return place;
  });
  return { source: { path, text }, places };
}

/** The last that was read for a file: the statements that stay, by their text. */
const known = new WeakMap<object, { readonly text: string; readonly statements: readonly Statement[] }>();

/** The edited one last; `null` where something has a mistake or is another number of statements. `of`: whom the others are kept for. */
export function readAnew(of: object, path: string, stretches: readonly Stretch[], edited: number): Laid | null {
  const others = stretches.filter(({ index }) => index !== edited);
  const laid = inOrder(path, [...others, ...stretches.filter(({ index }) => index === edited)]);
  const at = laid.places.at(-1)?.at ?? 0;
  const text = laid.source.text.slice(0, at);
  const before = known.get(of);
  const kept = before?.text === text ? before.statements : (parseStretch({ path, text }, 0, at)?.statements ?? []);
  known.set(of, { text, statements: kept });
  if (kept.length !== others.length) return null;
  const [statement, another] = parseStretch(laid.source, at, laid.source.text.length)?.statements ?? [];
  if (statement === undefined || another !== undefined) return null;
  const place = others.findIndex(({ index }) => index > edited);
  const statements = kept.toSpliced(place < 0 ? kept.length : place, 0, statement);
  return { ...laid, file: { kind: "file", source: laid.source, doc: null, statements } };
}
