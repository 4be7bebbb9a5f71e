/** What an operator of `${NAME…}` makes of a text that is known; `null` where that isn't. */
import type * as Shell from "unbash";
import { pattern } from "./pattern.ts";

/** Longer texts are left unknown: no launch matches patterns against them. */
const longest = 10_000;

export function changed(
  operation: Shell.ParameterOperation,
  text: string | null,
  patternOf: (word: Shell.Word) => string | null,
  textOf: (word: Shell.Word) => string | null,
  spend: (amount: number) => void,
): string | null {
  if (text === null || text.length > longest) return null;
  switch (operation.type) {
    case "Remove": {
      const shape = patternOf(operation.operand);
      return shape === null ? null : removed(text, shape, operation.operator, spend);
    }
    case "Replace": {
      const [shape, other] = [patternOf(operation.pattern), textOf(operation.replacement)];
      // Since bash 5.2 an `&` stands for what was found.
      return shape === null || other === null || other.includes("&")
        ? null
        : replaced(text, shape, other, operation.operator, spend);
    }
    case "CaseModification": {
      if (operation.operand !== undefined) return null;
      const { operator } = operation;
      const by = (part: string): string => (operator.startsWith("^") ? part.toUpperCase() : part.toLowerCase());
      return operator.length === 2 ? by(text) : by(text.slice(0, 1)) + text.slice(1);
    }
    case "Transform": {
      const kind = operation.operand.text;
      if (kind === "U") return text.toUpperCase();
      if (kind === "L") return text.toLowerCase();
      if (kind === "u") return text.slice(0, 1).toUpperCase() + text.slice(1);
      // oxlint-disable-next-line no-control-regex
      return kind === "Q" && !/[\0-\x1F\x7F]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : null;
    }
    case "Default":
    case "Slice":
    case "Names":
    case "Unknown":
      return null;
  }
}

function removed(text: string, shape: string, operator: string, spend: (amount: number) => void): string | null {
  const matches = pattern(shape, text.length, spend);
  if (matches === null) return null;
  const isFront = operator.startsWith("#");
  const length = matches.lengths(text, !isFront).at(operator.length === 2 ? -1 : 0);
  if (length === undefined) return text;
  return isFront ? text.slice(length) : text.slice(0, text.length - length);
}

function replaced(
  text: string,
  shape: string,
  other: string,
  operator: string,
  spend: (amount: number) => void,
): string | null {
  const isAnchored = operator === "/#" || operator === "/%";
  if (shape === "") return isAnchored ? (operator === "/#" ? other + text : text + other) : text;
  if (!isAnchored && !/[*?[\]\\()]/.test(shape))
    return operator === "//" ? text.replaceAll(shape, () => other) : text.replace(shape, () => other);
  const matches = text.length > 1000 ? null : pattern(shape, text.length * (isAnchored ? 1 : text.length), spend);
  if (matches === null) return null;
  if (isAnchored) {
    const length = matches.lengths(text, operator === "/%").at(-1);
    if (length === undefined) return text;
    return operator === "/#" ? other + text.slice(length) : text.slice(0, text.length - length) + other;
  }
  let result = "";
  for (let at = 0; at < text.length;) {
    const length = matches.lengths(text.slice(at)).at(-1) ?? 0;
    result += length > 0 ? other : text[at];
    at += Math.max(1, length);
    if (length > 0 && operator === "/") return result + text.slice(at);
  }
  return result;
}
