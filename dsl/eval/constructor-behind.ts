import type { Constructor, Registry } from "../kind.ts";
import type { ChoiceValue } from "../types/value.ts";
import { choicesOf } from "./choices-of.ts";
import { inTable } from "../in-table.ts";

/** The constructor of a choice that stands where no choice is expected, `let y = s.optimizer`: one that takes all that it has. */
export function constructorBehind(value: ChoiceValue, registry: Registry): Constructor | undefined {
  const names = [...value.arguments.keys()];
  return choicesOf(registry)
    .flatMap(({ choice: { constructors } }) => inTable(constructors, value.name) ?? [])
    .find((constructor) => names.every((name) => Object.hasOwn(constructor?.parameters ?? {}, name)));
}
