/** What a command hands to another shell: the text after `bash -c`, and the words that one on another machine reads. */
import { sbatchSettings, slurmVariables } from "../slurm/directives.ts";
import { bare } from "../settings.ts";
import { shellingNames, shellingOf, type Shelling } from "../commands/shells.ts";
import { unwrapped } from "../commands/unwrap.ts";
import { inputMark } from "./input-mark.ts";
import type { ShellWord, Value } from "./state.ts";
import { cut, type Piece } from "./text.ts";

export interface Handed {
  readonly text: Value;
  /** `$1` and on. */
  readonly positional: readonly Value[];
  /** On another machine, or in a session of its own: nothing of this shell's environment is there. */
  readonly isElsewhere: boolean;
  /** Variables that the program sets for it. */
  readonly sets: ReadonlyMap<string, string>;
}

/** Programs whose `-c` is text for a shell, whatever stands between. */
const shells = /^(?:(?:ba|z|da|k)?sh|su|runuser|script)$/;

export function handedTo(words: readonly ShellWord[]): readonly Handed[] {
  const given = handedText(words);
  if (given !== null) {
    const { text, isElsewhere } = given;
    const submitted = given.program === "sbatch" ? slurmVariables(sbatchSettings(given.words)) : [];
    const sets = new Map([...submitted].map(([name, { value }]) => [name, value]));
    return text.length === 0 ? [] : [{ text, positional: [], isElsewhere, sets }];
  }
  const shell = words.findIndex((word) => shells.test(baseOf(word)));
  if (shell < 0) return [];
  const flag = words.findIndex(
    (word, at) => at > shell && (/^-\w*c$/.test(word.text ?? "") || word.text === "--command"),
  );
  const script = flag < 0 ? undefined : words[flag + 1];
  if (script === undefined) return [];
  const positional = words.slice(flag + 3).map(({ pieces }) => pieces);
  const mark = words.slice(0, shell).some((word) => baseOf(word) === "xargs") ? inputMark(words) : null;
  return [{ text: marked(script.pieces, mark), positional, isElsewhere: false, sets: new Map() }];
}

/** Does a shell read what this command is given on its input? On another machine, or here. */
export function readsInput(words: readonly ShellWord[]): { readonly isElsewhere: boolean } | null {
  const remote = handedText(words);
  if (remote?.isElsewhere === true) {
    const text = remote.text.map((piece) => piece.text ?? "$").join("");
    if (text === "" || isBare(text)) return { isElsewhere: true };
  }
  const shell = words.findIndex((word) => /^(?:ba|z|da|k)?sh$/.test(baseOf(word)));
  if (shell < 0 || remote !== null) return null;
  const isLast = words.slice(shell + 1).every(({ text }) => text?.startsWith("-") === true && !/^-\w*c/.test(text));
  const starts =
    shell === 0 || words.slice(0, shell).some((word) => /^(?:docker|podman|kubectl|sudo|srun)$/.test(baseOf(word)));
  return isLast && starts ? { isElsewhere: false } : null;
}

const isBare = (text: string): boolean => /^\s*(?:\S*\/)?(?:ba|z|da|k)?sh(?:\s+-(?!\w*c)\S*)*\s*$/.test(text);

/** The text that a program of the table hands over; `null` where the command is no call of one. */
function handedText(words: readonly ShellWord[]): Given | null {
  if (!words.some((word) => shellingNames.has(baseOf(word)))) return null;
  const { words: inner } = unwrapped(words, () => undefined);
  const [first, second] = inner;
  const table = first === undefined ? undefined : shellingOf(baseOf(first), second?.text ?? "");
  if (table === undefined) return null;
  const phrase = phraseOf(inner, table);
  if (phrase === null) return null;
  const rest = inner.slice(1 + phrase);
  const isElsewhere = table.isHere !== true;
  const told = table.text === undefined ? undefined : optionOf(rest, table.text);
  const program = baseOf(first as ShellWord);
  if (told !== undefined) return { program, words: rest, text: told, isElsewhere };
  const dashes = rest.findIndex(({ text }) => text === "--");
  if (table.isOnly === true)
    return dashes < 0 || table.words === undefined
      ? null
      : { program, words: rest, text: spaced(rest.slice(dashes + 1)), isElsewhere };
  return { program, words: rest, text: textBehind(rest, table), isElsewhere };
}

interface Given {
  readonly program: string;
  readonly words: readonly ShellWord[];
  readonly text: Value;
  readonly isElsewhere: boolean;
}

/** How many words the phrase behind the program has; `null` where another stands there. */
function phraseOf(words: readonly ShellWord[], { phrases }: Shelling): number | null {
  if (phrases === undefined) return 0;
  for (const phrase of phrases) {
    const parts = phrase.split(" ");
    if (parts.every((part, at) => words[at + 1]?.text === part)) return parts.length;
  }
  return null;
}

/** The value of the first of these options, as pieces. */
function optionOf(words: readonly ShellWord[], names: readonly string[]): Value | undefined {
  for (const [at, { pieces }] of words.entries()) {
    const start = pieces[0]?.text ?? "";
    const [option, name] = /^--?([A-Za-z][\w-]*)/.exec(start) ?? [];
    if (option === undefined || name === undefined) continue;
    if (names.includes(bare(name))) {
      if (start[option.length] !== "=") return start === option ? words[at + 1]?.pieces : undefined;
      const [first, ...rest] = pieces as readonly [Piece, ...Piece[]];
      return [cut(first, option.length + 1, start.length), ...rest];
    }
  }
  return undefined;
}

function textBehind(words: readonly ShellWord[], { valued, words: own = 0, keys, until, marks }: Shelling): Value {
  const taking = new Set(valued.split(" "));
  // ssh takes options behind the host too. A host that is not known is a word all the same.
  const behind =
    own === 0 ? afterOptions(words, taking) : afterOptions(afterOptions(words, taking).slice(own), taking);
  const end = until === undefined ? -1 : behind.findIndex(({ text }) => until.test(text ?? ""));
  const rest = end < 0 ? behind : behind.slice(0, end);
  const said = keys === undefined ? rest : rest.filter(({ text }) => !keys.test(text ?? ""));
  const text = spaced(said);
  const [last] = said.slice(-1);
  if (marks === undefined || last === undefined) return text;
  if (said.some((word) => marks.test(word.text ?? ""))) return marked(text, marks);
  if (words.some((word) => /^--(?:nonall|onall)$/.test(word.text ?? ""))) return text;
  // The first of the words that are listed stands for all of them.
  const listed = end < 0 ? undefined : behind[end + 1];
  return [
    ...text,
    { text: " ", span: last.span, quoted: true },
    { text: listed?.text ?? null, span: (listed ?? last).span, quoted: true },
  ];
}

function spaced(words: readonly ShellWord[]): Value {
  return words.flatMap((word, at): readonly Piece[] => [
    ...(at === 0 ? [] : [{ text: " ", span: word.span, quoted: true }]),
    ...word.pieces,
  ]);
}

function afterOptions(words: readonly ShellWord[], valued: ReadonlySet<string>): readonly ShellWord[] {
  let at = 0;
  for (; at < words.length; at++) {
    const text = words[at]?.text ?? null;
    if (text === "--") return words.slice(at + 1);
    if (text === null || !/^-./.test(text)) break;
    if (valued.has(bare(text))) at++;
  }
  return words.slice(at);
}

/** Pieces in which a mark is not known. */
function marked(pieces: Value, mark: string | RegExp | null): Value {
  if (mark === null || mark === "") return pieces.map((piece) => ({ ...piece }));
  return pieces.flatMap((piece) => {
    const { text } = piece;
    if (text === null) return [{ ...piece }];
    const found = typeof mark === "string" ? placesOf(text, mark) : [...text.matchAll(new RegExp(mark, "g"))];
    let from = 0;
    const known = found.flatMap(({ 0: each, index }): readonly Piece[] => {
      const before = cut(piece, from, index);
      from = index + each.length;
      return [before, { ...piece, text: null }];
    });
    return [...known, cut(piece, from, text.length)];
  });
}

function placesOf(text: string, mark: string): { readonly 0: string; readonly index: number }[] {
  const found: { readonly 0: string; readonly index: number }[] = [];
  for (let index = text.indexOf(mark); index >= 0; index = text.indexOf(mark, index + mark.length))
    found.push({ 0: mark, index });
  return found;
}

const baseOf = ({ text }: ShellWord): string => text?.slice(text.lastIndexOf("/") + 1) ?? "";
