import type * as Shell from "unbash";
import { pattern } from "./pattern.ts";
import type { Value } from "./state.ts";
import { plain } from "./text.ts";

interface Operated {
  /** `null` where it isn't known. */
  readonly value: Value | null;
  /** What `:=` gives the variable. */
  readonly assigned?: Value;
}

/** Longer texts are left unknown: no launch matches patterns against them. */
const longest = 10_000;

/** What an operator of `${NAME…}` makes of a value. What the script doesn't set counts as not set. */
export function operated(
  operation: Shell.ParameterOperation,
  value: Value,
  isSet: "yes" | "no" | "unknown",
  expand: (word: Shell.Word) => Value,
  spend: (amount: number) => void,
): Operated {
  const text = isSet === "yes" ? plain(value) : null;
  switch (operation.type) {
    case "Default": {
      if (isSet === "unknown") return { value: null };
      const colon = operation.operator.startsWith(":");
      const isEmpty = isSet === "yes" && value.every((piece) => piece.text === "");
      const given = isSet === "yes" && !(colon && isEmpty);
      const kind = operation.operator.at(-1);
      if (kind === "+") return { value: given ? expand(operation.operand) : [] };
      if (given) return { value };
      if (kind === "?") return { value: null };
      const other = expand(operation.operand);
      return kind === "=" ? { value: other, assigned: other } : { value: other };
    }
    case "Remove":
      return change(text, value, (whole) => {
        const shape = plain(expand(operation.operand));
        return shape === null ? null : removed(whole, shape, operation.operator, spend);
      });
    case "Replace":
      return change(text, value, (whole) => {
        const [shape, other] = [plain(expand(operation.pattern)), plain(expand(operation.replacement))];
        if (shape === null || other === null || /[*?[\]\\]/.test(shape) || shape === "") return null;
        if (operation.operator === "//") return whole.replaceAll(shape, () => other);
        return operation.operator === "/" ? whole.replace(shape, () => other) : null;
      });
    case "CaseModification":
      return change(text, value, (whole) => {
        if (operation.operand !== undefined) return null;
        if (operation.operator === ",,") return whole.toLowerCase();
        return operation.operator === "^^" ? whole.toUpperCase() : null;
      });
    case "Slice":
    case "Transform":
    case "Names":
    case "Unknown":
      return { value: null };
  }
}

function change(text: string | null, value: Value, by: (text: string) => string | null): Operated {
  const [first] = value;
  if (text === null || text.length > longest || first === undefined) return { value: text === "" ? value : null };
  const changed = by(text);
  return { value: changed === null ? null : [{ ...first, text: changed }] };
}

function removed(text: string, shape: string, operator: string, spend: (amount: number) => void): string | null {
  const matches = pattern(shape, text.length, spend);
  if (matches === null) return null;
  const isFront = operator.startsWith("#");
  const length = matches.lengths(text, !isFront).at(operator.length === 2 ? -1 : 0);
  if (length === undefined) return text;
  return isFront ? text.slice(length) : text.slice(0, text.length - length);
}
