/** What params, secrets, lets, functions and enums stand for. */
import { duplicateName } from "../../diagnostics/catalog/names.ts";
import { secretWritten } from "../../diagnostics/catalog/settings.ts";
import { typeMismatch } from "../../diagnostics/catalog/values.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import type { Type } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Symbol } from "../../symbols/symbol.ts";
import type { Enum } from "../../syntax/ast.ts";
import { conform } from "../../types/conform.ts";
import { choice, string } from "../../types/type.ts";
import { show, unknown, type Value, type Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";
import { letValue } from "./let-value.ts";
import { paramValue } from "./param-value.ts";
import type { Scope } from "../scope.ts";
import type { LayeredAmendment, Replacement } from "../variants/attach.ts";
import type { Variants } from "../variants/variants.ts";

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
    case "let":
      return letValue(symbol, scope, around);
    case "param":
      return paramValue(symbol, scope, around);
  }
}

/** An enum is some words, each once. */
function checkMembers({ name, members }: Enum, { report }: Context): void {
  if (members.length === 0)
    report(typeMismatch(name.span, { what: `enum \`${name.text}\``, expected: "at least one word", found: "empty" }));
  const first = new Map<string, Span>();
  for (const member of members) {
    const earlier = first.get(member.text);
    if (earlier === undefined) {
      first.set(member.text, member.span);
      continue;
    }
    const related = [{ message: "the first one", span: earlier }];
    const fix = "Remove one of the two.";
    report(duplicateName(member.span, { name: member.text }, { related, fix }));
  }
}
