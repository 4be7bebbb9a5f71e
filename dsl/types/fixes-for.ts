import type { Details } from "../diagnostics/diagnostic.ts";
import { replacement } from "../diagnostics/suggest.ts";
import { inTable } from "../in-table.ts";
import type { Type } from "../kind.ts";
import type { Span } from "../source/source.ts";
import { clockTime } from "../syntax/numbers/clock.ts";
import { meanings } from "./type.ts";
import { type Dimension, isDimensionless, sameDimension } from "./units.ts";
import type { Valued } from "./value.ts";

const time: Dimension = { second: 1 };

/** Quotes around a word that the type knows, or none around one that it does not. */
const isQuoted = ({ source, start }: Span): boolean => source.text[start] === '"';

/** Where something is said that comes from outside, where a type takes only what a step makes. */
export const elsewhereOf = (type: Type): string | null =>
  meanings(type).flatMap((t) => (t.kind === "handle" ? (t.elsewhere ?? []) : []))[0] ?? null;

/** What a value should have been, where its text says it. */
export function fixesFor(valued: Valued, type: Type): Details {
  const { value, span } = valued;
  const { source, start, end } = span;
  const written = source.text.slice(start, end);
  const types = meanings(type);
  // `"${width}"` is text, as in HCL before 0.12: what it computes is meant.
  const computed = /^"\$\{([^{}"]*)\}"$/.exec(written)?.[1]?.trim();
  if (value.kind === "string" && computed !== undefined && computed !== "" && !types.some((t) => t.kind === "string"))
    return { fixes: [replacement(span, computed)] };
  if (value.kind === "block" && /^[A-Za-z_][\w.]*$/.test(written)) {
    // `from = sft`: what the step makes is meant.
    const made = types.find((t) => t.kind === "handle" && t.kinds.includes(value.block.kind.name));
    if (made?.kind === "handle") return { fixes: [replacement(span, `${written}.${made.which[0] ?? ""}`)] };
  }
  const said = value.kind === "string" ? value.value : value.kind === "bool" ? written : null;
  const word = types.flatMap((t) =>
    said !== null && (t.kind === "enum" || t.kind === "choice") ? (inTable(t.foreign, said) ?? []) : [],
  )[0];
  if (word !== undefined && (value.kind === "bool" || isQuoted(span)))
    return { valid: validOf(type), fixes: [replacement(span, word)] };
  const elsewhere = elsewhereOf(type);
  if (value.kind === "string" && elsewhere !== null) return { fix: elsewhere };
  const named = types.flatMap((t) =>
    t.kind === "choice" && value.kind === "string" ? [t.ofText?.(value.value)] : [],
  )[0];
  if (named !== undefined && named !== null && isQuoted(span)) return { fixes: [replacement(span, named)] };
  const wanted = types.find((t) => t.kind === "block" && t.group === undefined && t.kinds.length === 1);
  const isOther = value.kind === "string" || value.kind === "record" || value.kind === "list";
  if (wanted?.kind === "block" && isOther && !(value.kind === "string" && /^[A-Za-z_]\w*$/.test(value.value))) {
    const [kind = ""] = wanted.kinds;
    return { fix: `Declare one at the top level of the file, \`${kind} mine { … }\`, and write its name here.` };
  }
  if (value.kind === "string" && meanings(type).some((t) => t.kind === "block") && /^[A-Za-z_]\w*$/.test(value.value))
    return { fixes: [replacement(span, value.value)] };
  if (value.kind === "string" && meanings(type).some((t) => t.kind === "number")) {
    const isPlain = /^\d[\d_.]*$/.test(value.value);
    const takesPlain = meanings(type).some((t) => t.kind === "number" && t.dimensions.some(isDimensionless));
    if (isQuoted(span) && (isPlain ? takesPlain : /^\d[\d_.]*[KMBT]?(?:%| [a-z]+)$/.test(value.value)))
      return { fixes: [replacement(span, value.value)] };
    const meant = clockTime(value.value);
    const isTime = meanings(type).some(
      (t) => t.kind === "number" && t.dimensions.some((d) => sameDimension(d, time)),
    );
    return meant !== null && isTime ? { fixes: [replacement(span, meant)] } : {};
  }
  const valid = validOf(type);
  return valid.length === 0 ? {} : { valid, fix: "Write one of the words that `valid` lists." };
}

const validOf = (type: Type): readonly string[] =>
  type.kind === "choice" ? Object.keys(type.constructors) : type.kind === "enum" ? type.values : [];
