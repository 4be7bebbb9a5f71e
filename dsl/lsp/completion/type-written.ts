/** What may be given where a type is written: of a declaration, or of the tokens of one that is not finished. */
import type { Registry, Type } from "../../kind.ts";
import type { Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Module } from "../../symbols/symbol.ts";
import type { TypeExpression } from "../../syntax/ast.ts";
import { enumeration, literalTexts, list, noneType, union } from "../../types/type.ts";
import { namedTypes } from "../../eval/declarations/type-expression.ts";
import { pascal, symbolOf, textsOf } from "../meaning/kinds.ts";
import { namesOf } from "./words.ts";

export function typeWritten(written: TypeExpression | null, module: Module, registry: Registry): Type | null {
  switch (written?.kind) {
    case "named_type":
      return typeNamed(textsOf(written.path), module, registry);
    case "list_type": {
      const element = typeWritten(written.element, module, registry);
      return element === null ? null : list(element);
    }
    case "union_type":
      return oneOf(written.members.map((member) => typeWritten(member, module, registry)));
    case "literal_type":
      return enumeration(literalTexts, [written.value.parts.join("")]);
    default:
      return null;
  }
}

/** `"x" | lib.Kind` */
export function typeOfTokens(tokens: readonly Token[], module: Module, registry: Registry): Type | null {
  const bars = tokens.flatMap(({ tokenType }, index) => (tokenType === t.Pipe ? [index] : []));
  const members = [-1, ...bars].map((bar, index) => tokens.slice(bar + 1, bars[index]));
  return oneOf(
    members.map((member) => {
      const [first] = member;
      return first?.tokenType === t.StringToken
        ? enumeration(literalTexts, [first.image.slice(1, -1)])
        : typeNamed(namesOf(member), module, registry);
    }),
  );
}

function oneOf(types: readonly (Type | null)[]): Type | null {
  const known = types.filter((type) => type !== null);
  return known.length === 0 ? null : union(...known);
}

/** The type of that name, as a `param` is given one. */
function typeNamed(path: readonly string[], module: Module, registry: Registry): Type | null {
  const [name = ""] = path;
  const own = symbolOf(path, module);
  if (own?.symbol.kind === "enum" && own.used === path.length)
    return { kind: "enum", name: own.symbol.name.text, values: own.symbol.node.members.map((m) => m.text) };
  if (path.length !== 1) return null;
  if (name === "none") return noneType;
  const kind = Object.keys(registry.kinds).find((k) => pascal(k) === name);
  return kind === undefined ? (namedTypes[name] ?? null) : { kind: "block", kinds: [kind] };
}
