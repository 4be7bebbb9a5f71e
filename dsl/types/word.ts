import type { Type } from "../kind.ts";
import { literalTexts } from "./type.ts";
import type { Value } from "./value.ts";

type Enum = Extract<Type, { kind: "enum" }>;

/** A word of an enum; one of texts that a type lists, `"a" | "b"`, is a text. */
export const wordOf = ({ name: of, values }: Enum, name: string): Value =>
  of === literalTexts ? { kind: "string", value: name, among: values } : { kind: "member", of, values, name };
