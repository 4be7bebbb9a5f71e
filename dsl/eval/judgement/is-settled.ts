import type { Value } from "../../types/value.ts";

/** Whether no part of a value is known only later. `seen` are parts that were looked at. */
export function isSettled(value: Value, seen: Set<Value> = new Set()): boolean {
  if (seen.has(value)) return true;
  seen.add(value);
  switch (value.kind) {
    case "unknown":
      return !value.later;
    case "list":
      return value.items.every((item) => isSettled(item.value, seen));
    case "record":
      return [...value.fields.values()].every((field) => isSettled(field.value, seen));
    default:
      return true;
  }
}
