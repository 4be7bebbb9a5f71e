import type { Binary, Expression } from "../../syntax/ast.ts";
import type { Type } from "../../kind.ts";
import { alternatives } from "../../types/type.ts";
import type { Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";
import type { Scope } from "../scope.ts";
import { heldAsWords } from "../expressions/written-words.ts";
import { wordsOf } from "../expressions/words-of.ts";

/** What may write out a list: its items are found by the type that the whole is wanted as. */
const listing: ReadonlySet<Expression["kind"]> = new Set(["list", "comprehension", "binary", "if", "match"]);

/** What a side is wanted as, where the operator joins lists. */
export function typeOfSide({ op }: Binary, side: Expression, expected: Type | null): Type | null {
  if (op !== "+" || !listing.has(side.kind)) return null;
  return alternatives(expected).find(({ kind }) => kind === "list") ?? null;
}

/** A word that no declaration gives a meaning. */
const isFree = (side: Expression, scope: Scope, context: Context): boolean =>
  side.kind === "reference" &&
  !scope.locals.has(side.name.text) &&
  !scope.module.names.has(side.name.text) &&
  !context.isKindAround(side.name.text, scope);

export const saysFree = (side: Expression, scope: Scope, context: Context): boolean =>
  side.kind === "list" ? side.items.some((item) => isFree(item, scope, context)) : isFree(side, scope, context);

/** Whether the words that a side is compared with are those of a property or an enum which nothing says yet. */
const isAnything = (side: Expression, scope: Scope): boolean => {
  const base = side.kind === "member" ? side.object : side;
  if (base.kind === "member") return isAnything(base, scope);
  const value = base.kind === "reference" ? scope.locals.get(base.name.text)?.value : undefined;
  return value?.kind === "unknown" && value.anything === true;
};

/** A mistake that has been told, of which nobody knows what it is: neither does anybody know the words of it. */
const isLost = ({ value, of }: Valued, words: Type | null): boolean =>
  value.kind === "unknown" && !value.later && of === undefined && words === null;

/** Both sides of an operator; the right one may name members of the enum, or a choice, that the left one is of. `known` is the left one, where it is evaluated. */
export function sidesOf(
  node: Binary,
  scope: Scope,
  what: string,
  context: Context,
  expected: Type | null = null,
  known: Valued | null = null,
): [Valued, Valued] {
  const { op, left, right } = node;
  const isEquality = op === "==" || op === "!=";
  if (isEquality && known === null && isFree(left, scope, context) && !isFree(right, scope, context)) {
    // `adamw == s.optimizer`: what the other side is of says what the word means.
    const second = context.evaluate(right, scope, null, what);
    const words = wordsOf(right, second, scope, context);
    if (isAnything(right, scope) || isLost(second, words)) return [second, second];
    return [context.evaluate(left, scope, words, what), second];
  }
  let first = known ?? context.evaluate(left, scope, typeOfSide(node, left, expected), what);
  if (op === "/" && first.value.kind === "block" && first.value.block.kind.path !== undefined) {
    first = context.property(first.value.block, first.value.block.kind.path, left.span);
  }
  const isCompared = isEquality || op === "in";
  if (isCompared && isAnything(left, scope) && saysFree(right, scope, context)) return [first, first];
  const wanted = wordsOf(isCompared ? left : null, first, scope, context);
  if (isCompared && isLost(first, wanted) && saysFree(right, scope, context)) return [first, first];
  const element = wanted !== null && op === "in" ? ({ kind: "list", element: wanted } as const) : wanted;
  const second = context.evaluate(right, scope, element ?? typeOfSide(node, right, expected), what);
  if (!isCompared) return [first, second];
  return [heldAsWords(left, first, second, context), heldAsWords(right, second, first, context)];
}
