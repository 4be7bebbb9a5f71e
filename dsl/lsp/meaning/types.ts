/** The words of a written type. */
import type { Type } from "../../kind.ts";
import type { TypeExpression } from "../../syntax/ast.ts";
import { namedTypes } from "../../eval/declarations/type-expression.ts";
import { literalTexts } from "../../types/type.ts";
import { pascal, symbolOf, textsOf } from "./kinds.ts";
import { enumWritten, type Place, type Words } from "./place.ts";
import type { TargetReader } from "./targets.ts";

export function typeReader(
  { module, registry, say }: Words,
  reference: TargetReader["reference"],
): (written: TypeExpression, place: Place) => Type | null {
  const typeExpression = (written: TypeExpression, place: Place): Type | null => {
    switch (written.kind) {
      case "named_type": {
        const names = textsOf(written.path);
        const name = names.join(".");
        const at = { span: written.span, text: name };
        if (namedTypes[name] !== undefined) {
          say(at, { kind: "type", name, type: namedTypes[name] }, place);
          return namedTypes[name];
        }
        const found = symbolOf(names, module);
        if (found !== null && (found.symbol.kind === "enum" || found.used > 1)) {
          reference(written.path, place);
          return enumWritten(written, module);
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
