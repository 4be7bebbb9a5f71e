/** Options that a script may be given. What it has where nobody gives any is what runs then. */
import type * as Shell from "unbash";
import { countOf } from "./elements.ts";
import type { State, Variable } from "./state.ts";
import { plain, type Text } from "./text.ts";

const words = /\bgetopts\b|\$[#@*1]|\$\{(?:#?[@*]|[#1])/;

/** Does a loop go through the words of a script, which nobody knows? Told by what it asks, or by `shift` where it asks nothing. */
export function takesOptions(asked: string, body: Shell.CompoundList, text: Text, { positional }: State): boolean {
  if (countOf(positional) !== null) return false;
  const [first, last] = [body.commands[0], body.commands.at(-1)];
  const within = first === undefined || last === undefined ? "" : text.text.slice(first.pos, last.end);
  return words.test(asked) || (/^\s*(?:true|:)?\s*$/.test(asked) && /\bshift\b/.test(within));
}

/** One word that an option would replace, and not the beginning of words that options go on with. */
const isDefault = (variable: Variable | undefined): variable is Variable =>
  variable?.kind === "text" && /^[^\s-]\S*$|^-?\d\S*$/.test(plain(variable.value) ?? "");

/** What a script says before it looks at its options, where none is given. */
export function keepDefaults(before: State, after: State): void {
  for (const [name, variable] of before.variables)
    if (isDefault(variable) && after.variables.get(name)?.kind === "unknown") after.variables.set(name, variable);
}
