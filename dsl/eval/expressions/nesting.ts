/** How deep evaluations stand in one another: each takes its part of the stack, whatever it is an evaluation of. */
import { valueLimit } from "../../diagnostics/catalog/values.ts";
import type { Span } from "../../source/source.ts";
import type { Context } from "../context.ts";

/** More than anybody reads; the stack has room for about twice as many. */
export const deepest = 320;

const nesting = new WeakMap<Context["calling"], number>();

/** Begins an evaluation inside those that are under way; one that is too deep inside is reported, and is none. */
export function enter(span: Span, { calling, report }: Context): boolean {
  const depth = nesting.get(calling) ?? 0;
  if (depth >= deepest) {
    report(
      valueLimit(
        span,
        { what: "the chain of names to this value", most: `${deepest} nested expressions` },
        { fix: "Give one of the names in between its value directly." },
      ),
    );
    return false;
  }
  nesting.set(calling, depth + 1);
  return true;
}

/** Ends what `enter` began. */
export function leave({ calling }: Context): void {
  nesting.set(calling, (nesting.get(calling) ?? 1) - 1);
}
