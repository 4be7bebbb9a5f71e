import type * as Shell from "unbash";
import type { State, Value } from "./state.ts";
import type { Text } from "./text.ts";

/** What words are expanded in. */
export interface Context {
  readonly text: Text;
  readonly state: State;
  /** Words are those of zsh: a scalar is never split, an array stands for all its elements and counts from 1. */
  readonly zsh: boolean;
  /** Counts work down; throws when a script asks for more than any launch needs. */
  readonly spend: (amount: number) => void;
  /** Standard output of a command that is known without running it, such as `cat <<EOF` or `echo`. */
  readonly output: (script: Shell.ParsedScript | undefined, context: Context) => Value | null;
  /** A part of a word where words aren't split. */
  readonly valueOf: (part: Shell.WordPart, context: Context) => Value;
}
