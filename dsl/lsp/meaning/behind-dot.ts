import type { Name } from "../../syntax/ast.ts";
import { kindReferred, memberOf, parameterOf } from "./kinds.ts";
import type { Meaning } from "./meaning.ts";
import { nestedIn, nestedNamed } from "./nested.ts";
import type { Place, Shape, Words } from "./place.ts";
import { derivedShape, fieldsShape, shapeOf } from "./shape.ts";

/** What a name behind a dot stands for, by what stands before the dot. */
export function behindDot(name: Name, shape: Shape, place: Place, { registry, say }: Words): Shape {
  if (shape?.kind === "module") {
    const symbol = shape.module.names.get(name.text);
    if (symbol === undefined) return null;
    say(name, { kind: "symbol", symbol }, place);
    return shapeOf(symbol, registry);
  }
  if (shape?.kind === "fields") {
    const field = shape.fields.find((field) => field.name.text === name.text);
    if (field === undefined) return null;
    const of = shape.of === undefined ? undefined : { ...shape.of, path: [...shape.of.path, name.text] };
    say(name, { kind: "local", declaration: field.first.span, ...(of === undefined ? {} : { of }) }, place);
    return fieldsShape(field.value, of);
  }
  if (shape?.kind === "derived") {
    const is = shape.fields[name.text];
    if (is === undefined) return null;
    const { of, symbol } = shape;
    const own: Meaning = { kind: "derived", of, name: `${shape.name}.${name.text}`, is };
    const meaning = symbol === undefined ? own : { ...own, symbol };
    say(name, meaning, place);
    return derivedShape(meaning);
  }
  if (shape?.kind === "block") {
    const found = memberOf(shape.of, name.text);
    if (found === null) {
      const inner =
        shape.symbol === undefined ? null : nestedNamed(nestedIn(shape.symbol, registry), name.text, shape.of);
      if (inner === undefined || inner === null) return null;
      say(name, { kind: "nested", block: inner.block, declaration: inner.declaration }, place);
      return { kind: "block", of: inner.block };
    }
    const { symbol } = shape;
    const isMade = found.kind === "handle" || found.kind === "derived";
    const meaning = isMade && symbol !== undefined ? { ...found, symbol } : found;
    say(name, meaning, place);
    if (meaning.kind === "derived") return derivedShape(meaning);
    if (meaning.kind === "group") return { kind: "block", of: meaning.block };
    if (meaning.kind !== "property") return null;
    const referred = kindReferred(meaning.property.type, registry);
    return referred === null ? { kind: "typed", type: meaning.property.type } : { kind: "block", of: referred };
  }
  const parameter = shape === null ? null : parameterOf(shape.type, name.text);
  if (parameter !== null) say(name, { kind: "parameter", name: name.text, ...parameter }, place);
  return null;
}
