/** The words of an expression. */
import { pathOf } from "../../eval/formulas/formula-names.ts";
import { positionalAt } from "../../eval/expressions/positional.ts";
import type { BlockKind, Type } from "../../kind.ts";
import type { Expression, Name } from "../../syntax/ast.ts";
import { alternatives, meanings } from "../../types/type.ts";
import { constructorOf, memberOf } from "./kinds.ts";
import type { Meaning } from "./meaning.ts";
import { besides, formulaName, isFormula } from "./formula-words.ts";
import { nestedIn } from "./nested.ts";
import { bareName } from "./bare-name.ts";
import { behindDot } from "./behind-dot.ts";
import { builtinParameters, declaredParameters, symbolNamed } from "./parameters.ts";
import { enumWritten, memberMeaning, type Members, type Place, type Shape, within, type Words } from "./place.ts";
import { fieldsShape } from "./shape.ts";
import { unitWords } from "./unit-words.ts";
import { inTable } from "../../in-table.ts";

const hostFacts = new Set(["gpus", "gpu_memory", "cores", "memory"]);

/** What a record is that no descriptor knows: its names are its own. */
const record: BlockKind = { name: "record", doc: "", properties: {} };

type ExpressionReader = (e: Expression, expected: Type | null, place: Place) => Shape;

export function expressionReader(words: Words, members: Members): ExpressionReader {
  const { module, registry, say } = words;
  const expression = (e: Expression, expected: Type | null, place: Place): Shape => {
    switch (e.kind) {
      case "number":
        if (e.unit !== null) unitWords(e, e.unit.span, { whole: wholeOf(expected), expected }, place, say);
        return null;
      case "string":
        quotedMember(e, expected, place);
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
        return bareName(e.name, expected, place, words);
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
        return behindDot(e.name, shape, place, words);
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
        const called = declaredParameters(e.callee, place, words);
        const parameters =
          made?.constructor.parameters ?? formula?.is.parameters ?? builtinParameters(e.callee, place, module);
        const takes = { parameters, positional: made?.constructor.positional ?? formula?.is.positional ?? [] };
        let next = 0;
        for (const [index, { name: given, value }] of e.arguments.entries()) {
          const parameter = given?.text ?? positionalAt(takes, next++) ?? "";
          const own = given === null ? called?.[index] : called?.find(({ name: { text } }) => text === given.text);
          if (given !== null && own !== undefined) say(given, { kind: "local", declaration: own.name.span }, place);
          const property = inTable(parameters, parameter);
          if (given !== null && property !== undefined && name !== null)
            say(given, { kind: "parameter", of: name, name: given.text, property }, place);
          expression(value, property?.type ?? own?.type ?? null, {
            ...place,
            path: made === null || parameter === "" ? place.path : [...place.path, parameter],
          });
        }
        return called === null ? null : resultShape(e.callee, place);
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

  /** A member of a declared enum that is no name: `"1b"`. */
  const quotedMember = (
    { parts, span }: Extract<Expression, { kind: "string" }>,
    expected: Type | null,
    place: Place,
  ) => {
    const [text] = parts;
    if (parts.length !== 1 || typeof text !== "string") return;
    const type = meanings(expected).find((t) => t.kind === "enum" && t.values.includes(text));
    const meaning = type?.kind === "enum" ? memberMeaning(type, text) : null;
    if (meaning?.kind === "enum_member" && meaning.declaration !== undefined) say({ span, text }, meaning, place);
  };

  /** `{ … }` as the value of a group: its members are the group's. */
  const recordKind = (place: Place): BlockKind | null => place.kinds[0]?.blocks?.[place.path.at(-1) ?? ""] ?? null;

  const local = (name: Name, place: Place): Place => {
    say(name, { kind: "local", declaration: name.span }, place, "declaration");
    return { ...place, locals: new Map([...place.locals, [name.text, name.span]]) };
  };

  /** What a function gives. */
  const resultShape = (callee: Expression, place: Place): Shape => {
    const symbol = symbolNamed(callee, place, module);
    return symbol?.kind === "fn" ? fieldsShape(symbol.node.body) : null;
  };

  /** The enum that a name has, without saying anything of it. */
  const typeAt = (e: Expression, place: Place): Type | null => {
    if (e.kind === "reference" && place.locals.has(e.name.text)) return place.types?.get(e.name.text) ?? null;
    const symbol = symbolNamed(e, place, module);
    return symbol?.kind === "param" || symbol?.kind === "let" ? enumWritten(symbol.node.type, symbol.module) : null;
  };

  return expression;
}

const elementOf = (type: Type | null): Type | null =>
  alternatives(type).find((t) => t.kind === "list")?.element ?? null;

/** What a bare `%` is a share of. */
const wholeOf = (type: Type | null): string | null =>
  meanings(type).flatMap((t) => (t.kind === "number" && t.percent !== undefined ? [t.percent] : []))[0] ?? null;
