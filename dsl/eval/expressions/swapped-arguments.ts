/** `join("-", parts)`: two arguments that would do in the other order. */
import { typeMismatch } from "../../diagnostics/catalog/values.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import type { Builtin } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Argument } from "../../syntax/ast.ts";
import { conform } from "../../types/conform.ts";
import { show, type Valued } from "../../types/value.ts";

/** `given` is as it was evaluated; `null` where the other order would not do either. */
export function swappedArguments(
  name: string,
  builtin: Builtin,
  given: readonly Valued[],
  written: readonly Argument[],
  at: Span,
): Diagnostic | null {
  const [first, second] = written;
  const [to, from] = builtin.parameters;
  const [left, right] = given;
  if (first === undefined || second === undefined || to === undefined || from === undefined) return null;
  if (left === undefined || right === undefined || given.length > 2 || written.some((each) => each.name !== null))
    return null;
  // Of one kind they are not told apart by what they are: the value is wrong, not its place.
  if (left.value.kind === right.value.kind) return null;
  let isRefused = false;
  const refuse = (): void => {
    isRefused = true;
  };
  const swapped = [conform(right, to.type, "", refuse), conform(left, from.type, "", refuse)];
  if (isRefused || swapped.some(({ value }) => value.kind === "unknown") || "takes" in builtin.call(swapped))
    return null;
  const [one, other] = [first, second].map(({ span }) => span.source.text.slice(span.start, span.end));
  const slots = {
    what: `the arguments of \`${name}\``,
    expected: `\`${to.name}\` and \`${from.name}\`, in this order`,
    found: `${show(left.value)}, ${show(right.value)}`,
  };
  const whole = { ...first.span, end: second.span.end };
  return typeMismatch(at, slots, { fixes: [replacement(whole, `${other}, ${one}`, "swap them")] });
}
