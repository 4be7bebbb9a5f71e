/** What a value is compared by: `10%` and `0.1`, `0.5 * a` and `a * 0.5` are one. */
import type { NumberValue, Value, Valued } from "../../dsl/types/value.ts";
import { canonical, digits } from "./canonical.ts";
import { textAt } from "./laid-out.ts";
import { reference } from "./reference.ts";

/** Of a value that a mistake has left without one. */
export const lost = "lost";

export function meaningOf(value: Value): string {
  switch (value.kind) {
    case "number":
      return meaningOfNumber(value);
    case "string":
      return JSON.stringify(value.value);
    case "bool":
      return String(value.value);
    case "member":
      return value.name;
    case "range":
      return `${meaningOfNumber(value.from)}..${meaningOfNumber(value.to)}`;
    case "list":
      return `[${value.items.map((item) => meaningOf(item.value)).join(", ")}]`;
    case "record":
      return `{${named(value.fields)}|${value.bounds
        .map(
          ({ target, op, value: end }) => `${target.map(({ text }) => text).join(".")} ${op} ${meaningOf(end.value)}`,
        )
        .sort()
        .join(", ")}}`;
    case "choice":
      return `${value.name}(${named(value.arguments)})`;
    case "block":
      return `${value.block.kind.name} ${reference(value.block.name ?? value.block.kind.name)}`;
    case "handle": {
      const at = value.at === undefined ? "" : `(${meaningOf(value.at.value)})`;
      return `${reference(value.block.name ?? value.block.kind.name)}.${value.which}${at}`;
    }
    case "secret":
      return `secret ${value.name}`;
    case "function":
      return textAt(value.node.span);
    case "formula":
      return value.tree === null ? textAt(value.expression.span) : canonical(value.tree);
    case "none":
    case "auto":
      return value.kind;
    case "unknown":
      return value.later ? "known later" : lost;
  }
}

function meaningOfNumber({ value, dimension }: NumberValue): string {
  const unit = Object.entries(dimension).filter(([, power]) => power !== 0);
  return [digits(value), ...unit.map((each) => each.join("^")).sort()].join(" ");
}

const named = (values: ReadonlyMap<string, Valued>): string =>
  [...values]
    .filter(([, { value }]) => value.kind !== "none")
    .map(([name, { value }]) => `${name} = ${meaningOf(value)}`)
    .sort()
    .join(", ");
