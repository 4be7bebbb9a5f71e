import type * as Shell from "unbash";
import type { Span } from "../../../dsl/source/source.ts";
import type { Word } from "../../engines/word.ts";
import { atStart, lost, sameFolder, type Folder, type Folders } from "./folder.ts";
import type { Piece, Text } from "./text.ts";
import { Variables } from "./variables.ts";

/** Pieces of one value; an array has several. */
export type Value = readonly Piece[];

export type Variable =
  | { readonly kind: "text"; readonly value: Value; readonly span: Span }
  | { readonly kind: "list"; readonly values: readonly Value[]; readonly span: Span }
  | { readonly kind: "map"; readonly entries: ReadonlyMap<string, Value>; readonly span: Span }
  | { readonly kind: "unknown"; readonly span: Span | null };

/** One word of a command, with what a rule may ask about how it came to be. */
export interface ShellWord extends Word {
  /** Variables that the shell put into it. */
  readonly from: readonly string[];
  /** What is known of a word that isn't known as a whole. */
  readonly pieces: readonly Piece[];
}

/** One command that would run. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  /** Variables that its environment holds for certain, `null` where the value isn't known. */
  readonly env: ReadonlyMap<string, { readonly value: string | null; readonly span: Span }>;
  readonly span: Span;
  /** Stands in a branch or loop that may not run. */
  readonly certain: boolean;
  /** The command that starts the shell which runs it: `srun bash -c …`, `srun train.sh`. */
  readonly outer: ShellCommand | null;
  /** A loop repeats it, maybe once for each host. */
  readonly looped: boolean;
  /** Where it runs. */
  readonly folder: Folder;
  /** The word that names the script that it starts. */
  readonly script?: ShellWord;
}

/** What a script has written or is known to hold while it is read. */
export interface State {
  /** The command that started this shell; `null` for that of the script itself. */
  readonly shell: ShellCommand | null;
  variables: Variables;
  readonly exported: Set<string>;
  /** `set -a`: every assignment exports. */
  exportsAll: boolean;
  readonly functions: Map<string, { readonly body: Shell.CommandNode | Shell.CompoundList; readonly text: Text }>;
  positional: readonly Value[] | null;
  /** Variables that the shell reckons with, changes or passes on when they are assigned: what they hold isn't followed. */
  readonly opaque: Set<string>;
  /** Variables that may not be assigned any more. */
  readonly frozen: Set<string>;
  /** What the variables of a function held before it made them its own; `null` outside of functions. */
  frame: Map<string, Variable | undefined> | null;
  /** How far `getopts` is within a word of several letters. */
  letter: number;
  folders: Folders;
  /** The script, the function, the loop or its round has ended. */
  ended: "no" | "returned" | "exited" | "broke" | "continued";
  /** Loops that are left besides the innermost. */
  levels: number;
  /** A branch that ended the script started it once more: what stands behind runs in there. */
  restarted: ShellCommand | null;
  /** Nobody knows whether the round or the loop ended. */
  isLoose: boolean;
}

/** Positional parameters that a script took away itself. */
export const emptied: readonly Value[] = [];

/** What Slurm sets for each process, and for the first of them in the script of the job. */
export const ofProcess = /^SLURM_(?:PROCID|NODEID|LOCALID)$/;

/** A shell that starts. */
export function stateOf({
  variables,
  exported,
  positional,
  shell = null,
}: Pick<State, "exported" | "positional"> & {
  readonly variables: ReadonlyMap<string, Variable>;
  readonly shell?: ShellCommand | null;
}): State {
  return {
    shell,
    variables: Variables.of(variables),
    exported,
    positional,
    exportsAll: false,
    functions: new Map(),
    opaque: new Set(),
    frozen: new Set(),
    frame: null,
    letter: 1,
    folders: atStart,
    ended: "no",
    levels: 0,
    restarted: null,
    isLoose: false,
  };
}

export function copyOf(state: State): State {
  return {
    shell: state.shell,
    variables: Variables.of(state.variables),
    exported: new Set(state.exported),
    exportsAll: state.exportsAll,
    functions: new Map(state.functions),
    positional: state.positional,
    opaque: new Set(state.opaque),
    frozen: new Set(state.frozen),
    frame: state.frame,
    letter: state.letter,
    folders: state.folders,
    ended: state.ended,
    levels: state.levels,
    restarted: state.restarted,
    isLoose: state.isLoose,
  };
}

/** What holds after one of several branches ran, nobody knows which. Says whether they disagree. */
export function merge(into: State, branches: readonly State[]): boolean {
  const isLeft = ({ ended }: State): boolean => ended === "broke" || ended === "continued";
  const open = branches.filter((branch) => branch.ended === "no" || isLeft(branch));
  const left = open.length > 0 ? open : branches;
  const [first, ...others] = left;
  if (first === undefined) return false;
  into.restarted ??= branches.find(({ ended }) => ended === "exited")?.restarted ?? null;
  let agree = true;
  const names = new Set(left.flatMap((branch) => [...branch.variables.keys()]));
  const variables = new Variables();
  for (const name of names) {
    const one = first.variables.get(name);
    if (one !== undefined && others.every((branch) => same(branch.variables.get(name), one)))
      variables.set(name, one);
    else {
      agree = false;
      variables.set(name, { kind: "unknown", span: one?.span ?? null });
    }
  }
  for (const [name] of left.flatMap((branch) => [...branch.variables.references])) {
    const target = first.variables.references.get(name);
    const isSame = left.every((branch) => branch.variables.references.get(name) === target);
    variables.refer(name, isSame ? (target ?? null) : null);
  }
  if (left.some((branch) => branch.variables.isOpen)) variables.stayOpen();
  into.variables = variables;
  // Each process that the script started anew has a number of its own.
  if (into.restarted !== null)
    for (const [name] of variables) if (ofProcess.test(name)) variables.set(name, { kind: "unknown", span: null });
  for (const branch of left) {
    for (const name of branch.exported) into.exported.add(name);
    for (const [name, body] of branch.functions) into.functions.set(name, body);
    for (const name of branch.opaque) into.opaque.add(name);
    // Refused on one way and not on another.
    for (const name of branch.frozen)
      (left.every(({ frozen }) => frozen.has(name)) ? into.frozen : into.opaque).add(name);
  }
  into.positional = others.every(({ positional }) => positional === first.positional) ? first.positional : null;
  const isSame = left.every(({ ended, levels }) => ended === first.ended && levels === first.levels);
  into.ended = isSame ? first.ended : "no";
  into.levels = isSame ? first.levels : 0;
  into.isLoose = left.some(({ isLoose }) => isLoose) || (!isSame && left.some(isLeft));
  into.letter = first.letter;
  const away = left.find(({ folders }) => folders.now.from !== null)?.folders.now.from ?? null;
  const isThere = others.every(({ folders }) => sameFolder(folders.now, first.folders.now));
  into.folders = isThere || away === null ? first.folders : lost(first.folders, away);
  return !agree;
}

function same(a: Variable | undefined, b: Variable): boolean {
  if (a === b) return true;
  if (a?.kind === "list" && b.kind === "list")
    return a.values.length === b.values.length && a.values.every((value, at) => alike(value, b.values[at] ?? []));
  return a?.kind === "text" && b.kind === "text" && alike(a.value, b.value);
}

const alike = (a: Value, b: Value): boolean => textOf(a) !== null && textOf(a) === textOf(b);

function textOf(value: Value): string | null {
  let text = "";
  for (const { text: part } of value) {
    if (part === null) return null;
    text += part;
  }
  return text;
}
