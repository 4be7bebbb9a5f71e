import { alternatives, anyType } from "../../types/type.ts";
import type { Value } from "../../types/value.ts";
import { inTable } from "../../in-table.ts";
import type { Instance } from "./instance.ts";

/** `auto` gives a property back to whoever decides it, and so does `none` where it is none of the property's values. */
export function isGivenBack({ kind }: Instance, name: string, value: Value): boolean {
  if (value.kind === "auto") return true;
  const type = inTable(kind.properties, name)?.type ?? anyType;
  return value.kind === "none" && !alternatives(type).some((each) => each.kind === "none" || each.kind === "any");
}
