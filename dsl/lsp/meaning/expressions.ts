/** The words of an expression. */
import { builtins } from "../../eval/builtins.ts";
import { pathOf } from "../../eval/formula-names.ts";
import { positionalAt } from "../../eval/positional.ts";
import type { BlockKind, Property, Type } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Symbol } from "../../symbols/symbol.ts";
import type { Expression, Name, NumberLiteral } from "../../syntax/ast.ts";
import { alternatives, meanings } from "../../types/type.ts";
import { units } from "../../types/units.ts";
import { constructorOf, kindOf, kindReferred, memberOf, parameterOf, symbolOf, textsOf } from "./kinds.ts";
import type { Meaning } from "./meaning.ts";
import { fieldsOf } from "./fields.ts";
import { besides, formulaName, isFormula } from "./formula-words.ts";
import { nestedIn, nestedNamed } from "./nested.ts";
import { enumWritten, type Members, memberMeaning, type Place, type Shape, within, type Words } from "./place.ts";

const phases = new Set(["run", "row", "plan", "host"]);
const hostFacts = new Set(["gpus", "gpu_memory", "cores", "memory"]);

/** What a record is that no descriptor knows: its names are its own. */
const record: BlockKind = { name: "record", doc: "", properties: {} };

const derivedShape = (meaning: Extract<Meaning, { kind: "derived" }>): Shape =>
  meaning.is.fields === undefined ? null : { ...meaning, fields: meaning.is.fields };

type ExpressionReader = (e: Expression, expected: Type | null, place: Place) => Shape;

export function expressionReader({ module, registry, say }: Words, members: Members): ExpressionReader {
  const expression = (e: Expression, expected: Type | null, place: Place): Shape => {
    switch (e.kind) {
      case "number":
        if (e.unit !== null) unitWords(e, e.unit.span, wholeOf(expected), place);
        return null;
      case "string":
        for (const part of e.parts)
          if (typeof part !== "string") expression(part, isFormula(expected) ? expected : null, place);
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
        if (pathOf(e.object) === "host" && hostFacts.has(e.name.text) && !module.names.has("host")) {
          say(e.name, { kind: "phase", name: `host.${e.name.text}` }, place);
          return null;
        }
        if (shape?.kind === "module") {
          const symbol = shape.module.names.get(e.name.text);
          if (symbol === undefined) return null;
          say(e.name, { kind: "symbol", symbol }, place);
          return shapeOf(symbol);
        }
        if (shape?.kind === "fields") {
          const field = shape.fields.find(({ name }) => name.text === e.name.text);
          if (field === undefined) return null;
          say(e.name, { kind: "local", declaration: field.first.span }, place);
          return fieldsShape(field.value);
        }
        if (shape?.kind === "derived") {
          const is = shape.fields[e.name.text];
          if (is === undefined) return null;
          const meaning: Meaning = { kind: "derived", of: shape.of, name: `${shape.name}.${e.name.text}`, is };
          say(e.name, meaning, place);
          return derivedShape(meaning);
        }
        if (shape?.kind === "block") {
          const meaning = memberOf(shape.of, e.name.text);
          if (meaning === null) {
            const inner =
              shape.symbol === undefined
                ? null
                : nestedNamed(nestedIn(shape.symbol, registry), e.name.text, shape.of);
            if (inner === undefined || inner === null) return null;
            say(e.name, { kind: "nested", block: inner.block, declaration: inner.declaration }, place);
            return { kind: "block", of: inner.block };
          }
          const { symbol } = shape;
          say(e.name, meaning.kind === "handle" && symbol !== undefined ? { ...meaning, symbol } : meaning, place);
          if (meaning.kind === "derived") return derivedShape(meaning);
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
          const shape = expression(e.callee.object, expected, place);
          const meaning = shape?.kind === "block" && shape.of.at !== undefined ? memberOf(shape.of, "at") : null;
          if (meaning !== null) say(e.callee.name, meaning, place);
        } else expression(e.callee, formula === null ? null : expected, place);
        const called = e.callee.kind === "reference" ? functionAt(e.callee.name, place) : null;
        const parameters = made?.constructor.parameters ?? formula?.is.parameters ?? ofBuiltin(e.callee, place);
        const takes = { parameters, positional: made?.constructor.positional ?? formula?.is.positional ?? [] };
        let next = 0;
        for (const [index, { name: given, value }] of e.arguments.entries()) {
          const parameter = given?.text ?? positionalAt(takes, next++) ?? "";
          const own = given === null ? called?.[index] : called?.find(({ name: { text } }) => text === given.text);
          if (given !== null && own !== undefined) say(given, { kind: "local", declaration: own.name.span }, place);
          const property = Object.hasOwn(parameters, parameter) ? parameters[parameter] : undefined;
          if (given !== null && property !== undefined && name !== null)
            say(given, { kind: "parameter", of: name, name: given.text, property }, place);
          expression(value, property?.type ?? own?.type ?? null, {
            ...place,
            path: made === null || parameter === "" ? place.path : [...place.path, parameter],
          });
        }
        return called === null || e.callee.kind !== "reference" ? null : resultShape(e.callee.name);
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
        members(e.members, recordKind(place) ?? record, place);
        return null;
      case "range":
        expression(e.from, elementOf(expected) ?? expected, place);
        expression(e.to, elementOf(expected) ?? expected, place);
        return null;
      case "unary":
        return expression(e.operand, expected, place);
      case "binary": {
        if (isFormula(expected)) {
          expression(e.left, besides(e.right, expected, false), place);
          expression(e.right, besides(e.left, expected, e.op === "in"), place);
          return null;
        }
        // A member of an enum is known by what it is compared with.
        const [left, right] = [typeAt(e.left, place), typeAt(e.right, place)];
        expression(e.left, right, place);
        expression(e.right, left === null || e.op !== "in" ? left : { kind: "list", element: left }, place);
        return null;
      }
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
        const nested = base?.kind === "block" && base.symbol !== undefined ? nestedIn(base.symbol, registry) : [];
        members(e.body, of, within({ ...place, nested }, of ?? undefined));
        return base;
      }
    }
  };

  /** The parameters of a function of the language. */
  const ofBuiltin = (callee: Expression, { locals }: Place): Readonly<Record<string, Property>> => {
    const name = callee.kind === "reference" && !locals.has(callee.name.text) ? callee.name.text : "";
    const builtin = module.names.has(name) ? undefined : builtins.get(name);
    return Object.fromEntries((builtin?.parameters ?? []).map(({ name: own, type }) => [own, { type, doc: "" }]));
  };

  /** The parameters of what is called, where the user declared it. */
  const functionAt = ({ text }: Name, place: Place): readonly { name: Name; type: Type | null }[] | null => {
    const symbol = place.locals.has(text) ? undefined : module.names.get(text);
    if (symbol?.kind !== "fn") return symbol === undefined ? null : pluginParameters(symbol);
    return symbol.node.parameters.map(({ name, type }) => ({ name, type: enumWritten(type, symbol.module) }));
  };

  /** Its own, and those that it inherits. */
  const pluginParameters = (
    symbol: Symbol,
    seen: readonly Symbol[] = [],
  ): readonly { name: Name; type: Type | null }[] => {
    if (symbol.kind !== "block" || seen.includes(symbol) || kindOf(symbol, registry)?.constructs === undefined)
      return [];
    const { extends: above, body } = symbol.node;
    const parent = above === null ? null : symbolOf(textsOf(above), symbol.module);
    const own = (body ?? []).flatMap((s) =>
      s.kind === "param" ? [{ name: s.name, type: enumWritten(s.type, symbol.module) }] : [],
    );
    return [...own, ...(parent === null ? [] : pluginParameters(parent.symbol, [...seen, symbol]))];
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
      const type = place.types?.get(name.text);
      return type === undefined ? null : { kind: "typed", type };
    }
    const member = meanings(expected).find((t) => t.kind === "enum" && t.values.includes(name.text));
    if (member?.kind === "enum") {
      say(name, memberMeaning(member, name.text), place);
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
    const asked = place.kinds.find((kind) => phases.has(name.text) && kind.derived?.[name.text] !== undefined);
    const derived = asked === undefined ? null : memberOf(asked, name.text);
    if (derived?.kind === "derived") {
      say(name, derived, place);
      return derivedShape(derived);
    }
    const builtin = builtins.get(name.text);
    if (builtin !== undefined) say(name, { kind: "builtin", name: name.text, builtin }, place);
    else if (phases.has(name.text)) say(name, { kind: "phase", name: name.text }, place);
    return null;
  };

  const shapeOf = (symbol: Symbol): Shape => {
    if (symbol.kind === "namespace") return { kind: "module", module: symbol.of };
    if (symbol.kind === "param" || symbol.kind === "let") {
      const type = enumWritten(symbol.node.type, symbol.module);
      if (type !== null) return { kind: "typed", type };
    }
    if (symbol.kind === "let") return fieldsShape(symbol.node.value);
    const of = kindOf(symbol, registry);
    return of === null ? null : { kind: "block", of, symbol };
  };

  /** What a function gives. */
  const resultShape = ({ text }: Name): Shape => {
    const symbol = module.names.get(text);
    return symbol?.kind === "fn" ? fieldsShape(symbol.node.body) : null;
  };

  /** The enum that a name has, without saying anything of it. */
  const typeAt = (e: Expression, place: Place): Type | null => {
    if (e.kind !== "reference") return null;
    if (place.locals.has(e.name.text)) return place.types?.get(e.name.text) ?? null;
    const symbol = module.names.get(e.name.text);
    return symbol?.kind === "param" || symbol?.kind === "let" ? enumWritten(symbol.node.type, symbol.module) : null;
  };

  /** Each word of a unit: `usd`, `gpu` and `h` of `usd/gpu/h`. */
  const unitWords = (literal: NumberLiteral, span: Span, whole: string | null, place: Place): void => {
    const text = span.source.text.slice(span.start, span.end);
    for (const match of text.matchAll(/%|[A-Za-z_]+/g)) {
      if (!units.has(match[0])) continue;
      const start = span.start + match.index;
      say(
        { span: { ...span, start, end: start + match[0].length }, text: match[0] },
        { kind: "unit", name: match[0], literal, whole },
        place,
      );
    }
  };

  return expression;
}

function fieldsShape(value: Expression): Shape {
  const fields = fieldsOf(value);
  return fields.length === 0 ? null : { kind: "fields", fields };
}

const elementOf = (type: Type | null): Type | null =>
  alternatives(type).find((t) => t.kind === "list")?.element ?? null;

/** What a bare `%` is a share of. */
const wholeOf = (type: Type | null): string | null =>
  meanings(type).flatMap((t) => (t.kind === "number" && t.percent !== undefined ? [t.percent] : []))[0] ?? null;
