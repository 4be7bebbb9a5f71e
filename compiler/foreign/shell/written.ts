/** Files that a script writes itself, and may start, read or hand to a program later. */
import type * as Shell from "unbash";
import { unwrapped } from "../commands/unwrap.ts";
import { outputOfLoop } from "./called-output.ts";
import type { Context } from "./context.ts";
import { valueFrom } from "./expand.ts";
import { joinedPath, placeOf, type Folders } from "./folder.ts";
import { inputOf } from "./input.ts";
import { endsLine, outputOfCommand, outputOfWords, withLine } from "./output.ts";
import type { Place, Reading } from "./reading.ts";
import type { ShellWord, Value } from "./state.ts";
import { joined, type Piece, type Text } from "./text.ts";

export interface WrittenFile {
  /** As the script calls it, with `$NAME` for what is not known. */
  readonly name: string;
  /** `null` where it is not known, as of another program's output. */
  readonly value: Value | null;
  /** What a round of a loop adds to it, of which nobody knows how many there are. */
  readonly round?: Value;
  /** Of a file and its copies. */
  readonly use: Use;
}

interface Use {
  /** A command of the script starts it. */
  isStarted: boolean;
}

/** What a file that a script writes says. */
export interface WrittenText extends Text {
  readonly isStarted: boolean;
}

export type WrittenFiles = Map<string, WrittenFile>;

/** Without those that were there before, and their copies. */
export function writtenTexts(files: WrittenFiles, held: WrittenFiles): ReadonlyMap<string, WrittenText> {
  const before = new Set([...held.values()].map(({ use }) => use));
  return new Map(
    [...files.values()].flatMap(({ name, value, use }) =>
      value === null || before.has(use) ? [] : [[name, { ...joined(value), isStarted: use.isStarted }] as const],
    ),
  );
}

/** What rounds of loops add, to files that hold nothing else. */
export function repeatedTexts(files: WrittenFiles): ReadonlyMap<string, Text> {
  return new Map(
    [...files.values()].flatMap(({ name, round }) => (round === undefined ? [] : [[name, joined(round)] as const])),
  );
}

/** Text that stands on the standard output of a command with this on its input. */
function contentOf(words: readonly ShellWord[], input: Value | null): Value | null {
  const [program, ...others] = words;
  const name = program?.text ?? "";
  if (program === undefined || (name === "cat" && others.every(({ text }) => text === "-")) || name === "tee")
    return input;
  if (name !== "echo" && name !== "printf") return null;
  const said = outputOfWords(name, others);
  return said !== null && endsLine(name, others[0]?.text ?? "") ? withLine(said, program.span) : said;
}

/** `kubectl apply -f -` and its kin take a manifest on their input. */
function appliesInput(words: readonly ShellWord[]): boolean {
  if (!/^(?:kubectl|oc|k3s|microk8s)$/.test(words[0]?.text?.split("/").at(-1) ?? "")) return false;
  const texts = words.map(({ text }) => text ?? "");
  if (!texts.some((text) => /^(?:apply|create|replace)$/.test(text))) return false;
  return texts.some((text, at) =>
    /^(?:-f|--filename)$/.test(text) ? texts[at + 1] === "-" : /^(?:-f=?-|--filename=-)$/.test(text),
  );
}

function teed([program, ...others]: readonly ShellWord[]): readonly Target[] {
  if (program?.text !== "tee") return [];
  const appends = others.some(({ text }) => /^-\w*a|^--append$/.test(text ?? ""));
  return others.flatMap(({ text, pieces }) => (text?.startsWith("-") === true ? [] : [{ pieces, appends }]));
}

/** Keeps what a command writes to files. */
export function keepWritten(
  reading: Reading,
  command: Shell.Command,
  words: readonly ShellWord[],
  piped: Value | null,
  context: Context,
  place: Place,
): void {
  const { folders } = context.state;
  const inner = unwrapped(words, () => undefined).words;
  const targets = [...targetsOf(command.redirects, context), ...teed(inner)];
  const [first] = inner;
  if (first !== undefined && appliesInput(inner)) {
    const name = `manifest-${first.span.start}.yaml`;
    reading.files.set(name, { name, value: piped ?? inputOf(command, context), use: { isStarted: true } });
  }
  if (targets.length === 0) return changeWritten(reading.files, inner, folders);
  keep(reading.files, targets, contentOf(inner, piped ?? inputOf(command, context)), folders, place);
}

/** `{ echo …; cat <<EOF …; } > FILE`: known where each of its commands prints what is known. */
export function keepGroup(
  reading: Reading,
  { command, redirects }: Shell.Redirected,
  context: Context,
  place: Place,
): void {
  const targets = targetsOf(redirects, context);
  if (targets.length === 0) return;
  if (loops.has(command.type)) {
    const { all, round } = outputOfLoop(reading, command, context);
    return keep(reading.files, targets, all, context.state.folders, place, all === null ? round : undefined);
  }
  const body = command.type === "BraceGroup" || command.type === "Subshell" ? command.body.commands : [];
  const said = body.map(({ command: each }) => {
    if (each.type !== "Command" || targetsOf(each.redirects, context).length > 0) return null;
    const output = outputOfCommand(each, context);
    return output !== null &&
      endsLine(each.name?.value ?? "", each.args[0]?.type === "Word" ? each.args[0].value : "")
      ? withLine(output, context.text.spanOf(each.pos, each.end))
      : output;
  });
  const content = said.length === 0 ? null : said.reduce<Value | null>(plus, []);
  keep(reading.files, targets, content, context.state.folders, place);
}

const loops: ReadonlySet<string> = new Set<Shell.CompoundCommand["type"]>(["For", "ArithmeticFor", "While"]);

function keep(
  files: WrittenFiles,
  targets: readonly Target[],
  content: Value | null,
  folders: Folders,
  { certain, looped }: Place,
  round?: Value,
): void {
  for (const { pieces, appends } of targets) {
    const key = keyOf(pieces, folders);
    const before = files.get(key);
    const value = appends && before !== undefined ? plus(before.value, content) : content;
    // Of two texts that two ways through the script write, nobody knows which is there.
    const differs = !certain && before !== undefined && !appends && spelt(before.value) !== spelt(value);
    // A loop that nobody knows the rounds of adds as many lines.
    const isOpen = differs || (!certain && looped && appends);
    const added = round ?? (!certain && looped && appends ? content : null);
    const all = before === undefined || before.value?.length === 0 ? added : plus(before.round ?? null, added);
    files.set(key, {
      name: nameOf(pieces),
      value: isOpen ? null : value,
      ...(all === null || (!isOpen && value !== null) ? {} : { round: all }),
      use: { isStarted: false },
    });
  }
}

function targetsOf(redirects: readonly Shell.Redirection[], context: Context): readonly Target[] {
  return redirects
    .flatMap((each): readonly Target[] =>
      each.type === "Redirect" &&
      each.target !== undefined &&
      /^&?>[>|]?$/.test(each.operator) &&
      (each.descriptor ?? 1) === 1
        ? [{ pieces: valueFrom(each.target, context), appends: each.operator.endsWith(">>") }]
        : [],
    )
    .filter(({ pieces }) => pieces[0]?.text?.startsWith("/dev/") !== true);
}

interface Target {
  readonly pieces: Value;
  readonly appends: boolean;
}

/** Longer ones, and more of them, no launch writes: what a script does without end is not followed. */
const mostPieces = 2000;
const mostFiles = 200;

const plus = (before: Value | null, more: Value | null): Value | null =>
  before === null || more === null || before.length > mostPieces ? null : [...before, ...more];

const spelt = (value: Value | null): string | null =>
  value === null ? null : value.map((piece) => piece.text ?? keyOfPiece(piece)).join("");

/** `cp` and `mv` give a file another name; what `sed -i` makes of it is not known. */
function changeWritten(files: WrittenFiles, words: readonly ShellWord[], folders: Folders): void {
  const name = words[0]?.text;
  if (name === "cp" || name === "mv") {
    const [from, to, ...others] = words.slice(1).filter(({ text }) => text?.startsWith("-") !== true);
    if (from === undefined || to === undefined || others.length > 0) return;
    const file = files.get(keyOf(from.pieces, folders));
    if (file === undefined) return;
    if (name === "mv") files.delete(keyOf(from.pieces, folders));
    const isFolder = /(?:^|\/)\.{0,2}$/.test(to.pieces.at(-1)?.text ?? "");
    const pieces = isFolder
      ? [...to.pieces, { text: `/${baseName(nameOf(from.pieces))}`, span: to.span, quoted: true }]
      : to.pieces;
    files.set(keyOf(pieces, folders), { ...file, name: nameOf(pieces) });
  } else if (name === "sed" && words.some(({ text }) => /^(?:-\w*i|--in-place)/.test(text ?? "")))
    for (const { pieces } of words.slice(1)) {
      const file = files.get(keyOf(pieces, folders));
      if (file !== undefined) files.set(keyOf(pieces, folders), { ...file, value: null });
    }
}

/** The file that a word names: the same path, or the only one of that name where the folders cannot be compared. */
export function writtenAt(
  files: WrittenFiles,
  { pieces }: Pick<ShellWord, "pieces">,
  folders: Folders,
): WrittenFile | undefined {
  if (files.size === 0) return undefined;
  const own = files.get(keyOf(pieces, folders));
  if (own !== undefined) return own;
  if (files.size > mostFiles) return undefined;
  const key = keyOf(pieces, folders);
  const alike = [...files].filter(
    ([other]) => baseName(other) === baseName(key) && !(isPlain(other) && isPlain(key)),
  );
  return alike.length === 1 ? alike[0]?.[1] : undefined;
}

/** Two paths that both count from the same folder are two files. */
const isPlain = (key: string): boolean => !/^[/~$\uE000]/.test(key);

/** Programs that handle files and start none. */
const fileTools =
  /^(?:chmod|chown|cat|cp|mv|rm|ls|ln|scp|rsync|sbcast|sed|awk|grep|head|tail|wc|touch|tee|stat|test|\[|diff|md5sum|sha256sum|sync|find|dos2unix|less|more|vim|nano|git|tar|echo|printf|realpath|readlink|basename|dirname|shellcheck|sbatch)$/;

const scriptName = /\.(?:sh|bash|sbatch|slurm)$/;
const isShell = (text: string | null): boolean => /(?:^|\/)(?:ba|z|da|k)?sh$/.test(text ?? "");

/** Where in a command the script stands that it starts; -1 where there is none. */
export function scriptIn(words: readonly ShellWord[], files: WrittenFiles, folders: Folders): number {
  const inner = unwrapped(words, () => undefined).words;
  const [program] = inner;
  if (program === undefined || fileTools.test(baseName(program.text ?? ""))) return -1;
  const last = words.findIndex(({ text }) => text === "-c");
  const taken = last < 0 ? words : words.slice(0, last);
  const first = isShell(program.text) ? inner.slice(1).find(({ text }) => text?.startsWith("-") !== true) : program;
  return taken.findIndex((word) => {
    if (word.text !== null && scriptName.test(word.text)) return true;
    const file = writtenAt(files, word, folders);
    if (file === undefined) return false;
    const shebang = /^#!.*/.exec(spelt(file.value) ?? "")?.[0];
    if (scriptName.test(file.name) || /sh\b/.test(shebang ?? "")) return true;
    return shebang === undefined && (word === first || word.span === first?.span);
  });
}

/** One for each file, as far as a script says which it is. Unknown parts are the same where the same variable or the same substitution made them. */
function keyOf(pieces: Value, folders: Folders): string {
  const { path, folder } = placeOf(pieces, folders, keyOfPiece);
  return joinedPath(folder, path.replace(/^(?:\.\/+)+/, "")).replace(/(?<=.)\/{2,}/g, "/");
}

function keyOfPiece({ text, span: { source, start, end } }: Piece): string {
  if (text !== null) return text;
  const written = source.text.slice(start, end);
  const variable = /^\$\{?(\w+)\}?$/.exec(written)?.[1];
  return variable === undefined ? `\uE000${source.path}:${start}\uE000` : `$${variable}`;
}

function nameOf(pieces: Value): string {
  return pieces.map(({ text, span }) => text ?? span.source.text.slice(span.start, span.end)).join("");
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
