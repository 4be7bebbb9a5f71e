import type { Fix } from "../../diagnostics/diagnostic.ts";
import { removal, replacement } from "../../diagnostics/suggest.ts";
import { inTable } from "../../in-table.ts";
import type { Property, Type } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Expression } from "../../syntax/ast.ts";
import { alternatives, meanings } from "../../types/type.ts";
import { none, type Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";
import type { Scope } from "../scope.ts";

/** What other languages write for `none`. */
export const noValues: readonly string[] = ["None", "null", "nil"];

/** What they write for `false`, which is `none` to what is there or is not. */
const falsehoods: readonly string[] = ["False", "no", "off"];

/** What is written of a property. `null` where there is always a value is `none`, and told as that is. */
export function said(written: Expression, property: Property, scope: Scope, what: string, context: Context): Valued {
  const word = alwaysHasValue(property) ? noValueIn(written, property.type, scope) : null;
  return word === null
    ? context.evaluate(written, scope, property.type, what)
    : { value: none, span: word, origin: { kind: "written", span: word, layer: "file" } };
}

/** Whether `none` says nothing of it: what has a default has it where nothing is written, too. */
export const alwaysHasValue = ({ type, required, default: usual }: Property): boolean =>
  required === true ||
  (usual !== undefined && !alternatives(type).some(({ kind }) => kind === "none" || kind === "any"));

/** Where `null` stands for the whole value, or for all that one branch says: nothing else is called that. */
export function noValueIn(written: Expression, type: Type, scope: Scope): Span | null {
  switch (written.kind) {
    case "reference": {
      const { text, span } = written.name;
      const types = meanings(type);
      const isWord = noValues.includes(text) || (falsehoods.includes(text) && !types.some(mayBeFalse));
      const isFree = isWord && !scope.locals.has(text) && !scope.module.names.has(text);
      return isFree && !types.some((each) => knows(each, text)) ? span : null;
    }
    case "if":
      return noValueIn(written.then, type, scope) ?? noValueIn(written.else, type, scope);
    default:
      return null;
  }
}

const mayBeFalse = ({ kind }: Type): boolean => ["bool", "any", "number", "string", "path", "formula"].includes(kind);

const knows = (type: Type, word: string): boolean =>
  (type.kind === "enum" && (type.values.includes(word) || inTable(type.foreign, word) !== undefined)) ||
  (type.kind === "choice" && inTable(type.foreign, word) !== undefined);

/** What is meant by `none` where there is always a value: an empty list, `false`, or that nothing is said. */
export function insteadOfNone(span: Span, { type, default: usual = "" }: Property): readonly Fix[] {
  const { source, start, end } = span;
  if (![...noValues, ...falsehoods, "none"].includes(source.text.slice(start, end))) return [];
  const name = /[A-Za-z_][\w.]*[ \t]*=[ \t]*$/.exec(source.text.slice(0, start))?.[0];
  const nothing =
    type.kind === "list" && type.length === undefined && type.filled !== true
      ? "[]"
      : type.kind === "bool"
        ? "false"
        : usual;
  const fixes = nothing === usual && name !== undefined ? [] : [replacement(span, nothing)];
  return name === undefined ? fixes : [...fixes, removal({ ...span, start: start - name.length })];
}
