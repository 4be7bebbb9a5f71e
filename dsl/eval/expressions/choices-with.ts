import type { Registry } from "../../kind.ts";
import { choicesOf } from "./choices-of.ts";

/** What takes a choice with such a constructor, with what the choice is called: `optimizer` for `adamw`. */
export function choicesWith(name: string, registry: Registry): ReadonlyMap<string, string> {
  const having = choicesOf(registry).filter(({ choice }) => Object.hasOwn(choice.constructors, name));
  return new Map(having.map(({ taker, choice }) => [taker, choice.name]));
}
