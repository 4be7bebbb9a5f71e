/** Text that is read within a script: a function, a file, an argument that a shell reads again. */
import { parse } from "unbash";
import { fileOf } from "./folder.ts";
import type { Place, Reading } from "./reading.ts";
import { emptied, type ShellWord, type State, type Variable } from "./state.ts";
import { joined, scriptText, type Text } from "./text.ts";
import { writtenAt } from "./written.ts";

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
  // A function that perhaps calls itself does so as often as what nobody knows here says.
  if (!place.certain && place.calls.includes(name)) return true;
  const { positional, frame } = state;
  const before = new Map(state.variables.references);
  state.positional = words.slice(1).map(({ pieces }) => pieces);
  state.frame = new Map();
  reading.node(found.body, found.text, state, {
    ...place,
    depth: place.depth + 1,
    calls: [...place.calls, name],
  });
  for (const [name] of [...state.variables.references]) state.variables.release(name);
  restore(state.variables, state.frame);
  for (const [name, target] of before) state.variables.refer(name, target);
  state.frame = frame;
  state.positional = positional;
  if (state.ended === "returned") state.ended = "no";
  return true;
}

/** Variables as they were. */
export function restore(variables: Map<string, Variable>, before: ReadonlyMap<string, Variable | undefined>): void {
  for (const [name, variable] of before)
    if (variable === undefined) variables.delete(name);
    else variables.set(name, variable);
}

/** As often a file may read itself in the hope that a variable ends it. */
const mostRounds = 8;

/** `false` where the file is not there. Words behind the name of one that is sourced are its positional parameters; without them it has those of the script. */
export function read(
  reading: Reading,
  word: ShellWord | undefined,
  state: State,
  place: Place,
  way: "sourced" | "called",
  given: readonly ShellWord[] = [],
): boolean {
  if (word === undefined) return true;
  const written = writtenAt(reading.files, word, state.folders);
  const source = written === undefined ? (fileOf(word, state.folders, reading.read) ?? undefined) : undefined;
  // What it sets isn't known, and what the script says afterwards still holds.
  const text = written?.value == null ? source && scriptText(source) : joined(written.value);
  if (text === undefined) return false;
  const path = written?.name ?? source?.path ?? "";
  if (written !== undefined) written.use.isStarted = true;
  const rounds = place.reading.filter((each) => each === path).length;
  // A script starts itself once more with other words, variables or machines, and ends there: what it starts is read once.
  if (rounds > 0 && (way === "called" || !place.certain)) {
    if (way === "called" && place.reading.at(-1) === path) state.restarted = place.outer;
    return true;
  }
  if (rounds >= mostRounds) {
    state.ended = "exited";
    reading.problems.push({
      message: `${path} reads itself again here: the shell would go on until it runs out of memory`,
      fix: "Remove one of the `source` lines that form the cycle.",
      span: word.span,
    });
    return true;
  }
  if (source !== undefined && !reading.sources.some((each) => each.path === source.path))
    reading.sources.push(source);
  const script = parse(text.text);
  for (const error of script.errors ?? [])
    reading.problems.push({ message: error.message, span: text.spanOf(error.pos, error.pos + 1) });
  const { positional } = state;
  const own = given.map(({ pieces }) => pieces);
  if (given.length > 0) state.positional = own;
  reading.statements(script.commands, text, state, {
    ...place,
    depth: place.depth + 1,
    reading: [...place.reading, path],
  });
  // What `shift` leaves of them does not stay; of what `set` makes of them bash keeps some, and nobody says which.
  if (given.length > 0) {
    const isOwn = state.positional !== emptied && (state.positional ?? []).every((each) => own.includes(each));
    state.positional = isOwn ? positional : null;
  }
  if (state.ended === "returned") state.ended = "no";
  return true;
}
