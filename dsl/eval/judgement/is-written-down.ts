import type { Expression } from "../../syntax/ast.ts";
import { enclosing } from "../blocks/instance.ts";
import { phases } from "../phases.ts";
import { referencesIn } from "../expressions/references-in.ts";
import type { Scope } from "../scope.ts";

/** Speaks of nothing that could be otherwise: of words that the place knows, and of no declaration. */
export function isWrittenDown(expression: Expression, { module, locals, self }: Scope): boolean {
  const around = new Set([...enclosing(self)].map(({ kind }) => kind.name));
  const mayDiffer = (name: string) =>
    locals.has(name) ||
    module.names.has(name) ||
    around.has(name) ||
    phases.has(name) ||
    name === "host" ||
    name === "env";
  return [...referencesIn(expression)].every((name) => !mayDiffer(name));
}
