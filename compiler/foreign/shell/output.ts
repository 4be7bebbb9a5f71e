/** What a command would print, where that is plain: `echo`, and `cat` of a here-document. */
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
  if (only.name?.value !== "echo" || only.redirects.length > 0) return null;
  const words = only.args.flatMap((each) => (each.type === "Word" ? wordsFrom(each, context) : []));
  if (/^-[neE]+$/.test(words[0]?.text ?? "")) return null;
  return words.flatMap((word, at) =>
    at === 0 ? word.pieces : [{ text: " ", span: word.span, quoted: true }, ...word.pieces],
  );
}
