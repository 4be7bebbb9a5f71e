/** A command: carried out where the shell does it itself, else collected as one that would run. */
import type * as Shell from "unbash";
import type { Span } from "../../../dsl/source/source.ts";
import { assign } from "./assign.ts";
import { builtin } from "./builtins.ts";
import { atStart, lost } from "./folder.ts";
import { printInto } from "./called-output.ts";
import { again, read, restore } from "./inner.ts";
import { handedTo, readsInput, type Handed } from "./handed.ts";
import { inputOf, withInputWords } from "./input.ts";
import type { Context } from "./context.ts";
import { documentFrom, valueFrom, wordsFrom } from "./expand.ts";
import type { Given, Place, Reading } from "./reading.ts";
import {
  copyOf,
  ofProcess,
  stateOf,
  type ShellCommand,
  type ShellWord,
  type State,
  type Value,
  type Variable,
} from "./state.ts";
import { joined, plain, type Text } from "./text.ts";
import { Variables } from "./variables.ts";
import { withoutValue } from "./word-of.ts";
import { keepWritten, scriptIn, writtenAt } from "./written.ts";

/** `piped` is what stands on its input, where a pipe brings it and it is known. */
export function simple(
  reading: Reading,
  command: Shell.Command,
  text: Text,
  state: State,
  place: Place,
  piped: Value | null = null,
): void {
  const context = reading.contextOf(text, state);
  const here = text.spanOf(command.pos, command.end);
  const assignments = command.prefix.filter((each): each is Shell.Assignment => each.type === "Assignment");
  if (command.name === undefined) {
    for (const each of assignments) {
      for (const { commands } of submitting(each)) reading.statements(commands, text, copyOf(state), place);
      assign(each, context);
    }
    // `$(< FILE)` is `$(cat FILE)`.
    if (reading.prints !== null && command.redirects.some(({ operator }) => operator === "<"))
      reading.prints.isKnown = false;
    return;
  }
  if (reading.prints !== null && printInto(reading.prints, command, context)) return;
  const written = [command.name, ...command.args].flatMap((each): readonly ShellWord[] =>
    each.type === "Word" ? wordsFrom(each, context) : [assignmentWord(each, context)],
  );
  const words = withInputWords(written, piped ?? inputOf(command, context)) ?? written;
  keepWritten(reading, command, words, piped, context, place);
  const given: Handed[] = [];
  for (const each of command.redirects) {
    if (each.type !== "HereDoc") {
      const read = each.operator === "<" ? writtenInput(each, reading, context) : null;
      const shell = read === null ? null : readsInput(words);
      if (read !== null && shell !== null) given.push({ text: read, positional: [], sets: new Map(), ...shell });
      continue;
    }
    if (words[0]?.text === "sbatch" && words.slice(1).every(({ text: word }) => word?.startsWith("-") === true)) {
      const name = `${here.start}.sbatch`;
      reading.files.set(name, { name, value: documentFrom(each, context), use: { isStarted: false } });
    }
    const shell = readsInput(words);
    if (shell !== null) given.push({ text: documentFrom(each, context), positional: [], sets: new Map(), ...shell });
  }
  const [program] = words;
  if (program === undefined) return;
  if (program.text !== null) {
    // What stands before a function or `eval` is set while it runs, and no longer.
    const runs = state.functions.has(program.text) || /^(?:eval|source|\.)$/.test(program.text);
    const before = new Map(runs ? assignments.map(({ name }) => [name, state.variables.get(name)] as const) : []);
    if (runs) for (const each of assignments) assign(each, context);
    const isDone = builtin(reading, program.text, words, command, text, state, place);
    restore(state.variables, before);
    if (isDone) return;
  }
  launch(reading, words, given, assignments, here, context, place);
  if (program.text === "exec" && words.length > 1) state.ended = "exited";
}

/** `srun bash < FILE`: a script that was written before. */
function writtenInput(
  { target }: { readonly target?: Shell.Word | undefined },
  { files }: Reading,
  context: Context,
): Value | null {
  if (target === undefined) return null;
  const file = writtenAt(files, { pieces: valueFrom(target, context) }, context.state.folders);
  if (file?.value == null) return null;
  file.use.isStarted = true;
  return file.value;
}

/** `ID=$(sbatch --parsable job.sh)`: what is submitted within. */
function submitting({ value }: Shell.Assignment): readonly Shell.ParsedScript[] {
  const parts = value.type === "Word" ? (value.parts ?? []) : [];
  return parts
    .flatMap((part): readonly Shell.WordPart[] => (part.type === "DoubleQuoted" ? part.parts : [part]))
    .flatMap((part) => {
      if (part.type !== "CommandExpansion" || part.script === undefined || part.script.source !== undefined)
        return [];
      const first = part.script.commands[0]?.command;
      const command = first?.type === "Pipeline" ? first.commands[0] : first;
      return command?.type === "Command" && command.name?.value === "sbatch" ? [part.script] : [];
    });
}

function launch(
  reading: Reading,
  words: readonly ShellWord[],
  given: readonly Handed[],
  assignments: readonly Shell.Assignment[],
  span: Span,
  context: Context,
  place: Place,
): void {
  const { state } = context;
  const env = new Map<string, { value: string | null; span: Span }>();
  for (const name of state.exported) {
    const variable = state.variables.get(name);
    if (variable === undefined) continue;
    env.set(name, { value: variable.kind === "text" ? plain(variable.value) : null, span: variable.span ?? span });
  }
  for (const each of assignments) {
    if (each.value.type !== "Word") continue;
    const value = valueFrom(each.value, context);
    env.set(each.name, { value: plain(value), span: context.text.spanOf(each.pos, each.end) });
  }
  const script = scriptIn(words, reading.files, state.folders);
  const word = words[script];
  const command: ShellCommand = {
    ...(word === undefined ? {} : { script: word }),
    words: words.flatMap(withoutValue),
    env,
    span,
    certain: place.certain,
    outer: place.outer ?? state.restarted,
    looped: place.looped,
    folder: state.folders.now,
  };
  reading.commands.push(command);
  const inner = (positional: readonly Value[] | null): State => {
    const own = new Map(state.variables);
    for (const each of assignments) {
      if (each.value.type !== "Word") continue;
      const value = valueFrom(each.value, context);
      own.set(each.name, { kind: "text", value, span: context.text.spanOf(each.pos, each.end) });
    }
    const exported = new Set([...state.exported, ...assignments.map(({ name }) => name)]);
    const variables = exportedOf(own, exported, reading.given);
    const open = stateOf({ variables, exported, positional, shell: command });
    return { ...open, folders: state.folders };
  };
  for (const { text, positional, isElsewhere, sets } of [...handedTo(words), ...given]) {
    const open = isElsewhere
      ? {
          ...inner(positional),
          variables: new Variables(),
          exported: new Set<string>(),
          folders: state.folders.now.from === null ? atStart : lost(state.folders, span.source),
        }
      : inner(positional);
    for (const [name, value] of sets)
      open.variables.set(name, { kind: "text", value: [{ text: value, span, quoted: true, from: name }], span });
    again(reading, joined(text), open, { ...place, outer: command });
  }
  if (word === undefined) return;
  const positional = words.slice(script + 1).map(({ pieces }) => pieces);
  const started = inner(positional);
  read(reading, word, started, { ...place, outer: command }, "called");
  state.restarted ??= started.restarted;
}

function assignmentWord(each: Shell.Assignment, context: Context): ShellWord {
  const span = context.text.spanOf(each.pos, each.end);
  const value = each.value.type === "Word" ? valueFrom(each.value, context) : null;
  const text = value === null ? null : plain(value);
  return { text: text === null ? null : `${each.name}=${text}`, span, from: [], pieces: value ?? [] };
}

function exportedOf(
  variables: ReadonlyMap<string, Variable>,
  exported: ReadonlySet<string>,
  given: Given,
): Map<string, Variable> {
  return new Map(
    [...variables].filter(
      ([name, { kind }]) =>
        (exported.has(name) || given.has(name)) && (kind === "text" || kind === "unknown") && !ofProcess.test(name),
    ),
  );
}
