/** `base with { … }`: a block, a record or a choice, changed. */
import { argumentTwice, argumentUnknown } from "../../diagnostics/catalog/calls.ts";
import { misplaced } from "../../diagnostics/catalog/names.ts";
import { typeMismatch } from "../../diagnostics/catalog/values.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import { inTable } from "../../in-table.ts";
import type { Type } from "../../kind.ts";
import type { Expression, Statement } from "../../syntax/ast.ts";
import { alternatives, groupIn } from "../../types/type.ts";
import { type ChoiceValue, show, unknown, type Value } from "../../types/value.ts";
import { fitted } from "../blocks/fitted.ts";
import type { Context } from "../context.ts";
import type { Scope } from "../scope.ts";
import { mayLook, partsOf } from "./bulk.ts";
import { constructorBehind } from "./constructor-behind.ts";
import { constructorOfValue } from "./constructors.ts";
import { recordWith } from "./record-with.ts";

export function withOf(
  { base: from, body, span }: Extract<Expression, { kind: "with" }>,
  scope: Scope,
  expected: Type | null,
  what: string,
  context: Context,
): Value {
  const { value: base } = context.evaluate(from, scope, expected, what);
  switch (base.kind) {
    case "block": {
      const by = { module: scope.module, locals: scope.locals, layer: "file" } as const;
      const name = `${scope.self?.name ?? "x"}_${base.block.name ?? ""}`;
      return { kind: "block", block: context.derive(base.block, body, by, name) };
    }
    case "record":
      return mayLook(partsOf(base), span, context)
        ? recordWith(base, body, scope, groupIn(expected), context)
        : unknown;
    case "choice":
      return choiceWith(base, body, scope, expected, context);
    case "unknown":
      return base;
    default: {
      const slots = { what: "the base of `with`", expected: "a block, a record or a choice", found: show(base) };
      context.report(typeMismatch(from.span, slots));
      return unknown;
    }
  }
}

/** `gpt2 with { norm = rms }`: arguments said anew. */
function choiceWith(
  base: ChoiceValue,
  body: readonly Statement[],
  scope: Scope,
  expected: Type | null,
  context: Context,
): Value {
  const constructor = constructorOfValue(base, alternatives(expected)) ?? constructorBehind(base, context.registry);
  const parameters = constructor?.parameters ?? {};
  const arguments_ = new Map(base.arguments);
  const given = new Set<string>();
  for (const member of body) {
    const [name] = member.kind === "assign" ? member.target : [];
    if (member.kind !== "assign" || name === undefined || member.target.length > 1) {
      context.report(misplaced(member.span, { what: `\`${member.kind}\``, where: `in \`with\` of ${base.name}` }));
      continue;
    }
    const parameter = inTable(parameters, name.text);
    if (parameter === undefined) {
      const valid = Object.keys(parameters);
      context.report(
        argumentUnknown(name.span, { name: name.text, of: base.name }, suggest(name.span, name.text, valid)),
      );
      continue;
    }
    if (given.has(name.text)) context.report(argumentTwice(name.span, { name: name.text }));
    given.add(name.text);
    const what = `\`${name.text}\` of ${base.name}`;
    const said = context.evaluate(member.value, scope, parameter.type, what);
    arguments_.set(name.text, fitted(said, parameter, what, context.report));
  }
  return { ...base, arguments: arguments_ };
}
