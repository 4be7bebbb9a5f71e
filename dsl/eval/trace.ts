/** The chain behind a value: what wrote it, and what the names in it stand for, down to literals and defaults. */
import type { BlockKind, DerivedField } from "../kind.ts";
import type { Span } from "../source/source.ts";
import type { Expression } from "../syntax/ast.ts";
import { none, show, type Valued } from "../types/value.ts";
import type { Symbol } from "../symbols/symbol.ts";
import type { Context } from "./context.ts";
import { heldGroup } from "./blocks/implied.ts";
import { describeInstance, enclosing, type Instance, type Written } from "./blocks/instance.ts";
import { isPresent } from "./declarations/lookup.ts";
import type { Layer, Origin } from "./origin.ts";
import { inTable } from "../in-table.ts";

export interface Trace {
  /** `pretrain.batch`, `param nodes`, `let wide`. */
  readonly path: string;
  readonly value: string;
  /** Whether there is a value by now: what an error touches has none. */
  readonly known: boolean;
  readonly origin: Origin;
  /** Where it was written, or where what it is a default of stands. */
  readonly span: Span;
  /** The expression as written, where it is more than the value. */
  readonly text: string | null;
  readonly from: readonly Trace[];
}

/** Long enough for what people write, short enough for what a cycle would make of it. */
const deepest = 8;

/** The chain behind what a block says at a path: `["optimizer", "lr"]`; `null` where it says nothing there. */
export function traceOf(block: Instance, path: readonly string[], depth = 0): Trace | null {
  const [name, ...rest] = path;
  if (name === undefined || depth > deepest) return null;
  const { kind, context } = block;
  const own = `${block.name ?? kind.name}.${path.join(".")}`;
  const group = heldGroup(block, name);
  if (group !== null && rest.length > 0) {
    const inner = traceOf(group, rest, depth);
    return inner === null ? null : { ...inner, path: own };
  }
  const entry = block.values.get(name);
  const absent = inTable(kind.blocks, name);
  if (group === null && absent !== undefined && isIn(absent, rest))
    return made(own, withoutGroup(block, name), null, []);
  const isDecided = inTable(kind.derived, name) !== undefined || !Object.hasOwn(kind.properties, name);
  if (entry === undefined && isDecided)
    return kind.handles?.includes(name) === true && rest.length === 0
      ? made(own, madeBy(block, name), null, [])
      : derived(block, name, rest, own, depth);
  const bound = entry === undefined && rest.length === 0 ? boundOf(block, name, own) : null;
  if (bound !== null) return bound;
  const said = context.property(block, name, block.span);
  if (said.value.kind === "block" && rest.length > 0) return traceOf(said.value.block, rest, depth);
  const value = rest.length === 0 ? said : leafIn(said, rest);
  if (value === null) return null;
  const patch = entry?.patches.findLast((p) => p.path.join(".") === rest.join("."));
  const whole = rest.length === 0 || entry === undefined ? null : argumentIn(entry.expression, rest[0] ?? "");
  const expression = patch?.expression ?? (rest.length === 0 ? (entry?.expression ?? null) : whole);
  const by = patch?.by ?? entry?.by;
  const from =
    expression === null || by === undefined ? [] : namesIn(expression, by, { context, self: block }, depth + 1);
  return made(own, value, value.origin.kind === "default" ? null : expression, from);
}

/** What bounds say of a property that has no value, nor a default. */
function boundOf(block: Instance, name: string, path: string): Trace | null {
  const bounds = block.bounds.filter(({ node }) => node.target.length === 1 && node.target[0].text === name);
  const last = bounds.at(-1);
  if (last === undefined || block.context.property(block, name, block.span).value.kind !== "none") return null;
  const value = bounds.map(({ node }) => `${node.op} ${textOf(node.value.span)}`).join(" and ");
  const origin: Origin = { kind: "written", span: last.node.span, layer: last.by.layer };
  return { path, value, known: true, origin, span: last.node.span, text: null, from: [] };
}

const isIn = (kind: BlockKind, [name, ...rest]: readonly string[]): boolean => {
  const group = name === undefined ? undefined : inTable(kind.blocks, name);
  return (
    name === undefined ||
    (rest.length === 0 && Object.hasOwn(kind.properties, name)) ||
    (group !== undefined && isIn(group, rest))
  );
};

/** Of a group that is not there, every value is `none`. */
function withoutGroup(block: Instance, name: string): Valued {
  const entry = block.values.get(name);
  const origin: Origin =
    entry === undefined
      ? { kind: "default", by: block.kind.name, source: `no \`${name}\` is written` }
      : { kind: "written", span: entry.expression.span, layer: entry.by.layer };
  return { value: none, span: entry?.expression.span ?? block.span, origin };
}

function madeBy(block: Instance, which: string): Valued {
  const origin: Origin = { kind: "derived", rule: `what ${describeInstance(block)} makes`, inputs: [] };
  return { value: { kind: "handle", block, which }, span: block.span, origin };
}

function made(path: string, said: Valued, expression: Expression | null, from: readonly Trace[]): Trace {
  const value = show(said.value);
  const text = expression === null ? null : textOf(expression.span);
  return {
    path,
    value,
    known: said.value.kind !== "unknown",
    origin: said.origin,
    span: said.span,
    text: text === value || text === "" ? null : text,
    from,
  };
}

const textOf = ({ source, start, end }: Span): string => source.text.slice(start, end).replace(/\s+/g, " ");

function derived(block: Instance, name: string, rest: readonly string[], path: string, depth: number): Trace | null {
  const found = inTable(block.kind.derived, name);
  if (found === undefined) return null;
  const field = rest.reduce<DerivedField | undefined>((at, part) => at?.fields?.[part], found);
  const origin: Origin = { kind: "derived", rule: field?.doc ?? found.doc, inputs: [] };
  const whole: Valued = { value: found.compute(block), span: block.span, origin };
  if (whole.value.kind === "unknown" && field !== undefined) return made(path, whole, null, []);
  const value = rest.length === 0 ? whole : leafIn(whole, rest);
  const from = (field ?? found).from ?? [];
  const inputs = from.flatMap((input) => traceOf(block, input.split("."), depth + 1) ?? []);
  return value === null ? null : made(path, { ...value, origin }, null, inputs);
}

function leafIn(said: Valued, path: readonly string[]): Valued | null {
  let current: Valued | undefined = said;
  for (const name of path) {
    const value: Valued["value"] | undefined = current?.value;
    current =
      value?.kind === "choice"
        ? value.arguments.get(name)
        : value?.kind === "record"
          ? value.fields.get(name)
          : undefined;
  }
  return current ?? null;
}

function argumentIn(expression: Expression, name: string): Expression | null {
  if (expression.kind !== "call") return null;
  return expression.arguments.find((a) => a.name?.text === name)?.value ?? null;
}

/** Where names are looked up: `self` is the block around them, which a `param` or a `let` has not. */
interface Around {
  readonly context: Context;
  readonly self: Instance | null;
}

/** What the names in an expression stand for, each once. */
function namesIn(expression: Expression, by: Written, around: Around, depth: number): readonly Trace[] {
  if (depth > deepest) return [];
  const paths = new Map(pathsIn(expression).map((path) => [path.join("."), path]));
  return [...paths.values()].flatMap((path) => resolved(path, by, around, depth) ?? []);
}

function resolved(path: readonly string[], by: Written, { context, self }: Around, depth: number): Trace | null {
  const [head = "", ...rest] = path;
  if (by.locals.has(head)) return null;
  const symbol = by.module.names.get(head);
  switch (symbol?.kind) {
    case "param":
    case "let":
      return traceOfSymbol(symbol, context, rest, depth);
    case "namespace":
      return resolved(rest, { ...by, module: symbol.of, locals: new Map() }, { context, self: null }, depth);
    case "block": {
      const block = context.instanceOf(symbol);
      return block === null || !isPresent(block) ? null : traceOf(block, rest, depth);
    }
    case "fn":
      return traceOfFunction(symbol, context, depth);
    case undefined: {
      const block = self === null ? undefined : [...enclosing(self)].find(({ kind }) => kind.name === head);
      return block === undefined ? null : traceOf(block, rest, depth);
    }
    default:
      return null;
  }
}

/** `a.b.c` wherever a name stands in an expression. */
function pathsIn(expression: Expression): readonly (readonly string[])[] {
  const chain = chainOf(expression);
  if (chain !== null) return [chain];
  return partsOf(expression).flatMap(pathsIn);
}

function chainOf(expression: Expression): readonly string[] | null {
  if (expression.kind === "reference") return [expression.name.text];
  if (expression.kind !== "member") return null;
  const before = chainOf(expression.object);
  return before === null ? null : [...before, expression.name.text];
}

function partsOf(e: Expression): readonly Expression[] {
  switch (e.kind) {
    case "member":
      return [e.object];
    case "call":
      return [e.callee, ...e.arguments.map((a) => a.value)];
    case "index":
      return [e.object, e.index];
    case "list":
      return e.items;
    case "comprehension":
      return [e.over];
    case "range":
      return [e.from, e.to];
    case "unary":
      return [e.operand];
    case "binary":
      return [e.left, e.right];
    case "if":
      return [e.condition, e.then, e.else];
    case "match":
      return [e.subject, ...e.arms.map((a) => a.body), ...(e.otherwise === null ? [] : [e.otherwise])];
    case "with":
      return [e.base];
    case "string":
      return e.parts.filter((p) => typeof p !== "string");
    default:
      return [];
  }
}

type Named = Extract<Symbol, { readonly kind: "param" | "let" }>;

/** The chain behind a `param` or a `let`, or behind what stands at a path in it. */
export function traceOfSymbol(symbol: Named, context: Context, path: readonly string[] = [], depth = 0): Trace {
  const said = context.symbolValue(symbol, symbol.name.span);
  const inner = said.value.kind === "block" ? traceOf(said.value.block, path, depth + 1) : null;
  if (inner !== null) return { ...inner, path: `${symbol.kind} ${[symbol.name.text, ...path].join(".")}` };
  const found = path.length === 0 ? said : (leafIn(said, path) ?? said);
  const instead = symbol.kind === "let" ? context.saidInstead(symbol) : undefined;
  const expression = instead?.statement.value ?? (symbol.kind === "let" ? symbol.node.value : symbol.node.default);
  const isSet = symbol.kind === "param" && found.origin.kind === "param" && found.origin.set !== "default";
  const where: Written = instead?.by ?? { module: symbol.module, locals: new Map(), layer: "file" };
  const from = expression === null || isSet ? [] : namesIn(expression, where, { context, self: null }, depth + 1);
  const name = [symbol.name.text, ...path].join(".");
  const isLet = symbol.kind === "let" && expression !== null && path.length === 0;
  const value = isLet ? inOwnPlace(found, expression, where.layer, from) : found;
  return made(`${symbol.kind} ${name}`, value, isSet ? null : expression, from);
}

/** What a function computes, and the names in it that are not its own. */
function traceOfFunction(symbol: Extract<Symbol, { kind: "fn" }>, context: Context, depth: number): Trace {
  const { name, parameters, body, span } = symbol.node;
  const origin: Origin = { kind: "written", span, layer: "file" };
  const own = new Map(parameters.map((parameter) => [parameter.name.text, { value: none, span, origin }]));
  const by: Written = { module: symbol.module, locals: own, layer: "file" };
  return {
    path: `fn ${name.text}`,
    value: textOf(body.span),
    known: true,
    origin,
    span,
    text: null,
    from: namesIn(body, by, { context, self: null }, depth + 1),
  };
}

/** A `let` is written where it stands, wherever what it names is: that is told behind it. */
function inOwnPlace(said: Valued, { span }: Expression, layer: Layer, from: readonly Trace[]): Valued {
  const { origin } = said;
  const isElsewhere =
    origin.kind === "written" &&
    (origin.span.source !== span.source || origin.span.start < span.start || origin.span.end > span.end);
  const isTold = origin.kind !== "written" && from.length > 0;
  return isElsewhere || isTold ? { ...said, span, origin: { kind: "written", span, layer } } : said;
}
