/** What variables hold after an assignment. */
import type * as Shell from "unbash";
import type { Context } from "./context.ts";
import { listOf, put } from "./elements.ts";
import { valueFrom, wordsFrom } from "./expand.ts";
import { numberOf } from "./number-of.ts";
import { keyOf } from "./parameters.ts";
import { longestValue } from "./reading.ts";
import type { Value, Variable } from "./state.ts";
import { cut } from "./text.ts";

export function assign(each: Shell.Assignment, context: Context): void {
  const { state, text } = context;
  const { name } = each;
  const span = text.spanOf(each.pos, each.end);
  if (state.frozen.has(name)) return;
  const before = state.variables.get(name);
  if (state.exportsAll) state.exported.add(name);
  if (name === "OPTIND") state.letter = 1;
  const set = (variable: Variable): void => {
    state.variables.set(name, state.opaque.has(name) ? { kind: "unknown", span } : variable);
  };
  if (each.value.type === "ArrayValue") return set(arrayOf(each, each.value.elements, before, context));
  const value = valueFrom(each.value, context);
  if (each.index !== undefined && before?.kind === "map") {
    const key = keyOf(each.index, context);
    const whole =
      key === null ? null : appended(each.append === true ? (before.entries.get(key) ?? []) : [], value, context);
    return set(
      key === null || whole === null
        ? { kind: "unknown", span }
        : { ...before, entries: new Map([...before.entries, [key, whole]]) },
    );
  }
  if (each.index !== undefined || before?.kind === "list") {
    const index = each.index === undefined ? 0 : numberOf(each.index.text, context);
    const kept = each.append === true ? (index === null ? null : (listOf(before)?.at(index) ?? [])) : [];
    put(state.variables, name, index, kept === null ? null : appended(kept, value, context), span);
    return;
  }
  const kept = each.append !== true || before === undefined ? [] : before.kind === "text" ? before.value : null;
  const whole = kept === null || before?.kind === "map" ? null : appended(kept, value, context);
  set(whole === null ? { kind: "unknown", span } : { kind: "text", value: whole, span });
}

/** A value with another behind it; `null` where it is longer than any word of a launch. */
export function appended(kept: Value, value: Value, { spend }: Context): Value | null {
  const whole = kept.length === 0 ? value : [...kept, ...value];
  spend(whole.length);
  return whole.reduce((sum, piece) => sum + (piece.text?.length ?? 1), 0) > longestValue ? null : whole;
}

function arrayOf(
  { pos, end, append }: Shell.Assignment,
  elements: readonly Shell.Word[],
  before: Variable | undefined,
  context: Context,
): Variable {
  const span = context.text.spanOf(pos, end);
  if (before?.kind === "map") {
    const entries = elements.map((word) => entryOf(word, context));
    return entries.includes(null)
      ? { kind: "unknown", span }
      : {
          kind: "map",
          span,
          entries: new Map([...(append === true ? before.entries : []), ...entries.filter((each) => each !== null)]),
        };
  }
  // `([0]=24 [3]=4)`: a list with gaps isn't followed.
  if (elements.some((word) => /^\[[^\]]*\]\+?=/.test(context.text.text.slice(word.pos, word.end))))
    return { kind: "unknown", span };
  const values = elements.flatMap((word) => wordsFrom(word, context).map(({ pieces }) => pieces));
  const kept = append !== true || before === undefined ? [] : listOf(before);
  return kept === null ? { kind: "unknown", span } : { kind: "list", values: [...kept, ...values], span };
}

/** `[key]=value`. */
function entryOf(word: Shell.Word, context: Context): readonly [string, Value] | null {
  const pieces = valueFrom(word, context);
  let head = "";
  for (const [at, piece] of pieces.entries()) {
    if (piece.text === null) return null;
    const found = /^\[(.*?)\]=/s.exec(head + piece.text);
    if (found !== null) {
      const rest = cut(piece, found[0].length - head.length, piece.text.length);
      return [found[1] ?? "", [rest, ...pieces.slice(at + 1)]];
    }
    head += piece.text;
  }
  return null;
}
