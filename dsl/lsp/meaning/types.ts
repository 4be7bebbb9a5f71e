/** The words of a written type. */
import type { Type } from "../../kind.ts";
import type { TypeExpression } from "../../syntax/ast.ts";
import { namedTypes } from "../../eval/declarations/type-expression.ts";
import { literalTexts } from "../../types/type.ts";
import { pascal, textsOf } from "./kinds.ts";
import { enumType, type Place, type Words } from "./place.ts";

export function typeReader({ module, registry, say }: Words): (written: TypeExpression, place: Place) => Type | null {
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
        return { kind: "enum", name: literalTexts, values: [written.value.parts.join("")] };
    }
  };
  return typeExpression;
}
