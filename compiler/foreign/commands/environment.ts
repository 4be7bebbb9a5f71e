import type { Source, Span } from "../../../dsl/source/source.ts";
import type { ShellCommand, ShellWord } from "../shell/state.ts";
import type { ReadFile } from "./unwrap.ts";
import type { Wrapper } from "./wrappers.ts";

export type Environment = ShellCommand["env"];
type Entry = readonly [string, { readonly value: string | null; readonly span: Span }];

/** Variables that the options of a wrapper set for the program that it starts. */
export function assigned(options: readonly ShellWord[], wrapper: Wrapper, read: ReadFile): readonly Entry[] {
  return options.flatMap((word, at): readonly Entry[] => {
    const { option, value } = optionOf(word, options[at + 1]);
    if (option === null || value === undefined) return [];
    if (wrapper.files?.includes(option) === true) {
      const source = value.text === null ? undefined : read(value.text, value.word.span.source);
      return source === undefined ? [] : linesOf(source);
    }
    if (wrapper.exports?.includes(option) === true) return pairs(value, true);
    return wrapper.sets?.includes(option) === true ? pairs(value, wrapper.list === true) : [];
  });
}

interface Value {
  readonly text: string | null;
  readonly word: ShellWord;
}

function optionOf(word: ShellWord, next: ShellWord | undefined): { option: string | null; value: Value | undefined } {
  const equals = /^(--?[A-Za-z][\w-]*)=([^]*)$/.exec(word.text ?? "");
  if (equals !== null) return { option: equals[1] ?? null, value: { text: equals[2] ?? "", word } };
  return { option: word.text, value: next === undefined ? undefined : { text: next.text, word: next } };
}

function pairs({ text, word }: Value, list: boolean): readonly Entry[] {
  // Where only the value isn't known, the name still is.
  const said = text ?? word.pieces.map((piece) => piece.text ?? "\0").join("");
  return (list ? said.split(",") : [said]).flatMap((each): readonly Entry[] => {
    const pair = /^([A-Za-z_]\w*)=([^]*)$/.exec(each);
    if (pair === null) return [];
    const value = pair[2] ?? "";
    return [[pair[1] ?? "", { value: value.includes("\0") ? null : value, span: word.span }]];
  });
}

/** A file of `NAME=VALUE` lines, as containers read them: no quotes, no expansion. */
function linesOf(source: Source): readonly Entry[] {
  return [...source.text.matchAll(/^[ \t]*([A-Za-z_]\w*)=(.*?)\r?$/gm)].map(
    ({ 1: name = "", 2: value = "", index, 0: line }): Entry => [
      name,
      { value, span: { source, start: index, end: index + line.length } },
    ],
  );
}

/** Prefixes under which a container's runtime takes a variable for the inside. */
const prefixed = /^(?:APPTAINERENV|SINGULARITYENV)_(.+)$/;

/** The environment of the program: the shell's, with what stands around the program. */
export function environmentOf(...parts: readonly Environment[]): Environment {
  const all = new Map(parts.flatMap((part) => [...part]));
  for (const [name, value] of [...all]) {
    const inside = prefixed.exec(name)?.[1];
    if (inside !== undefined) all.set(inside, value);
  }
  return all;
}

/** `#SBATCH --export=ALL,NAME=VALUE` sets variables for the whole script. */
export function exportedBy(directive: { readonly value: unknown; readonly span: Span } | undefined): Environment {
  if (typeof directive?.value !== "string") return new Map();
  const word: ShellWord = { text: directive.value, span: directive.span, from: [], pieces: [] };
  return new Map(pairs({ text: directive.value, word }, true));
}
