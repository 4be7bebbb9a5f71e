/** What a command would print, where that is plain: `echo`, `expr` of whole numbers, and `cat` of a here-document. */
import type * as Shell from "unbash";
import { documentFrom, wordsFrom, type Context } from "./expand.ts";
import type { Value } from "./state.ts";

export function outputOf(script: Shell.ParsedScript | undefined, context: Context): Value | null {
  const only = script?.commands.length === 1 ? script.commands[0]?.command : undefined;
  return script?.source !== undefined ? null : outputOfCommand(only, context);
}

export function outputOfCommand(
  only: Shell.PipelineNode | Shell.AndOr | Shell.CompoundList | undefined,
  context: Context,
): Value | null {
  if (only?.type !== "Command") return null;
  const document = only.redirects.find((each): each is Shell.HereDoc => each.type === "HereDoc");
  if (only.name?.value === "cat" && only.args.length === 0 && document !== undefined)
    return documentFrom(document, context);
  if (only.name?.value === "expr") return calculated(only, context);
  if (only.name?.value !== "echo" || only.redirects.length > 0) return null;
  const words = only.args.flatMap((each) => (each.type === "Word" ? wordsFrom(each, context) : []));
  if (/^-[neE]+$/.test(words[0]?.text ?? "")) return null;
  return words.flatMap((word, at) =>
    at === 0 ? word.pieces : [{ text: " ", span: word.span, quoted: true }, ...word.pieces],
  );
}

/** `expr A \* B`: of more than one operation only the shell's own arithmetic is read. */
function calculated(command: Shell.Command, context: Context): Value | null {
  const words = command.args.flatMap((each) => (each.type === "Word" ? wordsFrom(each, context) : []));
  const [left, operator, right] = words;
  if (left === undefined || right === undefined || words.length !== 3) return null;
  const [a, b] = [left, right].map(({ text }) => (/^-?\d+$/.test(text ?? "") ? Number(text) : null));
  const result =
    a === null || b === null || a === undefined || b === undefined ? null : of(a, operator?.text ?? "", b);
  return result === null ? null : [{ text: String(result), span: left.span, quoted: true }];
}

function of(a: number, operator: string, b: number): number | null {
  if (operator === "+") return a + b;
  if (operator === "-") return a - b;
  if (operator === "*") return a * b;
  if (b === 0) return null;
  if (operator === "/") return Math.trunc(a / b);
  return operator === "%" ? a % b : null;
}
