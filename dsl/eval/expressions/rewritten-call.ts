/** Calls of other languages, as they are written here: `steps(400)` is `400 steps`, `range(3)` is `0..2`. */
import type { Fix } from "../../diagnostics/diagnostic.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import { inTable } from "../../in-table.ts";
import type { Expression } from "../../syntax/ast.ts";
import { units } from "../../types/units.ts";

type Call = Extract<Expression, { kind: "call" }>;

/** What replaces the call, from its arguments as they are written; `null` where these do not tell. */
type Rewrite = (written: readonly string[], given: readonly Expression[]) => string | null;

const interpolated: Rewrite = ([only, ...others], [value]) =>
  value === undefined || others.length > 0 || value.kind === "string" ? null : `"\${${only ?? ""}}"`;
const counted: Rewrite = (written) => (written.length === 1 ? `len(${written.join("")})` : null);

const rewrites: Readonly<Record<string, Rewrite>> = {
  range: ([first = "", second], given) => {
    if (given.length === 0 || given.length > 2) return null;
    return second === undefined ? `0..${before(first)}` : `${first}..${before(second)}`;
  },
  choice: (written) => (written.length > 1 ? `[${written.join(", ")}]` : null),
  str: interpolated,
  string: interpolated,
  tostring: interpolated,
  length: counted,
  size: counted,
  int: ([only], [value]) => (value === undefined || value.kind === "string" ? null : `floor(${only ?? ""})`),
  float: ([only = ""], [value]) => (value?.kind === "number" ? only : null),
  getenv: (written) => `env(${written.join(", ")})`,
};

/** The number below, where an end is left out in other languages and belongs to a range here. */
const before = (end: string): string => (/^\d+$/.test(end) ? String(Number(end) - 1) : `${end} - 1`);

export function rewrittenCall(name: string, call: Call): Fix | null {
  const text = rewrittenText(name, call);
  return text === null ? null : replacement(call.span, text);
}

export function rewrittenText(name: string, { arguments: given }: Call): string | null {
  if (given.some((each) => each.name !== null)) return null;
  const values = given.map(({ value }) => value);
  const written = values.map(({ span: { source, start, end } }) => source.text.slice(start, end));
  const [only, ...others] = values;
  if (units.has(name) && only?.kind === "number" && only.unit === null && others.length === 0)
    return `${written.join("")} ${name}`;
  return inTable(rewrites, name.toLowerCase())?.(written, values) ?? null;
}
