import type { ShellWord } from "./state.ts";
import { cut, plain, unknownOf, type Piece } from "./text.ts";

const none: readonly string[] = [];

function namesIn(pieces: readonly Piece[]): readonly string[] {
  return [...new Set(pieces.flatMap(({ from }) => from ?? []))];
}

/** Each with the variable that the script has, where a name stands for it. */
function named(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.some(({ from }) => from !== undefined && unknownOf(from) !== from)
    ? pieces.map(({ from, ...piece }) => {
        const name = from === undefined ? undefined : unknownOf(from);
        return name === undefined ? piece : { ...piece, from: name };
      })
    : pieces;
}

/** The word of a command that pieces standing together are. */
export function wordOf(joint: readonly Piece[]): ShellWord {
  const pieces = named(joint);
  const [only] = pieces;
  // Nearly all words, of which a launch has hundreds.
  if (only !== undefined && pieces.length === 1)
    return { text: only.text, span: only.span, from: only.from === undefined ? none : namesIn(pieces), pieces };
  const from = pieces.some(({ from: name }) => name !== undefined) ? namesIn(pieces) : none;
  return { text: plain(pieces), span: spanOf(pieces), from, pieces };
}

/** An option and the value that nobody knows are two words: the name is known. */
export function withoutValue(word: ShellWord): readonly ShellWord[] {
  const { text, from, pieces } = word;
  const [first] = pieces;
  const option = text === null && typeof first?.text === "string" ? /^(--?[A-Za-z][\w.-]*)=/.exec(first.text) : null;
  if (option === null || first === undefined) return [word];
  const name = cut(first, 0, option[1]?.length ?? 0);
  const rest = [cut(first, option[0].length, first.text?.length ?? 0), ...pieces.slice(1)].filter(
    (p) => p.text !== "",
  );
  return [
    { text: name.text, span: name.span, from: [], pieces: [name] },
    { text: null, span: spanOf(rest), from, pieces: rest },
  ];
}

/** All of a word that stands in one place; else the part that is not empty. */
function spanOf(pieces: readonly Piece[]): Piece["span"] {
  const said = pieces.filter(({ text }) => text !== "");
  const [first, last] = [said[0] ?? pieces[0], said.at(-1) ?? pieces[0]];
  if (first === undefined || last === undefined) throw new Error("a word has a piece");
  const apart = last.span.start - first.span.end;
  return first.span.source === last.span.source && apart >= -1 && apart < 200
    ? { source: first.span.source, start: first.span.start, end: Math.max(first.span.end, last.span.end) }
    : first.span;
}
