/** One compilation of one file: modules, variants, params, and the instances that everything else asks for. */
import { extendsKind, reservedKind, unknownKind, unknownName, valueCycle } from "../diagnostics/catalog/names.ts";
import { outOfRange, paramMissing, unusedSecret } from "../diagnostics/catalog/values.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { suggest } from "../diagnostics/suggest.ts";
import type { Registry, Type } from "../kind.ts";
import type { Source, Span } from "../source/source.ts";
import type { Amendment, BlockSymbol, Module, Symbol } from "../symbols/symbol.ts";
import { load } from "../symbols/load.ts";
import type { Path } from "../syntax/ast.ts";
import { parseExpression } from "../syntax/parse.ts";
import { conform } from "../types/conform.ts";
import { anyType, choice, string } from "../types/type.ts";
import { show, unknown, type Value, type Valued } from "../types/value.ts";
import { builtins } from "./builtins.ts";
import type { Context } from "./context.ts";
import { evaluate } from "./evaluate.ts";
import type { Instance, Written } from "./instance.ts";
import { applyBody, applyStatement, newInstance, pathText } from "./merge.ts";
import { contains } from "./operators.ts";
import type { Layer } from "./origin.ts";
import { makeProperty, type Trail } from "./property.ts";
import type { Scope } from "./scope.ts";
import { typeOf } from "./type-expression.ts";
import { layers, type Variants } from "./variants.ts";

export interface Options extends Variants {
  readonly read: (path: string) => string | undefined;
  readonly environment: (name: string) => string | undefined;
  readonly host: (name: string) => Value | undefined;
}

export interface Program {
  readonly context: Context;
  readonly root: Module;
  readonly modules: ReadonlyMap<string, Module>;
  /** Every block that is declared in the files of the user, root file first; templates included. */
  readonly blocks: readonly Instance[];
  readonly diagnostics: readonly Diagnostic[];
}

const secretSources: Type = choice("source of a secret", {
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

/** An amendment with the layer it belongs to; `path` is what is left of it below the block it amends. */
export interface LayeredAmendment extends Amendment {
  readonly layer: Layer;
}

export function createProgram(source: Source, registry: Registry, options: Options): Program {
  const loaded = load(source, options.read, registry.std, options.overlayFiles);
  const diagnostics: Diagnostic[] = [...loaded.diagnostics];
  const seen = new Set<string>();
  const report = (diagnostic: Diagnostic): void => {
    const key = `${diagnostic.code}\0${diagnostic.span.source.path}\0${diagnostic.span.start}\0${diagnostic.span.end}\0${diagnostic.message}`;
    if (!seen.has(key)) diagnostics.push(diagnostic);
    seen.add(key);
  };
  const trail: Trail = [];
  const instances = new Map<BlockSymbol, Instance | null>();
  const values = new Map<Symbol, Valued>();
  const usedSecrets = new Set<Symbol>();
  const amendments = new Map<Symbol, LayeredAmendment[]>();
  const replacements = new Map<
    Symbol,
    { readonly statement: Extract<Amendment["statement"], { kind: "assign" }>; readonly by: Written }
  >();

  const context: Context = {
    registry,
    builtins: new Map([
      ...builtins,
      [
        "env",
        {
          doc: "an environment variable, read where one compiles",
          parameters: [
            { name: "name", type: string },
            { name: "default", type: anyType, optional: true },
          ],
          call: ([name, fallback]) => {
            const found = name?.value.kind === "string" ? options.environment(name.value.value) : undefined;
            if (found !== undefined) return { kind: "string", value: found };
            return fallback === undefined || fallback.value.kind === "none"
              ? { error: "the variable is not set and no default is given" }
              : fallback.value;
          },
        },
      ],
    ]),
    modules: loaded.modules,
    root: loaded.root,
    report,
    environment: options.environment,
    host: options.host,
    evaluate: (expression, scope, expected, what) => evaluate(expression, scope, expected, what, context),
    property: makeProperty(trail),
    instanceOf,
    symbolValue,
    derive: (base, body, by, name) => {
      const copy = newInstance(base.kind, name, base.parent, base.span, context, { symbol: base.symbol });
      if (base.symbol !== null) say(copy, base.symbol, []);
      applyBody(copy, body, by);
      return copy;
    },
  };

  function instanceOf(symbol: BlockSymbol): Instance | null {
    const known = instances.get(symbol);
    if (known !== undefined) return known;
    instances.set(symbol, null);
    const replaced = replacements.get(symbol);
    if (replaced !== undefined) {
      const scope: Scope = { module: replaced.by.module, locals: replaced.by.locals, self: null };
      const { value } = context.evaluate(
        replaced.statement.value,
        scope,
        { kind: "block", kinds: [symbol.node.head[0].text] },
        `\`${symbol.name.text}\``,
      );
      instances.set(symbol, value.kind === "block" ? value.block : null);
      return instances.get(symbol) ?? null;
    }
    const instance = declare(symbol);
    instances.set(symbol, instance);
    return instance;
  }

  function declare(symbol: BlockSymbol): Instance | null {
    const { node } = symbol;
    const kindName = node.head[0].text;
    const kind = registry.kinds[kindName];
    if (kind === undefined || node.head.length > 1) {
      const at = node.head[0].span;
      if (registry.reserved.includes(kindName)) report(reservedKind(at, { kind: kindName }));
      else report(unknownKind(at, { kind: pathText(node.head) }, suggest(at, kindName, Object.keys(registry.kinds))));
      return null;
    }
    const instance = newInstance(kind, symbol.name.text, null, symbol.name.span, context, {
      abstract: node.abstract,
      symbol,
    });
    return say(instance, symbol, []) ? instance : null;
  }

  /** Says everything to a block that its ancestors, its own body and its amendments say, in that order. */
  function say(instance: Instance, symbol: BlockSymbol, below: readonly BlockSymbol[]): boolean {
    const { node, module } = symbol;
    if (node.extends !== null) {
      const base = resolveBlock(node.extends, module);
      if (base === null) return false;
      if (below.includes(base) || base === symbol) {
        const chain = [...below, symbol, base].map((s) => s.name.text).join(" -> ");
        report(valueCycle(node.extends[0].span, { chain }));
        return false;
      }
      if (base.node.head[0].text !== node.head[0].text) {
        report(
          extendsKind(node.extends[0].span, {
            name: base.name.text,
            kind: base.node.head[0].text,
            expected: node.head[0].text,
          }),
        );
        return false;
      }
      if (!say(instance, base, [...below, symbol])) return false;
    }
    const by: Written = { module, locals: new Map(), layer: "file" };
    if (node.on !== null) instance.clauses.on = { path: node.on, module };
    if (node.after.length > 0) instance.clauses.after = node.after.map((path) => ({ path, module }));
    applyBody(instance, node.body ?? [], by);
    for (const { statement, module: from, layer } of amendments.get(symbol) ?? []) {
      const how: Written = { module: from, locals: new Map(), layer };
      if (statement.kind === "block" && statement.head.length === 0) applyBody(instance, statement.body ?? [], how);
      else applyStatement(instance, statement, how);
    }
    return true;
  }

  function resolveBlock(path: Path, module: Module): BlockSymbol | null {
    const [head, ...rest] = path;
    let symbol = module.names.get(head.text);
    const inner = rest[0];
    if (symbol?.kind === "namespace" && inner !== undefined) symbol = symbol.of.names.get(inner.text);
    if (symbol?.kind === "block") return symbol;
    const valid = [...module.names].filter(([, s]) => s.kind === "block").map(([n]) => n);
    report(unknownName(head.span, { name: pathText(path) }, suggest(head.span, head.text, valid)));
    return null;
  }

  function symbolValue(symbol: Exclude<Symbol, { kind: "block" | "namespace" }>, at: Span): Valued {
    if (symbol.kind === "secret") usedSecrets.add(symbol);
    const known = values.get(symbol);
    if (known !== undefined) return known;
    const name = symbol.name.text;
    if (trail.includes(name)) {
      report(valueCycle(symbol.name.span, { chain: [...trail.slice(trail.indexOf(name)), name].join(" -> ") }));
      return { value: unknown, span: at, origin: { kind: "default", by: "cycle" } };
    }
    trail.push(name);
    const value = compute(symbol);
    trail.pop();
    values.set(symbol, value);
    return value;
  }

  function compute(symbol: Exclude<Symbol, { kind: "block" | "namespace" }>): Valued {
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
        const values = symbol.node.members.map((m) => m.text);
        return written({
          kind: "list",
          items: values.map((v) => written({ kind: "member", of: name, values, name: v })),
        });
      }
      case "secret": {
        const from = conform(
          context.evaluate(symbol.node.value, scope, secretSources, `secret \`${name}\``),
          secretSources,
          `secret \`${name}\``,
          report,
        );
        return written(from.value.kind === "choice" ? { kind: "secret", name, from: from.value } : unknown);
      }
      case "let": {
        const type = symbol.node.type === null ? null : typeOf(symbol.node.type, scope, context);
        const value = context.evaluate(symbol.node.value, scope, type, `\`${name}\``);
        return amendedLet(type === null ? value : conform(value, type, `\`${name}\``, report), symbol);
      }
      case "param":
        return paramValue(symbol, scope);
    }
  }

  /** Overlays may change fields of a record that a `let` names. */
  function amendedLet(value: Valued, symbol: Symbol): Valued {
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

  function paramValue(symbol: Extract<Symbol, { kind: "param" }>, scope: Scope): Valued {
    const { node } = symbol;
    const name = node.name.text;
    const what = `param \`${name}\``;
    const type = node.type === null ? anyType : typeOf(node.type, scope, context);
    const set = options.sets.find((s) => s.name === name);
    const replaced = replacements.get(symbol);
    let value: Valued;
    let how: "default" | "set" | "env" | "preset" = "default";
    if (set !== undefined) {
      value = readText({ path: `--set ${name}`, text: set.text }, type, scope, what);
      how = "set";
    } else if (replaced !== undefined) {
      value = context.evaluate(replaced.statement.value, { ...scope, module: replaced.by.module }, type, what);
      how = "preset";
    } else if (node.default !== null) {
      value = context.evaluate(node.default, scope, type, what);
      if (
        node.default.kind === "call" &&
        node.default.callee.kind === "reference" &&
        node.default.callee.name.text === "env"
      ) {
        how = "env";
        if (value.value.kind === "string")
          value = {
            ...readText({ path: `environment of ${name}`, text: value.value.value }, type, scope, what),
            span: value.span,
          };
      }
    } else {
      report(paramMissing(node.name.span, { name, how: `set it with \`--set ${name}=…\`` }));
      return {
        value: unknown,
        span: node.name.span,
        origin: { kind: "param", name, span: node.name.span, set: "default" },
      };
    }
    const fitted = conform(value, type, what, report);
    for (const bound of node.bounds) {
      const limit = context.evaluate(bound.value, scope, bound.op === "in" ? null : type, what).value;
      const holds = bound.op === "in" ? contains(limit, fitted.value) : null;
      const { value: v } = fitted;
      const within =
        bound.op === "in"
          ? holds?.kind !== "bool" || holds.value
          : v.kind !== "number" || limit.kind !== "number" || compare(v.value, bound.op, limit.value);
      if (!within) report(outOfRange(fitted.span, { what, found: show(v), allowed: `${bound.op} ${show(limit)}` }));
    }
    return { ...fitted, origin: { kind: "param", name, span: node.name.span, set: how } };
  }

  /** A value from the command line or the environment: texts and enum members need no quotes there. */
  function readText(source: Source, type: Type, scope: Scope, what: string): Valued {
    const span: Span = { source, start: 0, end: source.text.length };
    const plain = (value: Value): Valued => ({ value, span, origin: { kind: "written", span, layer: "set" } });
    const accepts = (kind: Type["kind"]) =>
      type.kind === kind || (type.kind === "union" && type.members.some((m) => m.kind === kind));
    if ((accepts("string") || accepts("path")) && !source.text.startsWith('"'))
      return plain({ kind: "string", value: source.text });
    if (type.kind === "enum" && type.values.includes(source.text))
      return plain({ kind: "member", of: type.name, values: type.values, name: source.text });
    const parsed = parseExpression(source);
    for (const diagnostic of parsed.diagnostics) report(diagnostic);
    return context.evaluate(parsed.expression, scope, type, what);
  }

  layers(loaded, options, {
    context,
    amendments,
    replacements,
    report,
    isPresent: (symbol) => presentPreset(symbol),
  });

  function presentPreset(symbol: BlockSymbol): boolean {
    const condition = symbol.node.body?.find((s) => s.kind === "assign" && s.target[0].text === "when");
    if (condition?.kind !== "assign") return false;
    const { value } = context.evaluate(
      condition.value,
      { module: symbol.module, locals: new Map(), self: null },
      null,
      "`when`",
    );
    values.clear();
    return value.kind === "bool" && value.value;
  }

  const blocks: Instance[] = [];
  const own = [...loaded.modules.values()].filter((m) => !m.path.startsWith("std/"));
  for (const module of own.sort((a, b) => Number(b === loaded.root) - Number(a === loaded.root))) {
    for (const symbol of module.names.values()) {
      if (symbol.module !== module) continue;
      if (symbol.kind === "block" && !isVariant(symbol)) {
        const instance = instanceOf(symbol);
        if (instance !== null && instance.symbol === symbol) blocks.push(instance);
      }
    }
  }

  const program: Program = {
    context,
    root: loaded.root,
    modules: loaded.modules,
    blocks,
    get diagnostics() {
      const unused = [...loaded.root.names.values()].filter(
        (s) => s.kind === "secret" && s.module === loaded.root && !usedSecrets.has(s),
      );
      return [...diagnostics, ...unused.map((s) => unusedSecret(s.name.span, { name: s.name.text }))];
    },
  };
  return program;
}

export const isVariant = (symbol: BlockSymbol): boolean => ["preset", "overlay"].includes(symbol.node.head[0].text);

const compare = (a: number, op: string, b: number): boolean =>
  op === "<=" ? a <= b : op === ">=" ? a >= b : op === "<" ? a < b : a > b;
