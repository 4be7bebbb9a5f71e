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
import { arithmetic } from "./arithmetic.ts";
import { holds } from "./condition.ts";
import { documentFrom, numberOf, valueFrom, wordsFrom, type Context } from "./expand.ts";
import { pattern } from "./pattern.ts";
import { copyOf, merge, type ShellCommand, type ShellWord, type State, type Value, type Variable } from "./state.ts";
import { joined, plain, textOf, type Piece, type Text } from "./text.ts";

export interface ShellScript {
  readonly commands: readonly ShellCommand[];
  /** Files that the script writes itself: a here-document redirected to a name. */
  readonly written: ReadonlyMap<string, Text>;
  readonly problems: readonly { readonly message: string; readonly span: Span; readonly related?: Span }[];
  /** Other scripts that were read. */
  readonly sources: readonly Source[];
}

/** What holds before the script starts, by name. */
export type Given = ReadonlyMap<string, string>;

class Overrun extends Error {}

/** Steps of work; the longest published launch scripts take a few thousand. */
const budget = 200_000;
const deepest = 40;
const longestValue = 1_000_000;

export function readShell(
  source: Source,
  given: Given,
  read: (path: string, from: Source) => Source | undefined,
): ShellScript {
  const commands: ShellCommand[] = [];
  const written = new Map<string, Text>();
  const problems: { message: string; span: Span; related?: Span }[] = [];
  const sources: Source[] = [];
  let left = budget;

  const spend = (amount: number): void => {
    left -= amount + 1;
    if (left < 0) throw new Overrun();
  };

  interface Place {
    readonly certain: boolean;
    readonly outer: ShellCommand | null;
    readonly looped: boolean;
    readonly depth: number;
    readonly reading: readonly string[];
  }

  const contextOf = (text: Text, state: State): Context => ({ text, state, spend, output: outputOf });

  function statements(list: readonly Shell.Statement[], text: Text, state: State, place: Place): void {
    for (const statement of list) {
      if (state.ended !== "no") return;
      node(statement.command, text, state, place);
    }
  }

  function node(
    command: Shell.PipelineNode | Shell.AndOr | Shell.CompoundList,
    text: Text,
    state: State,
    place: Place,
  ): void {
    if (place.depth > deepest) throw new Overrun();
    spend(1);
    const context = contextOf(text, state);
    switch (command.type) {
      case "AndOr":
        return andOr(command, text, state, place);
      case "Pipeline": {
        for (const each of command.commands) {
          // The parts of a pipeline run in shells of their own; alone it is only a `!`.
          node(each, text, command.commands.length > 1 ? copyOf(state) : state, place);
        }
        return;
      }
      case "Command":
        return simple(command, text, state, place);
      case "CompoundList":
        return statements(command.commands, text, state, place);
      case "BraceGroup":
        return statements(command.body.commands, text, state, place);
      case "Subshell":
        return statements(command.body.commands, text, copyOf(state), place);
      case "Redirected":
        return node(command.command, text, state, place);
      case "If": {
        const clauses = [command, ...command.elif];
        return branches(clauses, command.else, text, state, place);
      }
      case "Case":
        return cases(command, text, state, place);
      case "For":
        return forEach(command, text, state, place);
      case "Select":
      case "ArithmeticFor":
      case "While": {
        const body = copyOf(state);
        statements(command.body.commands, text, body, { ...place, certain: false, looped: true });
        return merge(state, [copyOf(state), { ...body, ended: "no" }]);
      }
      case "Function":
        state.functions.set(command.name.value, { body: command.body, text });
        return;
      case "Coproc":
        return node(command.body, text, copyOf(state), place);
      case "ArithmeticCommand":
        return arithmeticCommand(command, text, state, context);
      case "TestCommand":
        return;
    }
  }

  function arithmeticCommand(command: Shell.ArithmeticCommand, text: Text, state: State, context: Context): void {
    const { expression } = command;
    if (expression?.type !== "ArithmeticBinary" || expression.left.type !== "ArithmeticWord") return;
    const operator = /^(.*)=$/.exec(expression.operator)?.[1];
    if (operator === undefined || ["=", "!", "<", ">"].includes(operator)) return;
    const lookup = (word: Shell.ArithmeticWord): number | null => numberOf(word.value, context);
    const value =
      operator === ""
        ? arithmetic(expression.right, lookup)
        : arithmetic({ ...expression, operator } as Shell.ArithmeticBinary, lookup);
    const span = text.spanOf(expression.pos, expression.end);
    const pieces: Value = [{ text: value === null ? null : String(value), span, quoted: true }];
    state.variables.set(expression.left.value, { kind: "text", value: pieces, span });
  }

  function andOr(command: Shell.AndOr, text: Text, state: State, place: Place): void {
    let answer: boolean | null = true;
    command.commands.forEach((each, at) => {
      const operator = command.operators[at - 1];
      const runs = operator === undefined ? true : operator === "&&" ? answer : answer === null ? null : !answer;
      if (runs === false) return;
      const test = holds(each, contextOf(text, state));
      const kind = testing(each);
      if (runs === null) {
        const maybe = copyOf(state);
        node(each, text, maybe, { ...place, certain: false });
        merge(state, [copyOf(state), maybe]);
      } else node(each, text, state, place);
      if (runs !== null || !kind) answer = kind ? test : true;
    });
  }

  function branches(
    clauses: readonly { readonly clause: Shell.CompoundList; readonly then: Shell.CompoundList }[],
    otherwise: Shell.CompoundList | undefined,
    text: Text,
    state: State,
    place: Place,
  ): void {
    const open: State[] = [];
    for (const { clause, then } of clauses) {
      const last = clause.commands.at(-1)?.command;
      const answer = last === undefined ? null : holds(last, contextOf(text, state));
      statements(clause.commands.slice(0, -1), text, state, place);
      if (answer === false) continue;
      const certain = answer === true && open.length === 0;
      if (certain) return statements(then.commands, text, state, place);
      const branch = copyOf(state);
      statements(then.commands, text, branch, { ...place, certain: false });
      open.push(branch);
      if (answer === true) return merge(state, open);
    }
    if (open.length === 0)
      return otherwise === undefined ? undefined : statements(otherwise.commands, text, state, place);
    const branch = copyOf(state);
    if (otherwise !== undefined) statements(otherwise.commands, text, branch, { ...place, certain: false });
    merge(state, [...open, branch]);
  }

  function cases(command: Shell.Case, text: Text, state: State, place: Place): void {
    const word = plain(valueFrom(command.word, contextOf(text, state)));
    const open: State[] = [];
    for (const item of command.items) {
      const shapes = item.pattern.map((each) => {
        const shape = plain(valueFrom(each, contextOf(text, state)));
        return shape === null ? null : pattern(shape);
      });
      const answer =
        word === null || word.length > 10_000 ? null : shapes.some((shape) => shape?.test(word) === true);
      if (answer === true && open.length === 0) return statements(item.body.commands, text, state, place);
      if (answer === false && !shapes.includes(null)) continue;
      const branch = copyOf(state);
      statements(item.body.commands, text, branch, { ...place, certain: false });
      open.push(branch);
    }
    if (open.length > 0) merge(state, [...open, copyOf(state)]);
  }

  function forEach(command: Shell.For, text: Text, state: State, place: Place): void {
    const words = command.wordlist?.flatMap((word) => wordsFrom(word, contextOf(text, state)));
    const known = words !== undefined && words.length <= 16 && words.every((word) => word.text !== null);
    const span = text.spanOf(command.name.pos, command.name.end);
    if (!known) {
      const body = copyOf(state);
      body.variables.set(command.name.value, { kind: "unknown", span });
      statements(command.body.commands, text, body, { ...place, certain: false, looped: true });
      return merge(state, [copyOf(state), { ...body, ended: "no" }]);
    }
    for (const { pieces } of words) {
      state.variables.set(command.name.value, { kind: "text", value: pieces, span });
      statements(command.body.commands, text, state, { ...place, looped: words.length > 1 });
    }
  }

  function simple(command: Shell.Command, text: Text, state: State, place: Place): void {
    const context = contextOf(text, state);
    const here = text.spanOf(command.pos, command.end);
    const assignments = command.prefix.filter((each): each is Shell.Assignment => each.type === "Assignment");
    if (command.name === undefined) {
      for (const each of assignments) assign(each, context);
      return;
    }
    const words = [command.name, ...command.args].flatMap((each): readonly ShellWord[] =>
      each.type === "Word" ? wordsFrom(each, context) : [assignmentWord(each, context)],
    );
    for (const each of command.redirects) {
      if (each.type !== "HereDoc") continue;
      const target = command.redirects.find(
        (one): one is Shell.Redirect => one.type === "Redirect" && one.operator.startsWith(">"),
      );
      const name = target?.target === undefined ? null : plain(valueFrom(target.target, context));
      const teed =
        words[0]?.text === "tee"
          ? words.find(({ text: word }, at) => at > 0 && word?.startsWith("-") === false)?.text
          : null;
      const path = name ?? teed ?? null;
      if (path !== null) written.set(path, joined(documentFrom(each, context)));
      if (["bash", "sh"].includes(words[0]?.text ?? "") && words.length === 1)
        again(joined(documentFrom(each, context)), copyOf(state), place);
    }
    const [program] = words;
    if (program === undefined) return;
    if (program.text !== null && builtin(program.text, words, command, text, state, place)) return;
    launch(words, assignments, here, context, place);
  }

  function launch(
    words: readonly ShellWord[],
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
    const command: ShellCommand = {
      words,
      env,
      span,
      certain: place.certain,
      outer: place.outer,
      looped: place.looped,
    };
    commands.push(command);
    const inner = (positional: readonly Value[]): State => ({
      ...copyOf(state),
      variables: exportedOf(state, given),
      functions: new Map(),
      positional,
    });
    for (const pieces of innerScripts(words)) again(joined(pieces), inner([]), { ...place, outer: command });
    const script = words.findIndex(({ text }) => text !== null && /\.(?:sh|bash|sbatch|slurm)$/.test(text));
    const word = words[script];
    if (word === undefined || words.slice(0, script).some(({ text }) => text === "-c" || text === "sbatch")) return;
    sourced(word, inner(words.slice(script + 1).map(({ pieces }) => pieces)), { ...place, outer: command });
  }

  /** Text that a shell reads once more. */
  function again(text: Text, state: State, place: Place): void {
    spend(text.text.length / 100);
    statements(parse(text.text).commands, text, state, { ...place, depth: place.depth + 1 });
  }

  function assignmentWord(each: Shell.Assignment, context: Context): ShellWord {
    const span = context.text.spanOf(each.pos, each.end);
    const value = each.value.type === "Word" ? valueFrom(each.value, context) : null;
    const text = value === null ? null : plain(value);
    return { text: text === null ? null : `${each.name}=${text}`, span, from: [], pieces: value ?? [] };
  }

  function assign(each: Shell.Assignment, context: Context): void {
    const { state, text } = context;
    const span = text.spanOf(each.pos, each.end);
    const before = state.variables.get(each.name);
    if (each.value.type === "ArrayValue") {
      const values = each.value.elements.flatMap((word) => wordsFrom(word, context).map(({ pieces }) => pieces));
      const kept = each.append !== true ? [] : (listOf(before) ?? null);
      const next: Variable =
        kept === null ? { kind: "unknown", span } : { kind: "list", values: [...kept, ...values], span };
      state.variables.set(each.name, next);
      return;
    }
    const value = valueFrom(each.value, context);
    if (each.index !== undefined) {
      state.variables.set(each.name, { kind: "unknown", span });
      return;
    }
    const kept =
      each.append === true ? (before?.kind === "text" ? before.value : before === undefined ? [] : null) : [];
    const whole = kept === null ? null : [...kept, ...value];
    const length = whole?.reduce((sum, piece) => sum + (piece.text?.length ?? 1), 0) ?? 0;
    spend(whole?.length ?? 0);
    state.variables.set(
      each.name,
      whole === null || length > longestValue ? { kind: "unknown", span } : { kind: "text", value: whole, span },
    );
  }

  /** Commands that the shell carries out itself, or that only wrap another; `false` where it is none of them. */
  function builtin(
    name: string,
    words: readonly ShellWord[],
    command: Shell.Command,
    text: Text,
    state: State,
    place: Place,
  ): boolean {
    const context = contextOf(text, state);
    switch (name) {
      case "export":
      case "declare":
      case "typeset":
      case "readonly":
      case "local": {
        const exports = name === "export" || words.some((word) => /^-\w*x/.test(word.text ?? ""));
        for (const arg of command.args) {
          if (arg.type === "Assignment") assign(arg, context);
          const named = arg.type === "Assignment" ? arg.name : arg.value;
          if (exports && /^[A-Za-z_]\w*$/.test(named)) state.exported.add(named);
        }
        return true;
      }
      case "unset":
        for (const word of words.slice(1)) {
          state.variables.delete(word.text ?? "");
          state.exported.delete(word.text ?? "");
        }
        return true;
      case "set": {
        const split = words.findIndex((word) => word.text === "--");
        if (split > 0) state.positional = words.slice(split + 1).map(({ pieces }) => pieces);
        return true;
      }
      case "shift": {
        const count = words[1] === undefined ? 1 : Number(words[1].text);
        state.positional =
          state.positional === null || !Number.isInteger(count) ? null : state.positional.slice(count);
        return true;
      }
      case "read":
      case "mapfile":
      case "readarray":
      case "getopts":
        for (const word of words.slice(1))
          if (/^[A-Za-z_]\w*$/.test(word.text ?? ""))
            state.variables.set(word.text ?? "", { kind: "unknown", span: word.span });
        return true;
      case "exit":
        state.ended = "exited";
        return true;
      case "return":
        state.ended = "returned";
        return true;
      case "eval": {
        const blank: Piece = { text: " ", span: words[0]?.span ?? text.spanOf(0, 0), quoted: true };
        again(joined(words.slice(1).flatMap(({ pieces }) => [...pieces, blank])), state, place);
        return true;
      }
      case "source":
      case ".":
        sourced(words[1], state, place);
        return true;
      case "cd":
      case "pushd":
      case "popd":
      case "echo":
      case "printf":
      case "module":
      case "ulimit":
      case "trap":
      case "wait":
      case "sleep":
      case "mkdir":
      case ":":
        return true;
      default:
        return called(name, words, state, place);
    }
  }

  function called(name: string, words: readonly ShellWord[], state: State, place: Place): boolean {
    const found = state.functions.get(name);
    if (found === undefined) return false;
    const { positional } = state;
    state.positional = words.slice(1).map(({ pieces }) => pieces);
    node(found.body, found.text, state, { ...place, depth: place.depth + 1 });
    state.positional = positional;
    if (state.ended === "returned") state.ended = "no";
    return true;
  }

  function sourced(word: ShellWord | undefined, state: State, place: Place): void {
    if (word === undefined) return;
    const found = word.text === null ? undefined : read(word.text, word.span.source);
    // What it sets isn't known, and what the script says afterwards still holds.
    if (found === undefined) return;
    if (place.reading.includes(found.path)) {
      problems.push({
        message: `${found.path} reads itself again here: the shell would go on until it has no memory left`,
        span: word.span,
      });
      return;
    }
    if (!sources.some(({ path }) => path === found.path)) sources.push(found);
    const text = textOf(found);
    const script = parse(found.text);
    for (const error of script.errors ?? [])
      problems.push({ message: error.message, span: text.spanOf(error.pos, error.pos + 1) });
    statements(script.commands, text, state, {
      ...place,
      depth: place.depth + 1,
      reading: [...place.reading, found.path],
    });
    if (state.ended === "returned") state.ended = "no";
  }

  function outputOf(script: Shell.ParsedScript | undefined, context: Context): Value | null {
    const only = script?.commands.length === 1 ? script.commands[0]?.command : undefined;
    if (only?.type !== "Command" || script?.source !== undefined) return null;
    const document = only.redirects.find((each): each is Shell.HereDoc => each.type === "HereDoc");
    if (only.name?.value === "cat" && only.args.length === 0 && document !== undefined)
      return documentFrom(document, context);
    if (only.name?.value !== "echo" || only.redirects.length > 0) return null;
    const words = only.args.flatMap((each) => (each.type === "Word" ? wordsFrom(each, context) : []));
    if (words.some((word) => word.text?.startsWith("-"))) return null;
    return words.flatMap((word, at) =>
      at === 0 ? word.pieces : [{ text: " ", span: word.span, quoted: true }, ...word.pieces],
    );
  }

  const text = textOf(source);
  const script = parse(source.text);
  for (const error of script.errors ?? [])
    problems.push({ message: error.message, span: text.spanOf(error.pos, error.pos + 1) });
  const start: State = {
    variables: new Map(
      [...given].map(([name, value]) => {
        const span = text.spanOf(0, 0);
        return [name, { kind: "text", value: [{ text: value, span, quoted: true, from: name }], span }] as const;
      }),
    ),
    exported: new Set(),
    functions: new Map(),
    positional: null,
    ended: "no",
  };
  try {
    statements(script.commands, text, start, {
      certain: true,
      outer: null,
      looped: false,
      depth: 0,
      reading: [source.path],
    });
  } catch (error) {
    if (!(error instanceof Overrun) && !(error instanceof RangeError)) throw error;
    problems.push({
      message: "this script asks for more work than any launch needs: what follows is not read",
      span: text.spanOf(0, 1),
    });
  }
  return { commands, written, problems, sources };
}

function testing(node: Shell.PipelineNode): boolean {
  if (node.type === "Pipeline") return node.commands.length === 1 && testing(node.commands[0] as Shell.CommandNode);
  if (node.type === "TestCommand" || node.type === "ArithmeticCommand") return true;
  return node.type === "Command" && ["[", "test", "true", "false"].includes(node.name?.value ?? "");
}

function listOf(variable: Variable | undefined): readonly Value[] | null {
  if (variable === undefined) return [];
  if (variable.kind === "unknown") return null;
  return variable.kind === "list" ? variable.values : [variable.value];
}

function exportedOf(state: State, given: Given): Map<string, Variable> {
  return new Map(
    [...state.variables].filter(
      ([name]) => (state.exported.has(name) || given.has(name)) && !/^SLURM_(PROCID|NODEID|LOCALID)$/.test(name),
    ),
  );
}

/** The text after `bash -c`, wherever it stands in a command: `srun … bash -c 'torchrun …'`. */
function innerScripts(words: readonly ShellWord[]): readonly Value[] {
  const shell = words.findIndex((word) => /(?:^|\/)(?:ba|z|da)?sh$/.test(word.text ?? ""));
  if (shell < 0) return [];
  const flag = words.findIndex((word, at) => at > shell && /^-\w*c$/.test(word.text ?? ""));
  const script = flag < 0 ? undefined : words[flag + 1];
  return script === undefined ? [] : [script.pieces.map((piece) => ({ ...piece }))];
}
