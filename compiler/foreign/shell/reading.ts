import type * as Shell from "unbash";
import type { Source, Span } from "../../../dsl/source/source.ts";
import type { Choices } from "./choices.ts";
import type { Context } from "./context.ts";
import type { ShellCommand, ShellWord, State } from "./state.ts";
import type { Piece, Text } from "./text.ts";
import type { WrittenFiles } from "./written.ts";

/** What holds before the script starts, by name. */
export type Given = ReadonlyMap<string, string | Placed>;

/** What says a value, such as a directive of the job. */
export interface Placed {
  readonly value: string;
  readonly span: Span;
}

/** Variables of the environment that a script starts in; `null` where only the name is known. */
export type Exported = ReadonlyMap<string, { readonly value: string | null; readonly span: Span }>;

/** A longer value is no word of a launch. */
export const longestValue = 100_000;

export interface Problem {
  readonly message: string;
  /** What mends it, where that is no quote or keyword. */
  readonly fix?: string;
  readonly span: Span;
}

export interface Skipped {
  readonly words: readonly ShellWord[];
  readonly why: string;
  readonly span: Span;
}

/** Where a statement stands: what runs it, and whether it is sure to run. */
export interface Place {
  readonly certain: boolean;
  readonly outer: ShellCommand | null;
  readonly looped: boolean;
  readonly depth: number;
  /** The functions that are running. */
  readonly calls: readonly string[];
  readonly reading: readonly string[];
}

/** What is printed inside `$( … )`. */
export interface Prints {
  readonly pieces: Piece[];
  /** `false` where something else may be printed as well. */
  isKnown: boolean;
  /** Substitutions around it. */
  readonly depth: number;
}

/** One script while it is read: what was found so far, and how to go on. */
export interface Reading {
  readonly commands: ShellCommand[];
  /** What the script wrote so far. */
  readonly files: WrittenFiles;
  readonly problems: Problem[];
  readonly sources: Source[];
  /** What the shell would do itself and nothing here follows: limits, traps, files that are not there. */
  readonly skipped: Skipped[];
  readonly given: Given;
  readonly choices: Choices;
  readonly read: (path: string, from: Source) => Source | undefined;
  /** `null` outside of a substitution. */
  readonly prints: Prints | null;
  /** The same script inside a substitution: what it starts, writes and finds wrong there is its own. */
  readonly within: (prints: Prints) => Reading;
  readonly spend: (amount: number) => void;
  readonly contextOf: (text: Text, state: State) => Context;
  readonly statements: (list: readonly Shell.Statement[], text: Text, state: State, place: Place) => void;
  readonly node: (
    command: Shell.PipelineNode | Shell.AndOr | Shell.CompoundList,
    text: Text,
    state: State,
    place: Place,
  ) => void;
}
