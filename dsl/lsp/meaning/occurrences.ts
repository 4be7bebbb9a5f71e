/** Every word of a module with what it stands for: hover, definition, references, rename and highlighting read this. */
import { builtins } from "../../eval/builtins.ts";
import { namedTypes } from "../../eval/type-expression.ts";
import type { BlockKind, Registry, Type } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import type { Block, Expression, Name, Path, Statement, TypeExpression } from "../../syntax/ast.ts";
import { alternatives, meanings } from "../../types/type.ts";
import { units } from "../../types/units.ts";
import { constructorOf, isVariant, kindOf, kindReferred, memberOf, parameterOf, symbolOf, textsOf } from "./kinds.ts";
import type { Meaning, Occurrence } from "./meaning.ts";

/** Where a word stands. */
interface Place {
  /** Kinds of the blocks around it, from the inside out. */
  readonly kinds: readonly BlockKind[];
  readonly locals: ReadonlyMap<string, Span>;
  readonly owner: Symbol | null;
  readonly path: readonly string[];
  /** Blocks declared inside the blocks around it. */
  readonly nested: ReadonlyMap<string, { readonly block: BlockKind; readonly declaration: Span }>;
}

/** What an expression gives, as far as its text says: what may stand behind its dot. */
type Shape =
  | { readonly kind: "block"; readonly of: BlockKind }
  | { readonly kind: "module"; readonly module: Module }
  | { readonly kind: "typed"; readonly type: Type }
  | null;

const top: Place = { kinds: [], locals: new Map(), owner: null, path: [], nested: new Map() };
const phases = new Set(["run", "row", "plan", "host"]);

const known = new WeakMap<Module, readonly Occurrence[]>();

export function occurrencesOf(module: Module, registry: Registry): readonly Occurrence[] {
  let found = known.get(module);
  if (found === undefined) {
    found = collect(module, registry);
    known.set(module, found);
  }
  return found;
}

function collect(module: Module, registry: Registry): readonly Occurrence[] {
  const found: Occurrence[] = [];
  const say = (
    at: Name | { readonly span: Span; readonly text: string },
    meaning: Meaning,
    place: Place,
    role: Occurrence["role"] = "reference",
  ) => {
    if (at.span.end > at.span.start)
      found.push({ span: at.span, text: at.text, meaning, role, owner: place.owner, path: place.path });
  };

  const members = (body: readonly Statement[], kind: BlockKind | null, place: Place): void => {
    const nested = new Map(place.nested);
    for (const statement of body) {
      if (statement.kind !== "block" || statement.name === null) continue;
      const block = kind?.nested?.[statement.head[0].text];
      if (block !== undefined) nested.set(statement.name.text, { block, declaration: statement.name.span });
    }
    const inside = nested.size === place.nested.size ? place : { ...place, nested };
    for (const statement of body) member(statement, kind, inside);
  };

  const member = (statement: Statement, kind: BlockKind | null, place: Place): void => {
    switch (statement.kind) {
      case "assign": {
        const end = target(statement.target, kind, place);
        const path = [...place.path, ...textsOf(statement.target)];
        expression(statement.value, end.type, { ...place, path });
        return;
      }
      case "bound": {
        const { type } = target(statement.target, kind, place);
        const expected: Type | null =
          type === null ? null : statement.op === "in" ? { kind: "list", element: type } : type;
        expression(statement.value, expected, { ...place, path: [...place.path, ...textsOf(statement.target)] });
        return;
      }
      case "block":
        return block(statement, kind, place);
      case "assert":
      case "expect": {
        const watched: Type | null =
          statement.kind === "expect" && kind?.watches !== undefined
            ? { kind: "formula", names: kind.watches }
            : null;
        expression(statement.condition, watched, place);
        if (statement.otherwise !== null) expression(statement.otherwise, null, place);
        return;
      }
      case "test":
        return members(statement.body, null, place);
      case "import":
        for (const { name, alias } of statement.names) {
          const symbol = module.names.get((alias ?? name).text);
          if (symbol === undefined) continue;
          say(name, { kind: "symbol", symbol }, place);
          if (alias !== null) say(alias, { kind: "symbol", symbol }, place, "declaration");
        }
        if (statement.as !== null) declared(statement.as, place);
        return;
      case "param": {
        const own = declared(statement.name, place);
        const type = statement.type === null ? null : typeExpression(statement.type, own);
        for (const { op, value } of statement.bounds)
          expression(value, op === "in" && type !== null ? { kind: "list", element: type } : type, own);
        if (statement.default !== null) expression(statement.default, type, own);
        return;
      }
      case "secret":
        expression(statement.value, null, declared(statement.name, place));
        return;
      case "let": {
        const own = declared(statement.name, place);
        const type = statement.type === null ? null : typeExpression(statement.type, own);
        expression(statement.value, type, own);
        return;
      }
      case "fn": {
        const own = declared(statement.name, place);
        const locals = new Map(own.locals);
        for (const parameter of statement.parameters) {
          say(parameter.name, { kind: "local", declaration: parameter.name.span }, own, "declaration");
          locals.set(parameter.name.text, parameter.name.span);
          if (parameter.type !== null) typeExpression(parameter.type, own);
          if (parameter.default !== null) expression(parameter.default, null, own);
        }
        if (statement.returns !== null) typeExpression(statement.returns, own);
        expression(statement.body, null, { ...own, locals });
        return;
      }
      case "enum": {
        const own = declared(statement.name, place);
        const type = enumType(statement.name.text, statement.members);
        for (const name of statement.members)
          say(name, { kind: "enum_member", type, name: name.text }, own, "declaration");
      }
    }
  };

  const declared = (name: Name, place: Place): Place => {
    const symbol = module.names.get(name.text);
    if (symbol === undefined || place.owner !== null) return place;
    say(name, { kind: "symbol", symbol }, { ...place, owner: symbol }, "declaration");
    return { ...place, owner: symbol };
  };

  const block = (statement: Block, kind: BlockKind | null, place: Place): void => {
    const [head] = statement.head;
    if (statement.name !== null && kind === null) {
      const own = registry.kinds[head.text];
      if (own !== undefined) say(head, { kind: "block_kind", block: own }, place);
      const inside = { ...declared(statement.name, place), path: [] };
      clauses(statement, inside);
      if (statement.body !== null)
        members(statement.body, own ?? null, own === undefined ? inside : { ...inside, kinds: [own] });
      return;
    }
    if (statement.name !== null) {
      const own = kind?.nested?.[head.text];
      if (own !== undefined) {
        say(head, { kind: "block_kind", block: own }, place);
        say(statement.name, { kind: "nested", block: own, declaration: statement.name.span }, place, "declaration");
      }
      clauses(statement, place);
      if (statement.body !== null) members(statement.body, own ?? null, within(place, own, statement.name.text));
      return;
    }
    const end = target(statement.head, kind, place);
    clauses(statement, place);
    if (statement.body === null) return;
    const names = end.symbol === null ? textsOf(statement.head) : textsOf(statement.head).slice(end.used);
    const owner = end.symbol ?? place.owner;
    members(statement.body, end.of, {
      ...within({ ...place, path: end.symbol === null ? place.path : [] }, end.of ?? undefined, ...names),
      owner,
    });
  };

  const within = (place: Place, kind: BlockKind | undefined, ...names: readonly string[]): Place => ({
    ...place,
    kinds: kind === undefined ? place.kinds : [kind, ...place.kinds],
    path: [...place.path, ...names],
  });

  const clauses = (statement: Block, place: Place): void => {
    for (const path of [statement.extends, statement.on, ...statement.after]) {
      if (path !== null) reference(path, place);
    }
  };

  const reference = (path: Path, place: Place): void => {
    const found = symbolOf(textsOf(path), module);
    const [first, second] = path;
    if (found === null) return;
    const outer = module.names.get(first.text);
    if (found.used === 2 && outer !== undefined && second !== undefined) {
      say(first, { kind: "symbol", symbol: outer }, place);
      say(second, { kind: "symbol", symbol: found.symbol }, place);
    } else say(first, { kind: "symbol", symbol: found.symbol }, place);
  };

  /** The names before `=` or `{`: what the last of them takes. */
  const target = (
    path: Path,
    kind: BlockKind | null,
    place: Place,
  ): { type: Type | null; of: BlockKind | null; symbol: Symbol | null; used: number } => {
    let at: BlockKind | null = kind;
    let type: Type | null = null;
    let symbol: Symbol | null = null;
    let used = 0;
    const speaksOfOthers = kind === null || isVariant(kind);
    for (const [index, name] of path.entries()) {
      if (index === 0 && speaksOfOthers && (kind === null || !(name.text in kind.properties))) {
        const found = symbolOf(textsOf(path), module);
        if (found !== null) {
          reference(path, place);
          symbol = found.symbol;
          used = found.used;
          at = kindOf(found.symbol, registry);
          if (found.symbol.kind === "param") type = { kind: "any" };
          continue;
        }
        const every = registry.kinds[name.text];
        if (every !== undefined) say(name, { kind: "block_kind", block: every }, place);
        at = every ?? null;
        continue;
      }
      if (index < used) continue;
      const meaning: Meaning | null = at === null ? null : memberOf(at, name.text);
      const nested = place.nested.get(name.text);
      if (meaning !== null) {
        say(name, meaning, { ...place, path: [...place.path, ...textsOf(path).slice(0, index + 1)] }, "amendment");
        type = meaning.kind === "property" ? meaning.property.type : null;
        at = meaning.kind === "group" ? meaning.block : kindReferred(type, registry);
      } else if (nested !== undefined) {
        say(name, { kind: "nested", ...nested }, place, "amendment");
        at = nested.block;
        type = null;
      } else {
        const parameter = parameterOf(type, name.text);
        if (parameter !== null) say(name, { kind: "parameter", name: name.text, ...parameter }, place, "amendment");
        type = parameter?.property.type ?? null;
        at = null;
      }
    }
    return { type, of: at, symbol, used };
  };

  const typeExpression = (written: TypeExpression, place: Place): Type | null => {
    switch (written.kind) {
      case "named_type": {
        const name = textsOf(written.path).join(".");
        const at = { span: written.span, text: name };
        const symbol = module.names.get(name);
        if (namedTypes[name] !== undefined) {
          say(at, { kind: "type", name, type: namedTypes[name] }, place);
          return namedTypes[name];
        }
        if (symbol?.kind === "enum") {
          say(at, { kind: "symbol", symbol }, place);
          return enumType(name, symbol.node.members);
        }
        const kind = Object.values(registry.kinds).find((k) => pascal(k.name) === name);
        if (kind === undefined) return null;
        say(at, { kind: "block_kind", block: kind }, place);
        return { kind: "block", kinds: [kind.name] };
      }
      case "ratio_type":
        typeExpression(written.numerator, place);
        typeExpression(written.denominator, place);
        return null;
      case "list_type": {
        const element = typeExpression(written.element, place);
        return element === null ? null : { kind: "list", element };
      }
      case "union_type": {
        const types = written.members.map((m) => typeExpression(m, place));
        return { kind: "union", members: types.filter((t) => t !== null) };
      }
      case "literal_type":
        return { kind: "enum", name: "this set", values: [written.value.parts.join("")] };
    }
  };

  const expression = (e: Expression, expected: Type | null, place: Place): Shape => {
    switch (e.kind) {
      case "number":
        if (e.unit !== null) unitWords(e.unit.span, place);
        return null;
      case "string":
        for (const part of e.parts) if (typeof part !== "string") expression(part, null, place);
        return null;
      case "bool":
      case "none":
      case "missing":
        return null;
      case "auto":
        say({ span: e.span, text: "auto" }, { kind: "auto", constructor: null }, place);
        return null;
      case "reference":
        return named(e.name, expected, place);
      case "member": {
        const formula = formulaName(e, expected);
        if (formula !== null) {
          say({ span: e.span, text: formula.name }, { kind: "formula_name", ...formula }, place);
          return null;
        }
        const shape = expression(e.object, null, place);
        if (shape?.kind === "module") {
          const symbol = shape.module.names.get(e.name.text);
          if (symbol === undefined) return null;
          say(e.name, { kind: "symbol", symbol }, place);
          return shapeOf(symbol);
        }
        if (shape?.kind === "block") {
          const meaning = memberOf(shape.of, e.name.text);
          if (meaning === null) return null;
          say(e.name, meaning, place);
          if (meaning.kind === "group") return { kind: "block", of: meaning.block };
          if (meaning.kind !== "property") return null;
          const referred = kindReferred(meaning.property.type, registry);
          return referred === null ? { kind: "typed", type: meaning.property.type } : { kind: "block", of: referred };
        }
        const parameter = shape === null ? null : parameterOf(shape.type, e.name.text);
        if (parameter !== null) say(e.name, { kind: "parameter", name: e.name.text, ...parameter }, place);
        return null;
      }
      case "call": {
        const name = e.callee.kind === "reference" ? e.callee.name.text : e.callee.kind === "auto" ? "auto" : null;
        const made = name === null ? null : constructorOf(expected, name);
        const formula = formulaName(e.callee, expected);
        if (made !== null && name !== null) {
          const meaning: Meaning =
            name === "auto"
              ? { kind: "auto", constructor: made.constructor }
              : { kind: "constructor", choice: made.choice.name, name, constructor: made.constructor };
          say({ span: e.callee.span, text: name }, meaning, place);
        } else if (formula === null && e.callee.kind === "member" && e.callee.name.text === "at") {
          expression(e.callee.object, expected, place);
        } else expression(e.callee, formula === null ? null : expected, place);
        const parameters = made?.constructor.parameters ?? formula?.is.parameters ?? {};
        const positional = made?.constructor.positional ?? formula?.is.positional ?? [];
        let next = 0;
        for (const { name: given, value } of e.arguments) {
          const parameter = given?.text ?? positional[next++] ?? "";
          const property = Object.hasOwn(parameters, parameter) ? parameters[parameter] : undefined;
          if (given !== null && property !== undefined && name !== null)
            say(given, { kind: "parameter", of: name, name: given.text, property }, place);
          expression(value, property?.type ?? null, {
            ...place,
            path: made === null || parameter === "" ? place.path : [...place.path, parameter],
          });
        }
        return null;
      }
      case "index":
        expression(e.object, null, place);
        expression(e.index, null, place);
        return null;
      case "list": {
        const element = elementOf(expected);
        for (const item of e.items) expression(item, element, place);
        return null;
      }
      case "comprehension": {
        expression(e.over, null, place);
        const inner = local(e.variable, place);
        if (e.condition !== null) expression(e.condition, null, inner);
        expression(e.element, elementOf(expected), inner);
        return null;
      }
      case "record":
        members(e.members, recordKind(place), place);
        return null;
      case "range":
        expression(e.from, elementOf(expected) ?? expected, place);
        expression(e.to, elementOf(expected) ?? expected, place);
        return null;
      case "unary":
        return expression(e.operand, expected, place);
      case "binary":
        expression(e.left, isFormula(expected) ? expected : null, place);
        expression(e.right, isFormula(expected) ? expected : null, place);
        return null;
      case "if":
        expression(e.condition, null, place);
        expression(e.then, expected, place);
        return expression(e.else, expected, place);
      case "match": {
        const subject = expression(e.subject, null, place);
        const wanted = subject?.kind === "typed" ? subject.type : null;
        for (const arm of e.arms) {
          for (const pattern of arm.patterns) expression(pattern, wanted, place);
          expression(arm.body, expected, place);
        }
        if (e.otherwise !== null) expression(e.otherwise, expected, place);
        return null;
      }
      case "with": {
        const base = expression(e.base, expected, place);
        const of = base?.kind === "block" ? base.of : null;
        members(e.body, of, within(place, of ?? undefined));
        return base;
      }
    }
  };

  /** `{ … }` as the value of a group: its members are the group's. */
  const recordKind = (place: Place): BlockKind | null => place.kinds[0]?.blocks?.[place.path.at(-1) ?? ""] ?? null;

  const local = (name: Name, place: Place): Place => {
    say(name, { kind: "local", declaration: name.span }, place, "declaration");
    return { ...place, locals: new Map([...place.locals, [name.text, name.span]]) };
  };

  const named = (name: Name, expected: Type | null, place: Place): Shape => {
    const own = place.locals.get(name.text);
    if (own !== undefined) {
      say(name, { kind: "local", declaration: own }, place);
      return null;
    }
    const member = meanings(expected).find((t) => t.kind === "enum" && t.values.includes(name.text));
    if (member?.kind === "enum") {
      say(name, { kind: "enum_member", type: member, name: name.text }, place);
      return null;
    }
    const made = constructorOf(expected, name.text);
    if (made !== null) {
      say(
        name,
        { kind: "constructor", choice: made.choice.name, name: name.text, constructor: made.constructor },
        place,
      );
      return null;
    }
    const formula = formulaName({ kind: "reference", name, span: name.span }, expected);
    if (formula !== null) {
      say(name, { kind: "formula_name", ...formula }, place);
      return null;
    }
    const symbol = module.names.get(name.text);
    if (symbol !== undefined) {
      say(name, { kind: "symbol", symbol }, place);
      return shapeOf(symbol);
    }
    const around = place.kinds.find((kind) => kind.name === name.text);
    if (around !== undefined) {
      say(name, { kind: "block_kind", block: around }, place);
      return { kind: "block", of: around };
    }
    const builtin = builtins.get(name.text);
    if (builtin !== undefined) say(name, { kind: "builtin", name: name.text, builtin }, place);
    else if (phases.has(name.text)) say(name, { kind: "phase", name: name.text }, place);
    return null;
  };

  const shapeOf = (symbol: Symbol): Shape => {
    if (symbol.kind === "namespace") return { kind: "module", module: symbol.of };
    if (symbol.kind === "param" && symbol.node.type?.kind === "named_type") {
      const of = symbol.module.names.get(textsOf(symbol.node.type.path).join("."));
      if (of?.kind === "enum") return { kind: "typed", type: enumType(of.name.text, of.node.members) };
    }
    const of = kindOf(symbol, registry);
    return of === null ? null : { kind: "block", of };
  };

  /** Each word of a unit: `usd`, `gpu` and `h` of `usd/gpu/h`. */
  const unitWords = (span: Span, place: Place): void => {
    const text = span.source.text.slice(span.start, span.end);
    for (const match of text.matchAll(/%|[A-Za-z_]+/g)) {
      if (!units.has(match[0])) continue;
      const start = span.start + match.index;
      say(
        { span: { ...span, start, end: start + match[0].length }, text: match[0] },
        { kind: "unit", name: match[0] },
        place,
      );
    }
  };

  members(module.file.statements, null, top);
  return found.sort((a, b) => a.span.start - b.span.start);
}

const enumType = (name: string, members: readonly Name[]): Extract<Type, { kind: "enum" }> => ({
  kind: "enum",
  name,
  values: members.map((m) => m.text),
});

const elementOf = (type: Type | null): Type | null =>
  alternatives(type).find((t) => t.kind === "list")?.element ?? null;

const isFormula = (type: Type | null): boolean => meanings(type).some((t) => t.kind === "formula");

/** `val.loss` where a formula may speak of it. */
function formulaName(e: Expression, expected: Type | null) {
  const name = dotted(e);
  if (name === null) return null;
  for (const t of meanings(expected)) {
    if (t.kind !== "formula" || t.names === undefined || typeof t.names === "function") continue;
    const is = Object.hasOwn(t.names, name) ? t.names[name] : undefined;
    if (is !== undefined) return { name, is };
  }
  return null;
}

function dotted(e: Expression): string | null {
  if (e.kind === "reference") return e.name.text;
  if (e.kind !== "member") return null;
  const before = dotted(e.object);
  return before === null ? null : `${before}.${e.name.text}`;
}

/** How a block kind is written as a type: `Model`. */
export const pascal = (kind: string): string =>
  kind.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());

/** The word at an offset, its end included. */
export function occurrenceAt(all: readonly Occurrence[], offset: number): Occurrence | null {
  return all.find(({ span }) => span.start <= offset && offset <= span.end) ?? null;
}
