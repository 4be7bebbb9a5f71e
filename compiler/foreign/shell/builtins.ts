/** Commands that the shell carries out itself. */
import type * as Shell from "unbash";
import type { Span } from "../../../dsl/source/source.ts";
import { appended, assign } from "./assign.ts";
import type { Context } from "./context.ts";
import { countOf, give, openFrom } from "./elements.ts";
import { valueFrom, wordsFrom } from "./expand.ts";
import { gone, lost } from "./folder.ts";
import { getopts } from "./getopts.ts";
import { readInto } from "./input.ts";
import type { Place, Reading } from "./reading.ts";
import { again, called, read } from "./inner.ts";
import { numberOf } from "./number-of.ts";
import { printed } from "./print.ts";
import { copyOf, emptied, type ShellWord, type State } from "./state.ts";
import { cut, joined, plain, type Piece, type Text } from "./text.ts";

/** Commands that the shell carries out itself, or that only wrap another; `false` where it is none of them. */
export function builtin(
  reading: Reading,
  name: string,
  words: readonly ShellWord[],
  command: Shell.Command,
  text: Text,
  state: State,
  place: Place,
): boolean {
  const context = reading.contextOf(text, state);
  const here = (): Span => text.spanOf(command.pos, command.end);
  // Functions come before what the shell does itself.
  if (state.functions.has(name)) return called(reading, name, words, state, place);
  switch (name) {
    case "export":
    case "declare":
    case "typeset":
    case "readonly":
    case "local":
      declared(name, words, command, context);
      // What bash refuses is kept for the rule that says so.
      if (words.some(({ text: word }, at) => at > 0 && word !== null && /^[=\d]/.test(word)))
        reading.commands.push({ ...place, words, env: new Map(), span: here(), folder: state.folders.now });
      return true;
    case "builtin":
    case "command": {
      const inner = words[1]?.text ?? null;
      if (inner === null || inner.startsWith("-")) return false;
      const bare: State = { ...copyOf(state), functions: new Map() };
      const known = builtin(reading, inner, words.slice(1), command, text, bare, place);
      if (known) Object.assign(state, bare, { functions: state.functions });
      return known;
    }
    case "unset":
      if (words[1]?.text === "-f") for (const { text: word } of words.slice(2)) state.functions.delete(word ?? "");
      else if (words[1]?.text === "-n")
        for (const { text: word } of words.slice(2)) state.variables.release(word ?? "");
      else
        for (const { text: word } of words.slice(1))
          if (word === null) state.variables.forget(here());
          else unset(word, here(), context);
      return true;
    case "set": {
      state.exportsAll = exportsAll(words, state.exportsAll);
      const given = positionalOf(words);
      if (given !== null) state.positional = given.length === 0 ? emptied : given.map(({ pieces }) => pieces);
      return true;
    }
    case "shift": {
      const count = words[1] === undefined ? 1 : Number(words[1].text ?? Number.NaN);
      const { positional } = state;
      if (positional === null || !Number.isInteger(count) || count > openFrom(positional))
        state.positional =
          positional !== null && countOf(positional) !== null && count > positional.length ? positional : null;
      else state.positional = positional.slice(count);
      return true;
    }
    case "break":
    case "continue":
      state.ended = name === "break" ? "broke" : "continued";
      state.levels = Math.max(0, Number(words[1]?.text ?? 1) - 1) || 0;
      return true;
    case "let":
      for (const arg of command.args) {
        const span = text.spanOf(arg.pos, arg.end);
        const within: Context = { ...context, text: { text: text.text, spanOf: () => span } };
        numberOf(arg.type === "Word" ? (plain(valueFrom(arg, context)) ?? "?") : arg.text, within);
      }
      return true;
    case "read":
    case "mapfile":
    case "readarray":
      readInto(name, words, command, context);
      return true;
    case "getopts":
      getopts(words.slice(1), context);
      return true;
    case "exit":
      state.ended = "exited";
      return true;
    case "return":
      state.ended = "returned";
      return true;
    case "eval": {
      const blank: Piece = { text: " ", span: words[0]?.span ?? text.spanOf(0, 0), quoted: true };
      again(reading, joined(words.slice(1).flatMap(({ pieces }) => [...pieces, blank])), state, place);
      if (mayAssign(words.slice(1), command, text)) state.variables.open(here());
      return true;
    }
    case "source":
    case ".":
      if (!read(reading, words[1], state, place, "sourced", words.slice(2))) {
        if (!surroundings.test(spelt(words[1]))) state.variables.open(here());
        reading.skipped.push({
          words,
          why: "it is not among these files, so its settings are unknown",
          span: here(),
        });
      }
      return true;
    case "module":
    case "ulimit":
    case "trap":
      reading.skipped.push({ words, why: "a file sets the run, not the shell around it", span: here() });
      return true;
    case "printf":
      if (words[1]?.text === "-v" && words[2] !== undefined) {
        const made = printed(words.slice(3));
        const value = made === null ? null : appended([], made, context);
        const variable = words[2].text;
        if (variable === null) state.variables.forget(here());
        else
          give(
            state.variables,
            variable,
            value === null ? { kind: "unknown", span: here() } : { kind: "text", value, span: here() },
          );
      }
      return true;
    case "cd":
    case "pushd":
    case "popd":
      state.folders = state.variables.has("CDPATH")
        ? lost(state.folders, here().source)
        : gone(name, words.slice(1), state.folders, here().source);
      return true;
    case "echo":
    case "wait":
    case "sleep":
    case "mkdir":
    case ":":
      return true;
    default:
      return called(reading, name, words, state, place);
  }
}

/** Files that set up a shell or an environment of Python, and no variable of a launch. */
const surroundings =
  /^(?:\/etc\/|\/usr\/)|(?:^|[/\uE000])(?:activate|\.?(?:bash|zsh|k?sh)?(?:rc|_?profile)|bash_profile|(?:conda|mamba|micromamba|nvm|modules?|lmod|spack)\.sh|setup-env\.sh|setvars\.sh|init\/(?:bash|sh|profile)|cuda[^/]*\.sh)$/;

/** Programs whose output sets up a shell likewise. */
const shellHooks =
  /\b(?:conda|mamba|micromamba|ssh-agent|modulecmd|direnv|pyenv|brew|dircolors|starship|spack|mise)\b/;

const spelt = (word: ShellWord | undefined): string =>
  (word?.pieces ?? []).map(({ text }) => text ?? "\uE000").join("");

/** `eval "$LINE"`: the command itself is unknown, not only a word of it. */
function mayAssign(words: readonly ShellWord[], { pos, end }: Shell.Command, text: Text): boolean {
  return /^\s*\uE000/.test(words.map(spelt).join(" ")) && !shellHooks.test(text.text.slice(pos, end));
}

/** `declare` and its kin: what they assign, whose it is, and what the shell makes of it. */
function declared(name: string, words: readonly ShellWord[], command: Shell.Command, context: Context): void {
  const { state } = context;
  const flags = words
    .slice(1)
    .flatMap(({ text }) => /^-(\w+)$/.exec(text ?? "")?.[1] ?? [])
    .join("");
  const exports = name === "export" || (flags.includes("x") && name !== "export");
  const isOwn = name === "local" || ((name === "declare" || name === "typeset") && !flags.includes("g"));
  const own = (named: string): void => {
    if (!isOwn || state.frame === null) return;
    state.variables.release(named);
    if (state.frame.has(named)) return;
    state.frame.set(named, state.variables.get(named));
    state.variables.delete(named);
  };
  for (const arg of command.args) {
    const named = arg.type === "Assignment" ? arg.name : arg.value;
    const span = context.text.spanOf(arg.pos, arg.end);
    if (!/^[A-Za-z_]\w*$/.test(named)) {
      // `export "A=$B"`, `declare "$1=$2"`: of what isn't known as a whole, such as a line of a file, nothing is said.
      for (const { pieces } of arg.type === "Word" ? wordsFrom(arg, context) : []) {
        const said = pieces.map(({ text }) => text ?? "\uE000").join("");
        // `export "$LINE"`: whatever a line of a file says.
        if (/^\uE000+$/.test(said)) state.variables.open(span);
        const [head, spelt, plus] = /^([A-Za-z_]\w*)(\+?)=/.exec(said) ?? [];
        if (head === undefined || spelt === undefined) {
          if (/^[\w\uE000]+\+?=/.test(said)) state.variables.forget(span);
          continue;
        }
        own(spelt);
        let left = head.length;
        const value = pieces.flatMap((piece) => {
          const { length } = piece.text ?? "";
          const taken = Math.min(left, length);
          left -= taken;
          return taken === length && piece.text !== null ? [] : [cut(piece, taken, length)];
        });
        const isKnown = plus === "" && flags === "" && !state.opaque.has(spelt);
        give(state.variables, spelt, isKnown ? { kind: "text", value, span } : { kind: "unknown", span });
        if (exports) state.exported.add(spelt);
      }
      continue;
    }
    own(named);
    if (flags.includes("n") && name !== "export") {
      state.opaque.delete(named);
      const target =
        arg.type === "Assignment" && arg.value.type === "Word" ? plain(valueFrom(arg.value, context)) : null;
      state.variables.refer(named, target !== null && /^[A-Za-z_]\w*$/.test(target) ? target : null);
      continue;
    }
    // Numbers, and letters that change their case.
    if (/[iucl]/.test(flags) && name !== "export") {
      state.opaque.add(named);
      state.variables.set(named, { kind: "unknown", span });
    } else if (flags.includes("A") && state.variables.get(named)?.kind !== "map")
      state.variables.set(named, { kind: "map", entries: new Map(), span });
    else if (flags.includes("a") && !state.variables.has(named))
      state.variables.set(named, { kind: "list", values: [], span });
    // Braces make several assignments of one, of which the last counts.
    const { value } = arg.type === "Assignment" ? arg : { value: null };
    if (value?.type === "Word" && value.parts?.some(({ type }) => type === "BraceExpansion") === true)
      state.variables.set(named, { kind: "unknown", span });
    else if (arg.type === "Assignment") assign(arg, context);
    if ((name === "readonly" || flags.includes("r")) && (!isOwn || state.frame === null)) state.frozen.add(named);
    if (exports) state.exported.add(named);
  }
}

function unset(word: string, span: Span, { state }: Context): void {
  if (state.frozen.has(word)) return;
  const [, name, index] = /^([A-Za-z_]\w*)\[(.*)\]$/s.exec(word) ?? [];
  if (name === undefined) {
    state.variables.delete(word);
    state.exported.delete(word);
    state.opaque.delete(word);
    return;
  }
  const variable = state.variables.get(name);
  if (variable === undefined) return;
  const isLast =
    variable.kind === "list" && countOf(variable.values) !== null && Number(index) === variable.values.length - 1;
  state.variables.set(
    name,
    isLast ? { ...variable, values: variable.values.slice(0, -1) } : { kind: "unknown", span },
  );
}

/** The words that `set` makes the positional parameters; `null` where it only sets options. */
function positionalOf(words: readonly ShellWord[]): readonly ShellWord[] | null {
  for (let at = 1; at < words.length; at++) {
    const text = words[at]?.text ?? null;
    if (text === "--") return words.slice(at + 1);
    if (text === null || !/^[-+]./.test(text)) return words.slice(at);
    if (/^[-+]\w*o$/.test(text)) at++;
  }
  return null;
}

/** What the last of `set -a`, `set +a`, `set -o allexport` and their kin says. */
function exportsAll(words: readonly ShellWord[], before: boolean): boolean {
  return words.reduce((now, { text }, at) => {
    const sign = /^[-+]/.exec(text ?? "")?.[0] ?? /^[-+]\w*o$/.exec(words[at - 1]?.text ?? "")?.[0][0];
    const says = /^[-+]\w*a/.test(text ?? "") || (text === "allexport" && sign !== undefined);
    return says ? sign === "-" : now;
  }, before);
}
