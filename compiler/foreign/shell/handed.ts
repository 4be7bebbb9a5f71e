/** What a command hands to another shell: the text after `bash -c`, and the words that one on another machine reads. */
import { bare } from "../settings.ts";
import type { ShellWord, Value } from "./state.ts";
import { cut, type Piece } from "./text.ts";

export interface Handed {
  readonly text: Value;
  /** `$1` and on. */
  readonly positional: readonly Value[];
  /** On another machine, or in a session of its own: nothing of this shell's environment is there. */
  readonly isElsewhere: boolean;
}

interface Remote {
  readonly verbs?: ReadonlySet<string>;
  /** Options that take a value. */
  readonly valued: string;
  /** Words before the command: the host. */
  readonly words: number;
  /** Words at the end that are keys, and no part of it. */
  readonly keys?: RegExp;
}

const sessions = "t n c s x y e F f l";

/** Programs that join their words and give them to a shell. Sources: ssh(1), pdsh(1), clush(1), dsh(1), pssh(1), tmux(1). */
const remotes: Readonly<Record<string, Remote>> = {
  ssh: { valued: "B b c D E e F I i J L l m O o P p Q R S W w", words: 1 },
  rsh: { valued: "l", words: 1 },
  mosh: { valued: "p", words: 1 },
  pdsh: { valued: "w x l t u f R g M", words: 0 },
  clush: {
    valued: "w x g X f l o t u R O m worker fanout user options hostfile machinefile group exclude mode",
    words: 0,
  },
  dsh: { valued: "m machine g group f file F forklimit n r remoteshell o remoteshellopt", words: 0 },
  pssh: { valued: "h hosts H host l user p par o outdir e errdir t timeout O option x extra_args", words: 0 },
  tmux: {
    verbs: new Set(["new", "new-session", "neww", "new-window", "splitw", "split-window", "respawn-pane"]),
    valued: sessions,
    words: 0,
  },
};

const typed: Remote = { valued: "t", words: 0, keys: /^(?:C-m|Enter|KPEnter)$/ };

const names: Readonly<Record<string, string>> = { "parallel-ssh": "pssh", slogin: "ssh" };

/** Programs that only start another, behind whose options one of these may stand. */
const before =
  /^(?:-.*|\d+[smh]?|[A-Za-z_]\w*=.*|nohup|time|timeout|exec|command|sudo|env|setsid|stdbuf|sshpass|nice)$/;

/** Programs whose `-c` is text for a shell, whatever stands between. */
const shells = /^(?:(?:ba|z|da|k)?sh|su|runuser|script)$/;

export function handedTo(words: readonly ShellWord[]): readonly Handed[] {
  const remote = remoteText(words);
  if (remote !== null) return remote.length === 0 ? [] : [{ text: remote, positional: [], isElsewhere: true }];
  const shell = words.findIndex((word) => shells.test(baseOf(word)));
  if (shell < 0) return [];
  const flag = words.findIndex(
    (word, at) => at > shell && (/^-\w*c$/.test(word.text ?? "") || word.text === "--command"),
  );
  const script = flag < 0 ? undefined : words[flag + 1];
  if (script === undefined) return [];
  const positional = words.slice(flag + 3).map(({ pieces }) => pieces);
  const mark = words.slice(0, shell).some((word) => baseOf(word) === "xargs") ? inputMark(words) : null;
  return [{ text: marked(script.pieces, mark), positional, isElsewhere: false }];
}

/** Does a shell read what this command is given on its input? On another machine, or here. */
export function readsInput(words: readonly ShellWord[]): { readonly isElsewhere: boolean } | null {
  const remote = remoteText(words);
  if (remote !== null && (remote.length === 0 || isBare(remote.map(({ text }) => text ?? "$").join(""))))
    return { isElsewhere: true };
  const shell = words.findIndex((word) => /^(?:ba|z|da|k)?sh$/.test(baseOf(word)));
  if (shell < 0 || remote !== null) return null;
  const isLast = words.slice(shell + 1).every(({ text }) => text?.startsWith("-") === true && !/^-\w*c/.test(text));
  const starts =
    shell === 0 || words.slice(0, shell).some((word) => /^(?:docker|podman|kubectl|sudo|srun)$/.test(baseOf(word)));
  return isLast && starts ? { isElsewhere: false } : null;
}

const isBare = (text: string): boolean => /^\s*(?:\S*\/)?(?:ba|z|da|k)?sh(?:\s+-(?!\w*c)\S*)*\s*$/.test(text);

/** What stands for a word of the input: `{}` of `xargs -I {}`; `null` where it stands at the end. */
export function inputMark(words: readonly ShellWord[]): string | null {
  const at = words.findIndex(({ text }) => text !== null && /^-(?:I|i)|^--replace/.test(text));
  const text = words[at]?.text ?? null;
  if (text === null) return null;
  if (text === "-I") return words[at + 1]?.text ?? null;
  return /^-[Ii](.+)$/.exec(text)?.[1] ?? /=(.+)$/.exec(text)?.[1] ?? "{}";
}

/** The command that another machine's shell reads; `null` where the command is no such. */
function remoteText(words: readonly ShellWord[]): Value | null {
  const isBefore = ({ text }: ShellWord, index: number): boolean =>
    text !== null && (before.test(text) || words[index - 1]?.text?.startsWith("-") === true);
  const at = words.findIndex((word, index) => remotes[nameOf(word)] !== undefined || !isBefore(word, index));
  const remote = at < 0 ? undefined : remotes[nameOf(words[at] as ShellWord)];
  if (remote === undefined) return null;
  const verb = words[at + 1]?.text ?? "";
  if (remote.verbs === undefined) return behind(words.slice(at + 1), remote);
  if (verb === "send-keys" || verb === "send") return behind(words.slice(at + 2), typed);
  return remote.verbs.has(verb) ? behind(words.slice(at + 2), remote) : null;
}

function behind(words: readonly ShellWord[], { valued, words: own, keys }: Remote): Value {
  const taking = new Set(valued.split(" "));
  // ssh takes options behind the host too. A host that is not known is a word all the same.
  const rest = own === 0 ? afterOptions(words, taking) : afterOptions(afterOptions(words, taking).slice(own), taking);
  const said = keys === undefined ? rest : rest.filter(({ text }) => !keys.test(text ?? ""));
  return said.flatMap((word, at): readonly Piece[] => [
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
function marked(pieces: Value, mark: string | null): Value {
  if (mark === null || mark === "") return pieces.map((piece) => ({ ...piece }));
  return pieces.flatMap((piece) => {
    const parts = (piece.text ?? "").split(mark);
    if (piece.text === null || parts.length === 1) return [{ ...piece }];
    let from = 0;
    return parts.flatMap((part, at): readonly Piece[] => {
      const known = cut(piece, from, from + part.length);
      from += part.length + mark.length;
      return at === 0 ? [known] : [{ ...piece, text: null }, known];
    });
  });
}

const baseOf = ({ text }: ShellWord): string => text?.slice(text.lastIndexOf("/") + 1) ?? "";

const nameOf = (word: ShellWord): string => names[baseOf(word)] ?? baseOf(word);
