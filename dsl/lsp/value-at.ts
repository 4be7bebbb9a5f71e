/** What a place says in the end: after inheritance, amendments, presets and defaults. */
import type { Instance } from "../eval/blocks/instance.ts";
import type { Program } from "../eval/program.ts";
import { groupOf } from "../eval/blocks/property.ts";
import { type Trace, traceOf, traceOfSymbol } from "../eval/trace.ts";
import type { Symbol } from "../symbols/symbol.ts";
import type { Valued } from "../types/value.ts";
import { inTable } from "../in-table.ts";

/** The block that a declaration became in a program. */
export function instanceOf(program: Program, symbol: Symbol): Instance | null {
  const own = program.modules.get(symbol.module.path)?.names.get(symbol.name.text);
  return own?.kind === "block" ? program.context.instanceOf(own) : null;
}

/** The value at a path below a declaration: `["layout", "zero_stage"]`, `["optimizer", "lr"]`. */
export function valueAt(program: Program, symbol: Symbol, path: readonly string[]): Valued | null {
  if (symbol.kind === "namespace") return null;
  if (symbol.kind !== "block") {
    const own = program.modules.get(symbol.module.path)?.names.get(symbol.name.text);
    if (own === undefined || own.kind === "block" || own.kind === "namespace") return null;
    return inside(program.context.symbolValue(own, own.name.span), path);
  }
  const block = instanceOf(program, symbol);
  return block === null ? null : inBlock(block, path);
}

function inBlock(whole: Instance, path: readonly string[]): Valued | null {
  let block = whole;
  for (const [index, name] of path.entries()) {
    const child: Instance | null = groupOf(block, name);
    if (child !== null) {
      block = child;
      continue;
    }
    if (!Object.hasOwn(block.kind.properties, name) && !block.values.has(name)) return derived(block, name);
    return inside(block.context.property(block, name, block.span), path.slice(index + 1));
  }
  return null;
}

/** The same with what it came from; `null` where nothing is said, or nothing is known. */
export function traceAt(program: Program, symbol: Symbol, path: readonly string[]): Trace | null {
  const own = program.modules.get(symbol.module.path)?.names.get(symbol.name.text);
  if (own === undefined || own.kind === "namespace") return null;
  const { value, origin } = valueAt(program, symbol, path) ?? {};
  if (value === undefined || value.kind === "unknown" || value.kind === "function") return null;
  if (own.kind === "param" || own.kind === "let") return traceOfSymbol(own, program.context, path);
  const block = own.kind === "block" ? program.context.instanceOf(own) : null;
  const trace = block === null ? null : traceOf(block, path);
  const isUnsaid = value.kind === "none" && origin?.kind === "default" && trace?.origin.kind === "default";
  return isUnsaid ? null : trace;
}

function derived(block: Instance, name: string): Valued | null {
  const found = inTable(block.kind.derived, name);
  return found === undefined
    ? null
    : {
        value: found.compute(block),
        span: block.span,
        origin: { kind: "derived", rule: found.doc, inputs: [] },
      };
}

function inside(valued: Valued, path: readonly string[]): Valued | null {
  let current = valued;
  for (const [index, name] of path.entries()) {
    const { value } = current;
    if (value.kind === "block") return inBlock(value.block, path.slice(index));
    const parts = value.kind === "choice" ? value.arguments : value.kind === "record" ? value.fields : null;
    const found = parts?.get(name);
    if (found === undefined) return null;
    current = found;
  }
  return current;
}
