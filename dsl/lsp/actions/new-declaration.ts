/** Where a declaration that an action makes stands, and what it may be called. */
import { lineStart } from "../../source/line-start.ts";
import type { Module } from "../../symbols/symbol.ts";
import type { View } from "../feature.ts";

/** After the params and imports that are there, else before the first statement. */
export function placeFor({ file }: Module): number {
  const before =
    file.statements.findLast((s) => s.kind === "param") ?? file.statements.findLast((s) => s.kind === "import");
  const { text } = file.source;
  if (before === undefined) return lineStart(text, file.statements[0]?.span.start ?? 0);
  const end = text.indexOf("\n", before.span.end);
  return end < 0 ? text.length : end + 1;
}

/** A name that nothing has, and that no word of the file could be taken for: a measure, a value of an enum. */
export function freeName(name: string, { module, occurrences }: View): string {
  const worded = occurrences.filter(({ meaning }) =>
    ["formula_name", "enum_member", "constructor"].includes(meaning.kind),
  );
  const taken = new Set([...module.names.keys(), ...worded.map(({ text }) => text)]);
  if (!taken.has(name)) return name;
  for (let index = 2; ; index++) if (!taken.has(`${name}_${index}`)) return `${name}_${index}`;
}
