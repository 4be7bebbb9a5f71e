/** What variables hold after an assignment. */
import type * as Shell from "unbash";
import { arithmetic } from "./arithmetic.ts";
import { numberOf, valueFrom, wordsFrom, type Context } from "./expand.ts";
import { longestValue, type Reading } from "./reading.ts";
import type { State, Value, Variable } from "./state.ts";
import type { Text } from "./text.ts";

export function assign(reading: Reading, each: Shell.Assignment, context: Context): void {
  const { state, text } = context;
  const span = text.spanOf(each.pos, each.end);
  const before = state.variables.get(each.name);
  if (state.exportsAll) state.exported.add(each.name);
  if (each.value.type === "ArrayValue") {
    // `([layers]=24 [tp]=4)`: what stands under a key is not followed.
    if (each.value.elements.some(({ pos, end }) => /^\[[^\]]*\]\+?=/.test(text.text.slice(pos, end)))) {
      state.variables.set(each.name, { kind: "unknown", span });
      return;
    }
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
  reading.spend(whole?.length ?? 0);
  state.variables.set(
    each.name,
    whole === null || length > longestValue ? { kind: "unknown", span } : { kind: "text", value: whole, span },
  );
}

export function arithmeticCommand(
  command: Shell.ArithmeticCommand,
  text: Text,
  state: State,
  context: Context,
): void {
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

function listOf(variable: Variable | undefined): readonly Value[] | null {
  if (variable === undefined) return [];
  if (variable.kind === "unknown") return null;
  return variable.kind === "list" ? variable.values : [variable.value];
}
