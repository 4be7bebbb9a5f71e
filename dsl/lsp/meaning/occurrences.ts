/** Every word of a module with what it stands for: hover, definition, references, rename and highlighting read this. */
import type { Registry } from "../../kind.ts";
import type { Module } from "../../symbols/symbol.ts";
import type { Occurrence } from "./meaning.ts";
import { top, type Words } from "./place.ts";
import { memberReader } from "./statements.ts";

const known = new WeakMap<Module, readonly Occurrence[]>();

export function occurrencesOf(module: Module, registry: Registry): readonly Occurrence[] {
  let found = known.get(module);
  if (found === undefined) {
    found = collect(module, registry);
    known.set(module, found);
  }
  return found;
}

function collect(module: Module, registry: Registry): readonly Occurrence[] {
  const found: Occurrence[] = [];
  const say: Words["say"] = (at, meaning, { owner, path }, role = "reference") => {
    if (at.span.end > at.span.start) found.push({ span: at.span, text: at.text, meaning, role, owner, path });
  };
  memberReader({ module, registry, say })(module.file.statements, null, top);
  return found.sort((a, b) => a.span.start - b.span.start);
}

/** The word at an offset, its end included. */
export function occurrenceAt(all: readonly Occurrence[], offset: number): Occurrence | null {
  return all.find(({ span }) => span.start <= offset && offset <= span.end) ?? null;
}
