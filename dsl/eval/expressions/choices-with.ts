import type { Registry } from "../../kind.ts";
import { listed } from "../listed.ts";
import { choicesOf } from "./choices-of.ts";
import { article } from "../../diagnostics/article.ts";

/** What takes a choice with such a constructor, with what the choice is called: `optimizer` for `adamw`. */
export function choicesWith(name: string, registry: Registry): ReadonlyMap<string, string> {
  const having = choicesOf(registry).filter(({ choice }) => Object.hasOwn(choice.constructors, name));
  return new Map(having.map(({ taker, choice }) => [taker, choice.name]));
}

/** Where a constructor stands, in words: "`dpo` is an objective, a value of `objective`"; of several, each of them. */
export function placeOf(name: string, registry: Registry, written = name): string | null {
  const called = Map.groupBy(choicesWith(name, registry), ([, choice]) => choice);
  const places = [...called].map(
    ([choice, takers]) => `${article(choice)}, a value of ${listed(takers.map(([place]) => `\`${place}\``))}`,
  );
  return places.length === 0 ? null : `\`${written}\` is ${places.join(", or ")}`;
}
