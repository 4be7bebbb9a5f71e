/** A value as a file, or `--set`, would say it; nothing of a number is rounded away. */
import type { Instance } from "../dsl/eval/blocks/instance.ts";
import { knownAs } from "../dsl/symbols/known-as.ts";
import { describeDimension, isDimensionless, unitsOf } from "../dsl/types/units.ts";
import { type NumberValue, show, type Value } from "../dsl/types/value.ts";

export function written(value: Value): string {
  switch (value.kind) {
    case "number":
      return writtenNumber(value);
    case "list":
      return `[${value.items.map((item) => written(item.value)).join(", ")}]`;
    case "range":
      return `${writtenNumber(value.from)}..${writtenNumber(value.to)}`;
    case "block":
      return nameOf(value.block);
    case "choice": {
      const said = [...value.arguments].filter(([, argument]) => argument.origin.kind !== "default");
      return said.length === 0
        ? value.name
        : `${value.name}(${said.map(([n, a]) => `${n} = ${written(a.value)}`).join(", ")})`;
    }
    default:
      return show(value);
  }
}

function writtenNumber({ value, dimension, percent }: NumberValue): string {
  if (percent) return `${value * 100}%`;
  if (isDimensionless(dimension)) return String(value);
  return `${value} ${unitsOf(dimension)[0] ?? describeDimension(dimension)}`;
}

/** As the file that is compiled knows it. */
const nameOf = ({ symbol, name, context }: Instance): string =>
  symbol === null ? (name ?? "") : knownAs(symbol, context.root).join(".");
