/**
 * Reads a script without running anything: follows its assignments, branches and functions as far as they are decided by the
 * script itself, and collects the commands that it would start.
 *
 * `unbash` parses: it is small, has no dependencies, is synchronous, keeps the place of every part and stops at a bound of
 * nesting. The WebAssembly parsers (sh-syntax, tree-sitter) take longer to load than a check may take.
 */
import { parse } from "unbash";
import type * as Shell from "unbash";
import type { Source, Span } from "../../../dsl/source/source.ts";
import { andOr, branches, cases } from "./branches.ts";
import { allWays, type Choices } from "./choices.ts";
import { holds } from "./condition.ts";
import type { Context } from "./context.ts";
import { valueOf } from "./expand.ts";
import { arithmeticFor, forEach, whileLoop } from "./loops.ts";
import { outputOfCalls } from "./called-output.ts";
import { outputOf, outputOfCommand } from "./output.ts";
import type { Exported, Given, Place, Problem, Reading, Skipped } from "./reading.ts";
import { simple } from "./run.ts";
import { withoutCutWords } from "./cut-words.ts";
import { copyOf, merge, stateOf, type ShellCommand, type State, type Value, type Variable } from "./state.ts";
import { scriptText, type Text } from "./text.ts";
import { keepGroup, repeatedTexts, writtenTexts, type WrittenFiles, type WrittenText } from "./written.ts";
import { isZsh } from "./zsh.ts";

export interface ShellScript {
  readonly commands: readonly ShellCommand[];
  /** Files that the script writes itself, by name. */
  readonly written: ReadonlyMap<string, WrittenText>;
  /** What a round of a loop writes, to files of as many rounds as nobody knows here. */
  readonly repeated: ReadonlyMap<string, Text>;
  readonly problems: readonly Problem[];
  /** Other scripts that were read. */
  readonly sources: readonly Source[];
  readonly skipped: readonly Skipped[];
}

class Overrun extends Error {}

/** Steps of work; the longest published launch scripts take a few thousand. */
const budget = 200_000;
const deepest = 40;

export function readShell(
  source: Source,
  given: Given,
  read: (path: string, from: Source) => Source | undefined,
): ShellScript {
  return readText({ text: scriptText(source), path: source.path }, given, new Map(), read);
}

/** Text that a shell runs, wherever it was written; `held` are files that are there before it begins. */
export function readText(
  { text, path }: { readonly text: Text; readonly path: string },
  given: Given,
  exported: Exported,
  read: (path: string, from: Source) => Source | undefined,
  choices: Choices = allWays,
  positional: readonly Value[] | null = null,
  held: WrittenFiles = new Map(),
): ShellScript {
  const commands: ShellCommand[] = [];
  const files: WrittenFiles = new Map(held);
  const problems: Problem[] = [];
  const sources: Source[] = [];
  const skipped: Skipped[] = [];
  let left = budget;

  const spend = (amount: number): void => {
    left -= amount + 1;
    if (left < 0) throw new Overrun();
  };

  const reading = readerOf({
    commands,
    files,
    problems,
    sources,
    skipped,
    given,
    choices,
    read,
    spend,
    prints: null,
  });
  const script = parse(text.text);
  for (const error of script.errors ?? [])
    problems.push({ message: error.message, span: text.spanOf(error.pos, error.pos + 1) });
  const start = stateOf({
    variables: new Map([
      ...[...given].map(([name, said]) => {
        const { value, span } = typeof said === "string" ? { value: said, span: text.spanOf(0, 0) } : said;
        return [name, variableOf(name, value, span)] as const;
      }),
      ...[...exported].map(([name, { value, span }]) => [name, variableOf(name, value, span)] as const),
    ]),
    exported: new Set(exported.keys()),
    positional,
  });
  try {
    reading.statements(script.commands, text, start, {
      certain: true,
      outer: null,
      looped: false,
      depth: 0,
      calls: [],
      reading: [path],
    });
  } catch (error) {
    if (!(error instanceof Overrun) && !(error instanceof RangeError)) throw error;
    problems.push({
      message: "this script does more work than any launch needs: the rest is not checked",
      fix: "Write the result of the loop or the recursion as plain text, or check only the part that starts the training.",
      span: text.spanOf(0, 1),
    });
  }
  return {
    commands: withoutCutWords(commands, problems),
    written: writtenTexts(files, held),
    repeated: repeatedTexts(files),
    problems,
    sources,
    skipped,
  };
}

/** How one script is gone through, over what it is to fill. */
function readerOf(own: Omit<Reading, "contextOf" | "statements" | "node" | "within">): Reading {
  const contextOf = (text: Text, state: State): Context => ({
    text,
    state,
    spend: own.spend,
    output: (script, context) => outputOf(script, context) ?? outputOfCalls(reading, script, context),
    valueOf,
    zsh: isOfZsh(text.spanOf(0, 0).source),
  });

  function statements(list: readonly Shell.Statement[], text: Text, state: State, place: Place): void {
    for (const statement of list) {
      if (state.ended !== "no") return;
      // A shell of its own carries out what runs behind.
      node(statement.command, text, statement.background === true ? copyOf(state) : state, place);
    }
  }

  function node(
    command: Shell.PipelineNode | Shell.AndOr | Shell.CompoundList,
    text: Text,
    state: State,
    place: Place,
  ): void {
    if (place.depth > deepest) throw new Overrun();
    own.spend(1);
    if (reading.prints !== null && !place.certain) reading.prints.isKnown = false;
    const context = contextOf(text, state);
    switch (command.type) {
      case "AndOr":
        return andOr(reading, command, text, state, place);
      case "Pipeline": {
        const [first, second, ...others] = command.commands;
        const piped = others.length === 0 ? outputOfCommand(first, context) : null;
        if (second?.type === "Command" && piped !== null)
          return simple(reading, second, text, copyOf(state), place, piped);
        for (const each of command.commands) {
          // The parts of a pipeline run in shells of their own; alone it is only a `!`.
          node(each, text, command.commands.length > 1 ? copyOf(state) : state, place);
        }
        return;
      }
      case "Command":
        return simple(reading, command, text, state, place);
      case "CompoundList":
        return statements(command.commands, text, state, place);
      case "BraceGroup":
        return statements(command.body.commands, text, state, place);
      case "Subshell":
        return statements(command.body.commands, text, copyOf(state), place);
      case "Redirected":
        keepGroup(reading, command, context, place);
        return node(command.command, text, state, place);
      case "If": {
        const clauses = [command, ...command.elif];
        const at = text.spanOf(command.pos, command.end);
        return branches(reading, clauses, command.else, at, text, state, place);
      }
      case "Case":
        return cases(reading, command, text, state, place);
      case "For":
        return forEach(reading, command, text, state, place);
      case "ArithmeticFor":
        return arithmeticFor(reading, command, text, state, place);
      case "While":
        return whileLoop(reading, command, text, state, place);
      case "Select": {
        const body = copyOf(state);
        const { pos, end, value } = command.name;
        for (const name of [value, "REPLY"])
          body.variables.set(name, { kind: "unknown", span: text.spanOf(pos, end) });
        statements(command.body.commands, text, body, { ...place, certain: false, looped: true });
        merge(state, [copyOf(state), { ...body, ended: "no" }]);
        return;
      }
      case "Function":
        state.functions.set(command.name.value, { body: command.body, text });
        return;
      case "Coproc":
        return node(command.body, text, copyOf(state), place);
      case "ArithmeticCommand":
      case "TestCommand":
        // For what they assign.
        holds(command, context);
        return;
    }
  }

  const reading: Reading = {
    ...own,
    contextOf,
    statements,
    node,
    within: (prints) =>
      readerOf({
        ...own,
        commands: [],
        files: new Map(own.files),
        problems: [],
        skipped: [],
        choices: allWays,
        prints,
      }),
  };
  return reading;
}

const zsh = new WeakMap<Source, boolean>();

function isOfZsh(source: Source): boolean {
  const known = zsh.get(source) ?? isZsh(source);
  zsh.set(source, known);
  return known;
}

function variableOf(name: string, text: string | null, span: Span): Variable {
  return text === null
    ? { kind: "unknown", span }
    : { kind: "text", value: [{ text, span, quoted: true, from: name }], span };
}
