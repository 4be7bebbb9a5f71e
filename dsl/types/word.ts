import type { Type } from "../kind.ts";
import { literalTexts } from "./type.ts";
import type { Value } from "./value.ts";

type Enum = Extract<Type, { kind: "enum" }>;

/** A word of an enum; one of texts that a type lists, `"a" | "b"`, is a text. */
export const wordOf = ({ name: of, values }: Enum, name: string): Value =>
  of === literalTexts ? { kind: "string", value: name, among: values } : { kind: "member", of, values, name };

const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Whether an enum has a word. Each word of a file may ask. */
export function hasWord({ values }: Pick<Enum, "values">, name: string): boolean {
  if (values.length < 64) return values.includes(name);
  let known = sets.get(values);
  if (known === undefined) sets.set(values, (known = new Set(values)));
  return known.has(name);
}
