/** What `$NAME` and `${NAME…}` expand to. */
import type * as Shell from "unbash";
import type { Context } from "./context.ts";
import { atIndex, countOf, listOf, openFrom } from "./elements.ts";
import { separatorsOf, type Part } from "./fields.ts";
import { numberOf } from "./number-of.ts";
import { changed } from "./parameter.ts";
import type { Value, Variable } from "./state.ts";
import { plain, type Piece } from "./text.ts";

type Span = Piece["span"];
type Sign = "@" | "*";

/** What a name stands for: one value, or a list; `null` where it isn't known. What the script doesn't set counts as not set. */
type Subject =
  | { readonly kind: "one"; readonly value: Value | null; readonly isSet: "yes" | "no" | "unknown" }
  | { readonly kind: "many"; readonly values: readonly Value[] | null; readonly sign: Sign; readonly isSet: boolean };

export function named(
  name: string,
  at: { readonly pos: number; readonly end: number },
  context: Context,
  quoted: boolean,
): readonly Part[] {
  const span = context.text.spanOf(at.pos, at.end);
  const variable = context.state.variables.get(name);
  if (context.zsh && (variable?.kind === "text" || variable?.kind === "list"))
    return ofZsh(variable, name, quoted, span, context);
  return shown(subjectOf(name, undefined, context), name, span, context, quoted);
}

export function expansion(
  part: Shell.ParameterExpansionPart,
  context: Context,
  quoted: boolean,
  operandOf: (word: Shell.Word, quoted: boolean) => readonly Part[],
  patternOf: (word: Shell.Word, context: Context) => string | null,
): readonly Part[] {
  const { parameter: name, prefix, index, operation } = part;
  const span = context.text.spanOf(part.pos, part.end);
  const unknown: readonly Part[] = [{ text: null, span, quoted, from: name }];
  const number = (value: number | null): readonly Part[] =>
    value === null ? unknown : [{ text: String(value), span, quoted }];
  if (prefix === "!") {
    if (index !== undefined && /^[@*]$/.test(index.text) && operation === undefined)
      return (
        keysOf(context.state.variables.get(name), span, quoted) ?? [{ text: null, span, quoted: false, from: name }]
      );
    const reference = subjectOf(name, index, context);
    const target = reference.kind === "one" && reference.value !== null ? plain(reference.value) : null;
    if (target === null || !/^(?:[A-Za-z_]\w*|\d+)$/.test(target)) return unknown;
    return expansion(
      { ...part, parameter: target, prefix: undefined, index: undefined },
      context,
      quoted,
      operandOf,
      patternOf,
    );
  }
  if (prefix === undefined && index === undefined && operation === undefined)
    return named(name, part, context, quoted);
  const subject = subjectOf(name, index, context);
  if (prefix === "#") {
    if (subject.kind === "many") {
      const variable = context.state.variables.get(name);
      return number(variable?.kind === "map" ? variable.entries.size : countOf(subject.values));
    }
    return number(subject.value === null ? null : (plain(subject.value)?.length ?? null));
  }
  if (operation === undefined) return shown(subject, name, span, context, quoted);
  if (operation.type === "Default") {
    const given = isGiven(subject, operation.operator.startsWith(":"));
    const kind = operation.operator.at(-1);
    if (given === null) return [{ text: null, span, quoted: false, from: name }];
    if (kind === "+") return given ? operandOf(operation.operand, quoted) : [];
    if (given) return shown(subject, name, span, context, quoted);
    if (kind === "?") return unknown;
    const parts = operandOf(operation.operand, quoted);
    if (kind === "=" && subject.kind === "one" && index === undefined && !/^\d/.test(name)) {
      const value = parts.map((each) => ({ ...("joint" in each ? each.joint : each), quoted: true }));
      context.state.variables.set(name, { kind: "text", value, span });
    }
    return parts.map((each) => ("joint" in each ? each : { ...each, from: each.from ?? name }));
  }
  if (operation.type === "Slice") {
    const from = numberOf(operation.offset.text, context);
    const { length } = operation;
    const count = length === undefined ? undefined : numberOf(length.text, context);
    if (from === null || count === null) return unknown;
    if (subject.kind === "many") {
      const values = sliced(subject.values, from, count, /^[@*]$/.test(name));
      return values === null
        ? [{ text: null, span, quoted: false, from: name }]
        : elements(values, subject.sign, quoted, span, context);
    }
    const text = subject.value === null ? null : plain(subject.value);
    const start = text === null || from >= 0 ? from : text.length + from;
    const end = text === null || count === undefined ? undefined : count >= 0 ? start + count : text.length + count;
    if (text === null || (end !== undefined && end < start)) return unknown;
    return start < 0 ? [] : [{ text: text.slice(start, end), span, quoted, from: name }];
  }
  const one = (value: Value): Value | null => {
    const text = changed(
      operation,
      plain(value),
      (word) => patternOf(word, context),
      (word) => plainOf(operandOf(word, true)),
      context.spend,
    );
    return text === null ? null : [{ span, quoted: true, ...value[0], text }];
  };
  if (subject.kind === "one")
    return shown(
      { ...subject, value: subject.value === null ? null : one(subject.value) },
      name,
      span,
      context,
      quoted,
    );
  const values = subject.values?.map(one);
  return values === undefined || values.includes(null)
    ? [{ text: null, span, quoted: false, from: name }]
    : elements(
        values.filter((value) => value !== null),
        subject.sign,
        quoted,
        span,
        context,
      );
}

const plainOf = (parts: readonly Part[]): string | null =>
  plain(parts.map((each) => ("joint" in each ? each.joint : each)));

/** What a scheduler or an operator sets where it starts a script: a default beside it (`${SLURM_NNODES:-1}`) may not be taken. */
const ofScheduler = /^(?:(?:SLURM|PBS|LSB|OMPI|PMI|PMIX|PET)_\w+|WORLD_SIZE|RANK)$/;

function subjectOf(name: string, index: Shell.Word | undefined, context: Context): Subject {
  const { state, zsh } = context;
  const one = (value: Value | null | undefined): Subject =>
    value === undefined
      ? { kind: "one", value: [], isSet: "no" }
      : { kind: "one", value, isSet: value === null ? "unknown" : "yes" };
  if (name === "@" || name === "*")
    return { kind: "many", values: state.positional, sign: name, isSet: state.positional !== null };
  const variable = state.variables.get(name);
  if (index?.text === "@" || index?.text === "*")
    return { kind: "many", values: listOf(variable), sign: index.text, isSet: variable !== undefined };
  if (name === "#") {
    const count = countOf(state.positional);
    return one(count === null ? null : [{ text: String(count), span: context.text.spanOf(0, 0), quoted: true }]);
  }
  if (/^\d+$/.test(name)) {
    if (name === "0") return { kind: "one", value: null, isSet: "yes" };
    return state.positional === null
      ? { kind: "one", value: null, isSet: "no" }
      : one(atIndex(state.positional, Number(name) - 1));
  }
  if (variable === undefined) return { kind: "one", value: null, isSet: ofScheduler.test(name) ? "unknown" : "no" };
  if (variable.kind === "unknown") return one(null);
  if (variable.kind === "map") {
    const key = index === undefined ? "0" : keyOf(index, context);
    return one(key === null ? null : variable.entries.get(key));
  }
  if (index === undefined) return one(variable.kind === "text" ? variable.value : atIndex(variable.values, 0));
  const at = numberOf(index.text, context);
  return one(zsh && (at === null || at < 1) ? null : atIndex(listOf(variable), zsh && at !== null ? at - 1 : at));
}

/** The key of a word between brackets. */
export function keyOf(index: Shell.Word, context: Context): string | null {
  if (index.parts === undefined) return index.value;
  return plain(index.parts.flatMap((part) => context.valueOf(part, context)));
}

function keysOf(variable: Variable | undefined, span: Span, quoted: boolean): readonly Part[] | null {
  const keys =
    variable?.kind === "map"
      ? variable.entries.size > 1
        ? null
        : [...variable.entries.keys()]
      : listOf(variable)?.map((_, at) => String(at));
  if (keys === null || keys === undefined || (variable?.kind === "list" && countOf(variable.values) === null))
    return null;
  return keys.flatMap((text, at): Part[] => [
    ...(at === 0 ? [] : [{ joint: { text: " ", span, quoted } }]),
    { text, span, quoted },
  ]);
}

/** Is a value there, and not empty where that counts? */
function isGiven(subject: Subject, colon: boolean): boolean | null {
  const isEmpty = (value: Value): boolean | null =>
    value.some(({ text }) => text !== null && text !== "")
      ? false
      : value.some(({ text }) => text === null)
        ? null
        : true;
  if (subject.kind === "one") {
    if (subject.isSet !== "yes") return subject.isSet === "no" ? false : null;
    if (!colon) return true;
    const empty = subject.value === null ? null : isEmpty(subject.value);
    return empty === null ? null : !empty;
  }
  if (!subject.isSet) return false;
  const { values } = subject;
  if (values === null) return null;
  if (openFrom(values) < values.length) return openFrom(values) > (colon ? 1 : 0) ? true : null;
  const [first, second] = values;
  if (first === undefined) return false;
  if (!colon || second !== undefined) return true;
  const empty = isEmpty(first);
  return empty === null ? null : !empty;
}

function sliced(
  values: readonly Value[] | null,
  from: number,
  count: number | undefined,
  isPositional: boolean,
): readonly Value[] | null {
  if (values === null || (count !== undefined && count < 0)) return null;
  const open = openFrom(values);
  const isOpen = open < values.length;
  // The first of the positional parameters is the script itself.
  const shift = isPositional ? 1 : 0;
  if (isOpen && from < 0) return null;
  const start = from < 0 ? values.length + shift + from : from;
  if (start < 0) return [];
  if (isPositional && start === 0) return null;
  const end = count === undefined ? undefined : start - shift + count;
  if (isOpen && (start - shift > open || (end !== undefined && end > open))) return null;
  return values.slice(start - shift, end);
}

function shown(subject: Subject, name: string, span: Span, context: Context, quoted: boolean): readonly Part[] {
  if (subject.kind === "many")
    return subject.values === null
      ? [{ text: null, span, quoted: false, from: name }]
      : elements(subject.values, subject.sign, quoted, span, context);
  return subject.value === null
    ? [{ text: null, span, quoted, from: name }]
    : subject.value.map((piece) => ({ ...piece, quoted, from: piece.from ?? name }));
}

function ofZsh(
  variable: Variable & { readonly kind: "text" | "list" },
  name: string,
  quoted: boolean,
  span: Span,
  context: Context,
): readonly Part[] {
  const whole = (value: Value): Value => value.map((piece) => ({ ...piece, quoted: true, from: piece.from ?? name }));
  if (variable.kind === "list")
    return quoted
      ? elements(variable.values.map(whole), "*", true, span, context)
      : elements(variable.values.filter((value) => plain(value) !== "").map(whole), "@", true, span, context);
  return !quoted && plain(variable.value) === "" ? [] : whole(variable.value);
}

/** `"$*"` is one word, and `"$@"` as many as there are elements, of which text around it touches the first and the last. */
function elements(
  values: readonly Value[],
  sign: Sign,
  quoted: boolean,
  span: Span,
  { state }: Context,
): readonly Part[] {
  const joint: Piece = { text: sign === "@" ? " " : (separatorsOf(state)?.slice(0, 1) ?? null), span, quoted: true };
  const between: Part = sign === "*" && quoted ? joint : { joint };
  const parts: Part[] = [];
  for (const [at, value] of values.entries()) {
    if (at > 0) parts.push(between);
    if (value.length === 0 && quoted) parts.push({ text: "", span, quoted });
    for (const piece of value) {
      const isQuoted = quoted && (piece.quoted || piece.text !== null);
      parts.push(piece.quoted === isQuoted ? piece : { ...piece, quoted: isQuoted });
    }
  }
  return parts;
}
