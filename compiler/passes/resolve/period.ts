import type { Value } from "../../../dsl/types/value.ts";
import type { Period } from "../../pipeline.ts";
import { unitOf } from "./read.ts";

/** Each step where nobody said. */
export const periodOf = (value: Value): Period => maybePeriod(value) ?? { unit: "steps", value: 1 };

export function maybePeriod(value: Value): Period | null {
  if (value.kind !== "number") return null;
  const unit = unitOf(value);
  return { unit: unit === "token" ? "tokens" : unit === "second" ? "seconds" : "steps", value: value.value };
}
