import { builtins } from "../../eval/expressions/builtins.ts";
import type { Type } from "../../kind.ts";
import type { Name } from "../../syntax/ast.ts";
import { meanings } from "../../types/type.ts";
import { inTable } from "../../in-table.ts";
import { formulaName } from "./formula-words.ts";
import { constructorOf, memberOf } from "./kinds.ts";
import { memberMeaning, type Place, type Shape, type Words } from "./place.ts";
import { derivedShape, shapeOf } from "./shape.ts";

const phases = new Set(["run", "row", "plan", "host"]);

/** What a bare name stands for: a local, a word that its type knows, a declaration, a kind around it, a built-in. */
export function bareName(name: Name, expected: Type | null, place: Place, { module, registry, say }: Words): Shape {
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
    return shapeOf(symbol, registry);
  }
  const around = place.kinds.find((kind) => kind.name === name.text);
  if (around !== undefined) {
    say(name, { kind: "block_kind", block: around }, place);
    return { kind: "block", of: around };
  }
  const asked = place.kinds.find((kind) => phases.has(name.text) && inTable(kind.derived, name.text) !== undefined);
  const derived = asked === undefined ? null : memberOf(asked, name.text);
  if (derived?.kind === "derived") {
    say(name, derived, place);
    return derivedShape(derived);
  }
  const builtin = builtins.get(name.text);
  if (builtin !== undefined) say(name, { kind: "builtin", name: name.text, builtin }, place);
  else if (phases.has(name.text)) say(name, { kind: "phase", name: name.text }, place);
  return null;
}
