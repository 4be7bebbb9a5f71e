import type { Document } from "../../document.ts";

type Section = { readonly [key: string]: Document };

export function isSection(value: Document | undefined): value is Section {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `over` laid over `base`: sections are merged, everything else is replaced; keys keep their order. */
export function merge(base: Section, over: Section): Section {
  const result = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const below = result.get(key);
    result.set(key, isSection(below) && isSection(value) ? merge(below, value) : value);
  }
  return Object.fromEntries(result);
}
