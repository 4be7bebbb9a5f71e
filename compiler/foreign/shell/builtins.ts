/** Commands that the shell carries out itself. */
import type * as Shell from "unbash";
import type { Span } from "../../../dsl/source/source.ts";
import { assign } from "./assign.ts";
import { readInto } from "./input.ts";
import type { Place, Reading } from "./reading.ts";
import { again, called, sourced } from "./inner.ts";
import type { ShellWord, State } from "./state.ts";
import { joined, type Piece, type Text } from "./text.ts";

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
  switch (name) {
    case "export":
    case "declare":
    case "typeset":
    case "readonly":
    case "local": {
      const exports = name === "export" || words.some((word) => /^-\w*x/.test(word.text ?? ""));
      for (const arg of command.args) {
        if (arg.type === "Assignment") assign(reading, arg, context);
        const named = arg.type === "Assignment" ? arg.name : arg.value;
        if (exports && /^[A-Za-z_]\w*$/.test(named)) state.exported.add(named);
      }
      // What bash refuses is kept for the rule that says so.
      if (words.some(({ text: word }, at) => at > 0 && word !== null && /^[=\d]/.test(word)))
        reading.commands.push({ ...place, words, env: new Map(), span: here() });
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
      state.exportsAll = exportsAll(words, state.exportsAll);
      if (split > 0) state.positional = words.slice(split + 1).map(({ pieces }) => pieces);
      return true;
    }
    case "shift": {
      const count = words[1] === undefined ? 1 : Number(words[1].text);
      state.positional = state.positional === null || !Number.isInteger(count) ? null : state.positional.slice(count);
      return true;
    }
    case "read":
    case "mapfile":
    case "readarray":
    case "getopts":
      readInto(name, words, command, context);
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
      return true;
    }
    case "source":
    case ".":
      if (!sourced(reading, words[1], state, place))
        reading.skipped.push({
          words,
          why: "it is not among these files, and what it sets is not known",
          span: here(),
        });
      return true;
    case "module":
    case "ulimit":
    case "trap":
      reading.skipped.push({ words, why: "a file says the run, not the shell around it", span: here() });
      return true;
    case "cd":
    case "pushd":
    case "popd":
    case "echo":
    case "printf":
    case "wait":
    case "sleep":
    case "mkdir":
    case ":":
      return true;
    default:
      return called(reading, name, words, state, place);
  }
}

/** What the last of `set -a`, `set +a`, `set -o allexport` and their kin says. */
function exportsAll(words: readonly ShellWord[], before: boolean): boolean {
  return words.reduce((now, { text }, at) => {
    const sign = /^[-+]/.exec(text ?? "")?.[0] ?? /^[-+]\w*o$/.exec(words[at - 1]?.text ?? "")?.[0][0];
    const says = /^[-+]\w*a/.test(text ?? "") || (text === "allexport" && sign !== undefined);
    return says ? sign === "-" : now;
  }, before);
}
