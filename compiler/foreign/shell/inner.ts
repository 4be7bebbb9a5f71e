/** Text that is read within a script: a function, a file, an argument that a shell reads again. */
import { parse } from "unbash";
import type { Place, Reading } from "./reading.ts";
import type { ShellWord, State } from "./state.ts";
import { scriptText, type Text } from "./text.ts";

/** Text that a shell reads once more. */
export function again(reading: Reading, text: Text, state: State, place: Place): void {
  reading.spend(text.text.length / 100);
  reading.statements(parse(text.text).commands, text, state, { ...place, depth: place.depth + 1 });
}

export function called(
  reading: Reading,
  name: string,
  words: readonly ShellWord[],
  state: State,
  place: Place,
): boolean {
  const found = state.functions.get(name);
  if (found === undefined) return false;
  const { positional } = state;
  state.positional = words.slice(1).map(({ pieces }) => pieces);
  reading.node(found.body, found.text, state, { ...place, depth: place.depth + 1 });
  state.positional = positional;
  if (state.ended === "returned") state.ended = "no";
  return true;
}

/** `false` where the file is not there. */
export function sourced(reading: Reading, word: ShellWord | undefined, state: State, place: Place): boolean {
  if (word === undefined) return true;
  const found = word.text === null ? undefined : reading.read(word.text, word.span.source);
  // What it sets isn't known, and what the script says afterwards still holds.
  if (found === undefined) return false;
  if (place.reading.includes(found.path)) {
    reading.problems.push({
      message: `${found.path} reads itself again here: the shell would go on until it has no memory left`,
      fix: "Remove one of the `source` lines that make the circle.",
      span: word.span,
    });
    return true;
  }
  if (!reading.sources.some(({ path }) => path === found.path)) reading.sources.push(found);
  const text = scriptText(found);
  const script = parse(text.text);
  for (const error of script.errors ?? [])
    reading.problems.push({ message: error.message, span: text.spanOf(error.pos, error.pos + 1) });
  reading.statements(script.commands, text, state, {
    ...place,
    depth: place.depth + 1,
    reading: [...place.reading, found.path],
  });
  if (state.ended === "returned") state.ended = "no";
  return true;
}
