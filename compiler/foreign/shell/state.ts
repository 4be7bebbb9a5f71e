import type * as Shell from "unbash";
import type { Span } from "../../../dsl/source/source.ts";
import type { Word } from "../../engines/word.ts";
import type { Piece, Text } from "./text.ts";

/** Pieces of one value; an array has several. */
export type Value = readonly Piece[];

export type Variable =
  | { readonly kind: "text"; readonly value: Value; readonly span: Span }
  | { readonly kind: "list"; readonly values: readonly Value[]; readonly span: Span }
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
}

/** What a script has written or is known to hold while it is read. */
export interface State {
  variables: Map<string, Variable>;
  readonly exported: Set<string>;
  /** `set -a`: every assignment exports. */
  exportsAll: boolean;
  readonly functions: Map<string, { readonly body: Shell.CommandNode | Shell.CompoundList; readonly text: Text }>;
  positional: readonly Value[] | null;
  /** The script, or the function, has ended. */
  ended: "no" | "returned" | "exited";
}

export function copyOf(state: State): State {
  return {
    variables: new Map(state.variables),
    exported: new Set(state.exported),
    exportsAll: state.exportsAll,
    functions: new Map(state.functions),
    positional: state.positional,
    ended: state.ended,
  };
}

/** What holds after one of several branches ran, nobody knows which. Says whether they disagree. */
export function merge(into: State, branches: readonly State[]): boolean {
  const open = branches.filter((branch) => branch.ended === "no");
  const left = open.length > 0 ? open : branches;
  const [first, ...others] = left;
  if (first === undefined) return false;
  let agree = true;
  const names = new Set(left.flatMap((branch) => [...branch.variables.keys()]));
  const variables = new Map<string, Variable>();
  for (const name of names) {
    const one = first.variables.get(name);
    if (one !== undefined && others.every((branch) => same(branch.variables.get(name), one)))
      variables.set(name, one);
    else {
      agree = false;
      variables.set(name, { kind: "unknown", span: one?.span ?? null });
    }
  }
  into.variables = variables;
  for (const branch of left) {
    for (const name of branch.exported) into.exported.add(name);
    for (const [name, body] of branch.functions) into.functions.set(name, body);
  }
  into.positional = others.every(({ positional }) => positional === first.positional) ? first.positional : null;
  into.ended = open.length === 0 ? first.ended : "no";
  return !agree;
}

function same(a: Variable | undefined, b: Variable): boolean {
  if (a === b) return true;
  return a?.kind === "text" && b.kind === "text" && textOf(a.value) !== null && textOf(a.value) === textOf(b.value);
}

function textOf(value: Value): string | null {
  let text = "";
  for (const { text: part } of value) {
    if (part === null) return null;
    text += part;
  }
  return text;
}
