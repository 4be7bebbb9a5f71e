/** What a `let` stands for: its expression, what a variant says in its place, and what is amended in it. */
import { abstractUsed } from "../../diagnostics/catalog/names.ts";
import { knownLater } from "../../diagnostics/catalog/phases.ts";
import { amendNothing } from "../../diagnostics/catalog/properties.ts";
import type { Symbol } from "../../symbols/symbol.ts";
import type { Expression, Name } from "../../syntax/ast.ts";
import { conform } from "../../types/conform.ts";
import { show, unknown, type Valued } from "../../types/value.ts";
import type { Scope } from "../scope.ts";
import type { Surroundings } from "./symbol-value.ts";
import { typeOf } from "./type-expression.ts";

type LetSymbol = Extract<Symbol, { kind: "let" }>;

export function letValue(symbol: LetSymbol, scope: Scope, around: Surroundings): Valued {
  const { context, replacements } = around;
  const { node } = symbol;
  const replaced = replacements.get(symbol);
  const type = node.type === null ? null : typeOf(node.type, scope, context);
  const what = `\`${node.name.text}\``;
  const expression = replaced?.statement.value ?? node.value;
  const where: Scope = replaced === undefined ? scope : { ...replaced.by, self: null };
  if (replaced !== undefined) {
    const without = new Map(replaced.over === undefined ? [] : [[symbol, replaced.over]]);
    const beneath = replaced.over?.statement.value ?? node.value;
    const from: Scope = replaced.over === undefined ? scope : { ...replaced.over.by, self: null };
    const ask = () => void letValue(symbol, scope, { ...around, replacements: without, amendments: new Map() });
    context.away.push({ expression: beneath, scope: from, span: beneath.span, ask });
  }
  const said = context.evaluate(expression, where, type, what);
  const value: Valued =
    replaced !== undefined && said.origin.kind === "written"
      ? { ...said, origin: { ...said.origin, layer: replaced.by.layer } }
      : said;
  if (value.value.kind === "unknown" && value.value.phase !== undefined) {
    context.report(knownLater(expression.span, { what, phase: value.value.phase }));
    return { ...value, value: unknown };
  }
  if (value.value.kind === "block" && value.value.block.abstract) {
    const { name: used, kind } = value.value.block;
    context.report(abstractUsed(value.span, { name: used ?? "", kind: kind.name }));
    return { ...value, value: unknown };
  }
  return amendedLet(type === null ? value : conform(value, type, what, context.report), symbol, around);
}

/** Variants may change fields of a record, arguments of a choice and more of a block that a `let` names: as `with` would. */
function amendedLet(value: Valued, symbol: LetSymbol, { context, amendments }: Surroundings): Valued {
  return (amendments.get(symbol) ?? []).reduce((current: Valued, { statement, module, locals }): Valued => {
    const { kind } = current.value;
    if (kind === "unknown") return current;
    const body = statement.kind === "block" && statement.head.length === 0 ? (statement.body ?? []) : [statement];
    if (kind !== "record" && kind !== "choice" && kind !== "block") {
      const [member] = body;
      const head =
        member?.kind === "block"
          ? member.head[0]
          : member !== undefined && "target" in member
            ? member.target[0]
            : null;
      const where = `\`${symbol.name.text}\`, which is ${show(current.value)},`;
      const slots = { name: head?.text ?? symbol.name.text, where };
      context.report(amendNothing(head?.span ?? statement.span, slots));
      return current;
    }
    const name: Name = { kind: "name", text: "the amended value", quoted: true, span: statement.span };
    const base: Expression = { kind: "reference", name, span: statement.span };
    const scope: Scope = { module, locals: new Map([...(locals ?? []), [name.text, current]]), self: null };
    const expression: Expression = { kind: "with", base, body, span: statement.span };
    const said = context.evaluate(expression, scope, null, `\`${symbol.name.text}\``);
    return { ...current, value: said.value };
  }, value);
}
