/** What params, secrets, lets, functions and enums stand for. */
import { abstractUsed, duplicateName } from "../diagnostics/catalog/names.ts";
import { knownLater } from "../diagnostics/catalog/phases.ts";
import { outOfRange, typeMismatch } from "../diagnostics/catalog/values.ts";
import { paramMissing, secretWritten } from "../diagnostics/catalog/settings.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { replacement, suggest } from "../diagnostics/suggest.ts";
import type { Type } from "../kind.ts";
import type { Source, Span } from "../source/source.ts";
import type { Symbol } from "../symbols/symbol.ts";
import type { Enum, Expression } from "../syntax/ast.ts";
import { parseExpression } from "../syntax/parse.ts";
import { conform } from "../types/conform.ts";
import { anyType, choice, describeType, string } from "../types/type.ts";
import { show, unknown, type Value, type Valued } from "../types/value.ts";
import type { Context } from "./context.ts";
import { evaluate } from "./evaluate.ts";
import { pathText } from "./merge.ts";
import { violatedBound } from "./param-bounds.ts";
import type { Scope } from "./scope.ts";
import { typeOf } from "./type-expression.ts";
import type { LayeredAmendment, Replacement, Variants } from "./variants.ts";

/** What a symbol's value depends on beside its declaration. */
export interface Surroundings {
  readonly context: Context;
  /** What the command line gives each param that it names. */
  readonly sets: ReadonlyMap<Symbol, Variants["sets"][number]>;
  readonly amendments: ReadonlyMap<Symbol, readonly LayeredAmendment[]>;
  readonly replacements: ReadonlyMap<Symbol, Replacement>;
}

export const secretSources: Type = choice("source of a secret", {
  env: {
    doc: "an environment variable of the target",
    parameters: { name: { type: string, doc: "its name", required: true } },
    positional: ["name"],
  },
  file: {
    doc: "a file on the target",
    parameters: { path: { type: string, doc: "its path", required: true } },
    positional: ["path"],
  },
  kubernetes: {
    doc: "a Kubernetes secret",
    parameters: { ref: { type: string, doc: "`name/key`", required: true } },
    positional: ["ref"],
  },
});

export function valueOfSymbol(
  symbol: Exclude<Symbol, { kind: "block" | "namespace" }>,
  around: Surroundings,
): Valued {
  const { context } = around;
  const scope: Scope = { module: symbol.module, locals: new Map(), self: null };
  const name = symbol.name.text;
  const written = (value: Value): Valued => ({
    value,
    span: symbol.name.span,
    origin: { kind: "written", span: symbol.name.span, layer: "file" },
  });
  switch (symbol.kind) {
    case "fn":
      return written({ kind: "function", node: symbol.node, scope });
    case "enum": {
      checkMembers(symbol.node, context);
      const values = symbol.node.members.map((m) => m.text);
      return written({
        kind: "list",
        items: values.map((v) => written({ kind: "member", of: name, values, name: v })),
      });
    }
    case "secret": {
      const what = `secret \`${name}\``;
      const said = context.evaluate(symbol.node.value, scope, secretSources, what);
      if (said.value.kind === "string" || said.value.kind === "number") {
        const named = said.value.kind === "string" && /^[A-Z][A-Z\d_]*$/.test(said.value.value);
        const source = `env("${named ? show(said.value).slice(1, -1) : name.toUpperCase()}")`;
        const fixes = [replacement(said.span, source)];
        context.report(secretWritten(said.span, { what: `\`${name}\``, instead: `write \`${source}\`` }, { fixes }));
        return written(unknown);
      }
      const from = conform(said, secretSources, what, context.report);
      return written(from.value.kind === "choice" ? { kind: "secret", name, from: from.value } : unknown);
    }
    case "let": {
      const type = symbol.node.type === null ? null : typeOf(symbol.node.type, scope, context);
      const what = `\`${name}\``;
      const value = context.evaluate(symbol.node.value, scope, type, what);
      if (value.value.kind === "unknown" && value.value.phase !== undefined) {
        context.report(knownLater(symbol.node.value.span, { what, phase: value.value.phase }));
        return { ...value, value: unknown };
      }
      if (value.value.kind === "block" && value.value.block.abstract) {
        const { name: used, kind } = value.value.block;
        context.report(abstractUsed(value.span, { name: used ?? "", kind: kind.name }));
        return { ...value, value: unknown };
      }
      return amendedLet(type === null ? value : conform(value, type, what, context.report), symbol, around);
    }
    case "param":
      return paramValue(symbol, scope, around);
  }
}

/** An enum is some words, each once. */
function checkMembers({ name, members }: Enum, { report }: Context): void {
  if (members.length === 0)
    report(typeMismatch(name.span, { what: `enum \`${name.text}\``, expected: "at least one word", found: "empty" }));
  for (const [index, member] of members.entries()) {
    const earlier = members.slice(0, index).find((m) => m.text === member.text);
    if (earlier === undefined) continue;
    const related = [{ message: "the first one", span: earlier.span }];
    const fix = "Remove one of the two.";
    report(duplicateName(member.span, { name: member.text }, { related, fix }));
  }
}

/** Overlays may change fields of a record that a `let` names. */
function amendedLet(value: Valued, symbol: Symbol, { context, amendments }: Surroundings): Valued {
  const said = amendments.get(symbol) ?? [];
  if (value.value.kind !== "record" || said.length === 0) return value;
  const fields = new Map(value.value.fields);
  for (const { statement, module } of said) {
    const members = statement.kind === "block" ? (statement.body ?? []) : [statement];
    for (const member of members) {
      if (member.kind !== "assign") continue;
      fields.set(
        pathText(member.target),
        context.evaluate(
          member.value,
          { module, locals: new Map(), self: null },
          null,
          `\`${pathText(member.target)}\``,
        ),
      );
    }
  }
  return { ...value, value: { ...value.value, fields } };
}

function paramValue(
  symbol: Extract<Symbol, { kind: "param" }>,
  scope: Scope,
  { context, sets, replacements }: Surroundings,
): Valued {
  const { node } = symbol;
  const name = node.name.text;
  const what = `param \`${name}\``;
  const type = node.type === null ? anyType : typeOf(node.type, scope, context);
  const set = sets.get(symbol);
  const replaced = replacements.get(symbol);
  const bounds = node.bounds.map(
    ({ op, value: { span } }) => ` ${op} ${span.source.text.slice(span.start, span.end)}`,
  );
  const said = { what, expected: `${describeType(type)}${bounds.join("")}` };
  const missing = (instead: string): Valued => {
    context.report(paramMissing(node.name.span, { name, how: instead }));
    return {
      value: unknown,
      span: node.name.span,
      origin: { kind: "param", name, span: node.name.span, set: "default" },
    };
  };
  let value: Valued;
  let how: "default" | "set" | "env" | "preset" = "default";
  if (set !== undefined) {
    value = readText({ path: `--set ${set.name}`, text: set.text }, type, scope, said, context);
    how = "set";
  } else if (replaced !== undefined) {
    const where: Scope = { ...scope, module: replaced.by.module, locals: replaced.by.locals };
    value = context.evaluate(replaced.statement.value, where, type, what);
    how = replaced.by.layer === "set" ? "set" : "preset";
  } else if (node.default !== null) {
    const variable = unsetVariable(node.default, context);
    if (variable !== null)
      return missing(
        `set the environment variable \`${variable}\`, use \`--set ${name}=…\`, or write a default: \`env("${variable}", …)\``,
      );
    value = context.evaluate(node.default, scope, type, what);
    if (
      node.default.kind === "call" &&
      node.default.callee.kind === "reference" &&
      node.default.callee.name.text === "env"
    ) {
      how = "env";
      if (value.value.kind === "string")
        value = {
          ...readText({ path: `environment of ${name}`, text: value.value.value }, type, scope, said, context),
          span: value.span,
        };
    }
  } else {
    return missing(`set it with \`--set ${name}=…\``);
  }
  const fitted = conform(value, type, what, context.report);
  const allowed = violatedBound(node, fitted.value, scope, type, context);
  if (allowed !== null) context.report(outOfRange(fitted.span, { what, found: show(fitted.value), allowed }));
  return { ...fitted, origin: { kind: "param", name, span: node.name.span, set: how } };
}

/** The variable that `env("NAME")` asks for without a default, where it is not set. */
function unsetVariable(written: Expression, context: Context): string | null {
  if (written.kind !== "call" || written.callee.kind !== "reference" || written.callee.name.text !== "env")
    return null;
  const [only, ...others] = written.arguments;
  if (only === undefined || others.length > 0 || only.value.kind !== "string") return null;
  const [name] = only.value.parts;
  return typeof name === "string" && context.environment(name) === undefined ? name : null;
}

/** A value from the command line or the environment: texts and enum members need no quotes there. */
function readText(
  source: Source,
  type: Type,
  scope: Scope,
  said: { readonly what: string; readonly expected: string },
  context: Context,
): Valued {
  const span: Span = { source, start: 0, end: source.text.length };
  const plain = (value: Value): Valued => ({ value, span, origin: { kind: "written", span, layer: "set" } });
  const accepts = (kind: Type["kind"]) =>
    type.kind === kind || (type.kind === "union" && type.members.some((m) => m.kind === kind));
  if ((accepts("string") || accepts("path")) && !source.text.startsWith('"'))
    return plain({ kind: "string", value: source.text });
  if (type.kind === "enum" && type.values.includes(source.text))
    return plain({ kind: "member", of: type.name, values: type.values, name: source.text });
  const parsed = parseExpression(source);
  const found: Diagnostic[] = [...parsed.diagnostics];
  const apart: Context = {
    ...context,
    report: (diagnostic) => found.push(diagnostic),
    evaluate: (expression, inner, expected, what) => evaluate(expression, inner, expected, what, apart),
  };
  const value = apart.evaluate(parsed.expression, scope, type, said.what);
  if (found.length === 0) return value;
  const [first] = found;
  const isWord = parsed.diagnostics.length === 0 && parsed.expression.kind === "reference";
  if (type.kind === "any" || (first?.fixes.length === 1 && !isWord)) {
    for (const diagnostic of found) context.report(diagnostic);
    return plain(unknown);
  }
  const details = type.kind === "enum" ? suggest(span, source.text, type.values) : {};
  context.report(typeMismatch(span, { ...said, found: source.text }, details));
  return plain(unknown);
}
