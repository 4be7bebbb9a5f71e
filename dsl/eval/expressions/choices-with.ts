import type { Registry } from "../../kind.ts";
import { listed } from "../listed.ts";
import { choicesOf } from "./choices-of.ts";
import { article } from "../../diagnostics/article.ts";

/** What takes a choice with such a constructor, with what the choice is called: `optimizer` for `adamw`. */
export function choicesWith(name: string, registry: Registry): ReadonlyMap<string, string> {
  const having = choicesOf(registry).filter(({ choice }) => Object.hasOwn(choice.constructors, name));
  return new Map(having.map(({ taker, choice }) => [taker, choice.name]));
}

/** Where a constructor stands, in words: "`dpo` is an objective, which stands at `objective`". */
export function placeOf(name: string, registry: Registry, written = name): string | null {
  const takers = [...choicesWith(name, registry)];
  const [first] = takers;
  if (first === undefined) return null;
  const places = takers.filter(([, choice]) => choice === first[1]).map(([place]) => `\`${place}\``);
  return `\`${written}\` is ${article(first[1])}, a value of ${listed(places)}`;
}
