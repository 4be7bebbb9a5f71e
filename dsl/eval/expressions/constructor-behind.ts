import type { Constructor, Registry, Type } from "../../kind.ts";
import type { ChoiceValue } from "../../types/value.ts";
import { choicesOf } from "./choices-of.ts";
import { inTable } from "../../in-table.ts";

type Choice = Extract<Type, { kind: "choice" }>;

/** The choice that a value is of, where none is expected, `let y = s.optimizer`: one whose constructor takes all that it has. */
export function choiceBehind({ name, role, arguments: given }: ChoiceValue, registry: Registry): Choice | undefined {
  const choices = choicesOf(registry).map(({ choice }) => choice);
  if (role !== undefined) return choices.find((choice) => choice.name === role);
  const takesAll = ({ constructors }: Choice) => {
    const parameters = inTable(constructors, name)?.parameters;
    return parameters !== undefined && [...given.keys()].every((argument) => Object.hasOwn(parameters, argument));
  };
  return choices.find(takesAll);
}

/** The constructor that made such a value. */
export const constructorBehind = (value: ChoiceValue, registry: Registry): Constructor | undefined =>
  inTable(choiceBehind(value, registry)?.constructors, value.name);
