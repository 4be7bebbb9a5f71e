/** `raw megatron { … }`: keys are arguments, with underscores or hyphens, or the names that the engine's code reads them under. */
import type { Document } from "../../../document.ts";
import type { Word } from "../../word.ts";
import type { Span } from "../../../../dsl/source/source.ts";
import { converted, wordsForList, type Wrong } from "../convert.ts";
import { argumentOf, switched } from "../raw-word.ts";
import type { Argument, ArgumentTable } from "../table.ts";

export interface RawArgument {
  readonly key: string;
  readonly span: Span;
  readonly argument: Argument;
  readonly value: unknown;
}

export type RawFault =
  | { readonly kind: "unknown"; readonly key: string; readonly span: Span }
  | { readonly kind: "switch"; readonly argument: Argument; readonly span: Span; readonly key: string }
  | { readonly kind: "count"; readonly argument: Argument; readonly span: Span; readonly key: string }
  | {
      readonly kind: "twice";
      readonly argument: Argument;
      readonly span: Span;
      readonly key: string;
      readonly other: RawArgument;
    }
  | (Wrong & { readonly span: Span; readonly key: string });

export function readRaw(
  raw: Readonly<Record<string, Document>>,
  spanOf: (key: string) => Span,
  table: ArgumentTable,
): { readonly given: readonly RawArgument[]; readonly faults: readonly RawFault[] } {
  const given = new Map<string, RawArgument>();
  const faults: RawFault[] = [];
  for (const [key, document] of Object.entries(raw)) {
    const span = spanOf(key);
    const named = argumentOf(key, table);
    if (named === null) {
      faults.push({ kind: "unknown", key, span });
      continue;
    }
    const { argument } = named;
    const other = given.get(argument.dest);
    if (other !== undefined) {
      faults.push({ kind: "twice", argument, span, key, other });
      continue;
    }
    if (document === null) {
      // `none` takes back what would have been said: the engine's own default holds.
      const usual = argument.default ?? argument.action !== "store_true";
      given.set(argument.dest, { key, span, argument, value: argument.action === undefined ? null : usual });
      continue;
    }
    if (argument.action !== undefined) {
      if (typeof document !== "boolean") faults.push({ kind: "switch", argument, span, key });
      else given.set(argument.dest, { key, span, argument, value: switched(named, document) });
      continue;
    }
    const words = wordsIn(document, argument).map((text): Word => ({ text, span }));
    // `true` alone says nothing that a value could be.
    if (typeof document === "boolean" || !isCount(argument, words.length)) {
      faults.push({ kind: "count", argument, span, key });
      continue;
    }
    const { value, wrong } = converted(argument, named.option ?? `--${argument.dest}`, words);
    if (wrong.length > 0) faults.push(...wrong.map((one) => ({ ...one, span, key })));
    else given.set(argument.dest, { key, span, argument, value });
  }
  return { given: [...given.values()], faults };
}

function wordsIn(document: Document, argument: Argument): readonly string[] {
  if (Array.isArray(document)) return wordsForList(argument, (document as readonly Document[]).map(String));
  return typeof document === "object" ? [] : [String(document)];
}

function isCount({ nargs }: Argument, count: number): boolean {
  if (nargs === undefined) return count === 1;
  if (nargs === "*") return true;
  if (nargs === "?") return count <= 1;
  return nargs === "+" ? count >= 1 : count === Number(nargs);
}
