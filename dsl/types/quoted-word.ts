import type { Type } from "../kind.ts";
import { literalTexts } from "./type.ts";
import type { Valued } from "./value.ts";

/** A word that the type knows and that was written in quotes; what was computed, or cannot stand without them, is none. */
export function quotedWord(
  { value, span: { source, start, end } }: Pick<Valued, "value" | "span">,
  type: Type,
): string | null {
  if (value.kind !== "string" || !/^[A-Za-z_]\w*$/.test(value.value)) return null;
  if (source.text.slice(start, end) !== `"${value.value}"`) return null;
  return wordsOf(type).includes(value.value) ? value.value : null;
}

function wordsOf(type: Type): readonly string[] {
  switch (type.kind) {
    case "enum":
      return type.name === literalTexts ? [] : type.values;
    case "choice":
      return Object.keys(type.constructors);
    case "bool":
      return ["true", "false"];
    case "none":
    case "auto":
      return [type.kind];
    default:
      return [];
  }
}
