/** Bare names: members and constructors of the expected type, then lexical names, then kind words. */
import { ambiguousName } from "../../diagnostics/catalog/names.ts";
import type { Type } from "../../kind.ts";
import type { Name } from "../../syntax/ast.ts";
import { meanings } from "../../types/type.ts";
import { unknown, type Value, type Valued } from "../../types/value.ts";
import { hasWord, wordOf } from "../../types/word.ts";
import { construct } from "./call.ts";
import type { Context } from "../context.ts";
import { enclosing } from "../blocks/instance.ts";
import { constructorIn } from "./constructors.ts";
import { lookup } from "../declarations/lookup.ts";
import { phases } from "../phases.ts";
import { rivalOf } from "./rival.ts";
import { elsewhere } from "./elsewhere.ts";
import { reportUnknown } from "./unknown-name.ts";
import { anotherRole } from "./role.ts";
import type { Scope } from "../scope.ts";
import { inTable } from "../../in-table.ts";

const onlyNone: ReadonlySet<Type["kind"]> = new Set(["block", "choice", "handle", "enum"]);

export function evaluateReference(name: Name, scope: Scope, expected: Type | null, context: Context): Value | Valued {
  const types = meanings(expected);
  const isClear = (expected: string): boolean => {
    const symbol = scope.locals.has(name.text) ? undefined : scope.module.names.get(name.text);
    const declared = rivalOf(symbol, types, context.registry);
    if (declared !== null) context.report(ambiguousName(name.span, { name: name.text, expected, declared }));
    return declared === null;
  };
  for (const type of types) {
    if (type.kind === "enum" && hasWord(type, name.text)) {
      return isClear(type.name) ? wordOf(type, name.text) : unknown;
    }
    if (type.kind === "choice" && constructorIn(name.text, type, scope, context)?.declared != null)
      return construct(name.text, type, null, name.span, scope, context);
    if (type.kind === "choice" && Object.hasOwn(type.constructors, name.text)) {
      return isClear(type.name) ? construct(name.text, type, null, name.span, scope, context) : unknown;
    }
  }
  const found = lookup(name, scope, context);
  if (found !== null) {
    const value = "origin" in found ? found.value : found;
    const choices = types.filter((t) => t.kind === "choice");
    return choices.length > 0 && anotherRole(value, choices, context) === null ? unknown : found;
  }
  if (types.some((t) => t.kind === "formula" && t.names === undefined))
    return { kind: "formula", expression: { kind: "reference", name, span: name.span }, scope, tree: null };
  if (phases.has(name.text)) {
    const around = [...enclosing(scope.self)].find(({ kind }) => inTable(kind.derived, name.text) !== undefined);
    const derived = inTable(around?.kind.derived, name.text);
    return around !== undefined && derived !== undefined
      ? derived.compute(around)
      : { kind: "unknown", later: true, phase: name.text };
  }
  const meant = inTable(elsewhere, name.text);
  if (meant !== undefined && meant !== "none" && types.length > 0 && !types.some(mayBeTruth))
    return { kind: "bool", value: meant === "true" };
  reportUnknown(name, types, scope, context);
  return unknown;
}

/** Whether `true` or `false` means something to a type, or a word of its own would in that place. */
const mayBeTruth = ({ kind }: Type): boolean => onlyNone.has(kind) || ["bool", "any", "formula"].includes(kind);
