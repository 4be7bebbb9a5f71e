/** What of a manifest the written file has. */
import { scalarOf, type Located } from "../../foreign/documents/located.ts";

export interface Carried<T> {
  readonly value: T;
  /** The parts of the manifest that say it. */
  readonly from: readonly Located[];
}

export function carried<T>(value: T, ...from: readonly (Located | undefined)[]): Carried<T> {
  return { value, from: from.filter((node) => node !== undefined) };
}

/** What one part of the manifest says in a word; nothing where it says something else than `make` knows. */
export function option(
  node: Located | undefined,
  make: (value: string) => string | null,
): readonly Carried<string>[] {
  const value = scalarOf(node);
  const text = value === undefined || value === null ? null : make(String(value));
  return text === null ? [] : [carried(text, node)];
}
