import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Value } from "../../../dsl/types/value.ts";
import type { Document } from "../../document.ts";
import { valued } from "./read.ts";

/** A raw block as JSON. */
export function documentOf(block: Instance): Record<string, Document> {
  const own = [...block.values.keys()].map((key): [string, Document] => [key, plain(valued(block, key).value)]);
  const groups = [...block.blocks].map(([key, group]): [string, Document] => [key, documentOf(group)]);
  return Object.fromEntries([...own, ...groups]);
}

function plain(value: Value): Document {
  switch (value.kind) {
    case "number":
    case "bool":
    case "string":
      return value.value;
    case "member":
      return value.name;
    case "list":
      return value.items.map((item) => plain(item.value));
    case "record":
      return Object.fromEntries([...value.fields].map(([key, field]) => [key, plain(field.value)]));
    default:
      return null;
  }
}
