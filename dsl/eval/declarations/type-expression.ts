/** Types as written: `Int`, `Tokens/Params`, `Model`, `"x" | "y"`, the name of an enum. */
import { unknownName } from "../../diagnostics/catalog/names.ts";
import { replacement, suggest } from "../../diagnostics/suggest.ts";
import type { Type } from "../../kind.ts";
import { isLost } from "./is-lost.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import type { Path, TypeExpression } from "../../syntax/ast.ts";
import { foreignType } from "../../syntax/foreign-types.ts";
import {
  anyType,
  block,
  bool,
  bytes,
  duration,
  enumeration,
  integer,
  list,
  literalTexts,
  lostType,
  noneType,
  number,
  one,
  path,
  quantity,
  samples,
  steps,
  string,
  tokens,
  union,
} from "../../types/type.ts";
import { combine, dimensionless } from "../../types/units.ts";
import type { Context } from "../context.ts";
import type { Scope } from "../scope.ts";
import { inTable } from "../../in-table.ts";

/** Types that need no declaration. */
export const namedTypes: Readonly<Record<string, Type>> = {
  Int: integer(),
  Float: number({ percent: one }),
  Number: number({ percent: one }),
  Bool: bool,
  String: string,
  Path: path,
  Tokens: tokens,
  Samples: samples,
  Steps: steps,
  Epochs: quantity([{ epoch: 1 }], { min: 0 }),
  Params: quantity([{ param: 1 }], { min: 0 }),
  Bytes: bytes,
  Duration: duration,
  Usd: quantity([{ usd: 1 }], { min: 0 }),
  Gpus: quantity([{ gpu: 1 }], { integer: true, min: 0 }),
  Nodes: quantity([{ node: 1 }], { integer: true, min: 0 }),
};

export function typeOf(expression: TypeExpression, scope: Scope, context: Context): Type {
  switch (expression.kind) {
    case "named_type": {
      const name = expression.path.map((n) => n.text).join(".");
      const found = inTable(namedTypes, name);
      if (found !== undefined) return found;
      if (name === "none") return noneType;
      const symbol = declaredAt(expression.path, scope.module);
      if (symbol?.kind === "enum")
        return enumeration(
          symbol.name.text,
          symbol.node.members.map((m) => m.text),
        );
      if (symbol === undefined && isLost(expression.path[0].text, scope)) return lostType;
      const kinds = Object.keys(context.registry.kinds);
      const kind = kinds.find((k) => pascal(k) === name);
      if (kind !== undefined) return block(kind);
      const enums = [...scope.module.names].flatMap(([n, s]) => enumsIn(n, s));
      const valid = [...Object.keys(namedTypes), ...enums, ...kinds.map(pascal)];
      const meant = foreignType(name);
      const details = suggest(expression.span, name, valid);
      const fixes = meant === null ? details.fixes : [replacement(expression.span, meant)];
      context.report(unknownName(expression.span, { name }, { ...details, ...(fixes !== undefined && { fixes }) }));
      return lostType;
    }
    case "ratio_type": {
      const above = typeOf(expression.numerator, scope, context);
      const below = typeOf(expression.denominator, scope, context);
      if (above.kind !== "number" || below.kind !== "number") return anyType;
      return quantity([combine(above.dimensions[0] ?? dimensionless, below.dimensions[0] ?? dimensionless, -1)]);
    }
    case "list_type":
      return list(typeOf(expression.element, scope, context));
    case "literal_type":
      return enumeration(literalTexts, [expression.value.parts.join("")]);
    case "union_type": {
      const members = expression.members.map((m) => typeOf(m, scope, context));
      const literals = members.flatMap((m) => (m.kind === "enum" && m.name === literalTexts ? m.values : []));
      const others = members.filter((m) => m.kind !== "enum" || m.name !== literalTexts);
      return literals.length === 0
        ? union(...others)
        : others.length === 0
          ? enumeration(literalTexts, literals)
          : union(enumeration(literalTexts, literals), ...others);
    }
  }
}

/** `Mode`, and `lib.Mode` of a file that is imported as a whole. */
function declaredAt([head, ...rest]: Path, { names }: Module): Symbol | undefined {
  const symbol = names.get(head.text);
  const [member, ...more] = rest;
  if (member === undefined) return symbol;
  return symbol?.kind === "namespace" && more.length === 0 ? symbol.of.names.get(member.text) : undefined;
}

function enumsIn(name: string, symbol: Symbol): string[] {
  if (symbol.kind === "enum") return [name];
  if (symbol.kind !== "namespace") return [];
  return [...symbol.of.names].flatMap(([inner, { kind }]) => (kind === "enum" ? [`${name}.${inner}`] : []));
}

const pascal = (kind: string): string =>
  kind.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
