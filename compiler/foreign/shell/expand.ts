/** What words of a script expand to, as far as the script itself decides it. */
import type * as Shell from "unbash";
import { arithmetic } from "./arithmetic.ts";
import { operated } from "./parameter.ts";
import type { ShellWord, State, Value, Variable } from "./state.ts";
import { cut, holeName, plain, type Piece, type Text } from "./text.ts";

export interface Context {
  readonly text: Text;
  readonly state: State;
  /** Words are those of zsh: a scalar is never split, an array stands for all its elements and counts from 1. */
  readonly zsh: boolean;
  /** Counts work down; throws when a script asks for more than any launch needs. */
  readonly spend: (amount: number) => void;
  /** Standard output of a command that is known without running it, such as `cat <<EOF` or `echo`. */
  readonly output: (script: Shell.ParsedScript | undefined, context: Context) => Value | null;
}

/** Ends a word wherever it stands: between the elements of `"${A[@]}"`. */
const boundary = Symbol("boundary");
type Part = Piece | typeof boundary;

/** The words that one word of a command becomes. */
export function wordsFrom(word: Shell.Word, context: Context): readonly ShellWord[] {
  const fields: Piece[][] = [];
  let field: Piece[] | null = null;
  for (const part of partsOf(word, context)) {
    if (part === boundary) {
      if (field !== null) fields.push(field);
      field = null;
    } else if (part.quoted || part.text === null || /^\S+$/.test(part.text)) (field ??= []).push(part);
    else {
      for (const { 0: run, index } of part.text.matchAll(/\s+|\S+/g)) {
        if (!/^\s/.test(run)) (field ??= []).push(cut(part, index, index + run.length));
        else {
          if (field !== null) fields.push(field);
          field = null;
        }
      }
    }
  }
  if (field !== null) fields.push(field);
  context.spend(fields.length);
  return fields.flatMap(wordOf);
}

const none: readonly string[] = [];

function namesIn(pieces: readonly Piece[]): readonly string[] {
  return [...new Set(pieces.flatMap(({ from }) => (from === undefined || from === holeName ? [] : [from])))];
}

function wordOf(pieces: readonly Piece[]): readonly ShellWord[] {
  const from = pieces.some(({ from: name }) => name !== undefined) ? namesIn(pieces) : none;
  const text = plain(pieces);
  const [first] = pieces;
  if (first === undefined) return [];
  // The name of an option is known even where its value isn't.
  const option = text === null && first.text !== null ? /^(--?[A-Za-z][\w.-]*)=/.exec(first.text) : null;
  if (option !== null) {
    const name = cut(first, 0, option[1]?.length ?? 0);
    const rest = [cut(first, option[0].length, first.text?.length ?? 0), ...pieces.slice(1)].filter(
      (p) => p.text !== "",
    );
    return [
      { text: name.text, span: name.span, from: [], pieces: [name] },
      { text: null, span: spanOf(rest), from, pieces: rest },
    ];
  }
  return [{ text, span: spanOf(pieces), from, pieces }];
}

/** All of a word that stands in one place; else the part that is not empty. */
function spanOf(pieces: readonly Piece[]): Piece["span"] {
  const said = pieces.filter(({ text }) => text !== "");
  const [first, last] = [said[0] ?? pieces[0], said.at(-1) ?? pieces[0]];
  if (first === undefined || last === undefined) throw new Error("a word has a piece");
  const apart = last.span.start - first.span.end;
  return first.span.source === last.span.source && apart >= -1 && apart < 200
    ? { source: first.span.source, start: first.span.start, end: Math.max(first.span.end, last.span.end) }
    : first.span;
}

/** A word where it isn't split, such as the value of an assignment. */
export function valueFrom(word: Shell.Word, context: Context): Value {
  return partsOf(word, context).flatMap((part): Piece[] => (part === boundary ? [] : [{ ...part, quoted: true }]));
}

function partsOf(word: Shell.Word, context: Context): readonly Part[] {
  const { parts } = word;
  if (parts === undefined) return literal(word.pos, word.end, "bare", context);
  // `$A[1]` is an element in zsh.
  const indexed = parts.some(({ text }, at) => text.startsWith("[") && parts[at - 1]?.type === "SimpleExpansion");
  if (context.zsh && indexed) return [{ text: null, span: context.text.spanOf(word.pos, word.end), quoted: false }];
  return parts.flatMap((part) => expanded(part, context, false));
}

function empty({ pos, end }: { readonly pos: number; readonly end: number }, { text }: Context): Piece {
  return { text: "", span: text.spanOf(pos, end), quoted: true };
}

function expanded(part: Shell.WordPart, context: Context, quoted: boolean): readonly Part[] {
  const here = context.text.spanOf(part.pos, part.end);
  const unknown: Piece = { text: null, span: here, quoted };
  switch (part.type) {
    case "Literal":
      return literal(part.pos, part.end, quoted ? "double" : "bare", context);
    case "Glob":
      return literal(part.pos, part.end, "bare", context);
    case "SingleQuoted":
      return [
        {
          text: part.value,
          span: context.text.spanOf(part.pos + 1, Math.max(part.pos + 1, part.end - 1)),
          quoted: true,
        },
      ];
    case "AnsiCQuoted":
      return [{ text: part.value, span: here, quoted: true }];
    case "LocaleString":
    case "DoubleQuoted": {
      const inside = part.parts.flatMap((each) => expanded(each, context, true));
      const list = part.parts.some((each) => each.type !== "Literal" && /^\$(@|\{[^}]*\[@\]\}|\{@)/.test(each.text));
      return inside.length > 0 || list ? inside : [empty(part, context)];
    }
    case "SimpleExpansion":
      return parameter(part.text.slice(1), part, context, quoted);
    case "ParameterExpansion":
      return parameterExpansion(part, context, quoted);
    case "ArithmeticExpansion": {
      const value = arithmetic(part.expression, (word) => numberOf(word.value, context));
      return [{ text: value === null ? null : String(value), span: here, quoted: true }];
    }
    case "CommandExpansion": {
      const output = part.text.startsWith("`") ? null : context.output(part.script, context);
      return output === null ? [unknown] : output.map((piece) => ({ ...piece, quoted }));
    }
    case "ProcessSubstitution":
    case "ExtendedGlob":
      return [{ ...unknown, quoted: true }];
    case "BraceExpansion":
      return [unknown];
  }
}

/** Text as written, less its backslashes; runs without one keep their exact places. */
function literal(
  start: number,
  end: number,
  mode: "bare" | "double" | "document",
  { text }: Context,
): readonly Piece[] {
  const raw = text.text.slice(start, end);
  if (!raw.includes("\\")) return raw === "" ? [] : [{ text: raw, span: text.spanOf(start, end), quoted: true }];
  const special = mode === "double" ? '$`"\\\n' : "$`\\\n";
  const pieces: Piece[] = [];
  const add = (from: number, to: number): void => {
    if (to > from)
      pieces.push({ text: raw.slice(from, to), span: text.spanOf(start + from, start + to), quoted: true });
  };
  let from = 0;
  for (let at = raw.indexOf("\\"); at >= 0; at = raw.indexOf("\\", at)) {
    const next = raw[at + 1];
    if (next === undefined || (mode !== "bare" && !special.includes(next))) {
      at++;
      continue;
    }
    add(from, at);
    from = next === "\n" ? at + 2 : at + 1;
    at += 2;
  }
  add(from, raw.length);
  return pieces;
}

/** The body of a here-document. */
export function documentFrom(document: Shell.HereDoc, context: Context): Value {
  const { body, delimiter } = document;
  if (delimiter?.quoted === true || body.parts === undefined) {
    const mode = delimiter?.quoted === true ? null : "document";
    if (mode !== null) return literal(body.pos, body.end, mode, context);
    return [{ text: body.text, span: context.text.spanOf(body.pos, body.end), quoted: true }];
  }
  return body.parts.flatMap((part): Piece[] =>
    part.type === "Literal"
      ? [...literal(part.pos, part.end, "document", context)]
      : expanded(part, context, true).flatMap((each) => (each === boundary ? [] : [each])),
  );
}

function parameter(
  name: string,
  at: { readonly pos: number; readonly end: number },
  { state, text, zsh }: Context,
  quoted: boolean,
): readonly Part[] {
  const span = text.spanOf(at.pos, at.end);
  const unknown: Piece = { text: null, span, quoted, from: name };
  if (name === "@" || name === "*") {
    const values = state.positional;
    return values === null ? [{ ...unknown, quoted: false }] : elements(values, quoted);
  }
  if (name === "#")
    return [state.positional === null ? unknown : { text: String(state.positional.length), span, quoted }];
  if (/^[0-9]$/.test(name)) {
    const value = name === "0" ? undefined : state.positional?.[Number(name) - 1];
    return value === undefined ? [unknown] : value.map((piece) => ({ ...piece, quoted }));
  }
  const variable = state.variables.get(name);
  if (variable === undefined || variable.kind === "unknown") return [unknown];
  if (zsh) return ofZsh(variable, name, quoted, span);
  const value = variable.kind === "text" ? variable.value : (variable.values[0] ?? []);
  return value.map((piece) => ({ ...piece, quoted, from: piece.from ?? name }));
}

function ofZsh(
  variable: Variable & { readonly kind: "text" | "list" },
  name: string,
  quoted: boolean,
  span: Piece["span"],
): readonly Part[] {
  const whole = (value: Value): Value => value.map((piece) => ({ ...piece, quoted: true, from: piece.from ?? name }));
  const blank: Piece = { text: " ", span, quoted: true };
  if (variable.kind === "list")
    return quoted
      ? variable.values.flatMap((value, at) => (at === 0 ? whole(value) : [blank, ...whole(value)]))
      : elements(variable.values.filter((value) => plain(value) !== "").map(whole), true);
  return !quoted && plain(variable.value) === "" ? [] : whole(variable.value);
}

function elements(values: readonly Value[], quoted: boolean): readonly Part[] {
  return values.flatMap((value) => [
    boundary,
    ...(value.length > 0 || !quoted ? value.map((piece): Part => ({ ...piece, quoted })) : []),
    boundary,
  ]);
}

function parameterExpansion(part: Shell.ParameterExpansionPart, context: Context, quoted: boolean): readonly Part[] {
  const span = context.text.spanOf(part.pos, part.end);
  const unknown: Piece = { text: null, span, quoted, from: part.parameter };
  const variable = context.state.variables.get(part.parameter);
  const { index, operation } = part;
  if (part.prefix === "!") return indirect(part, variable, context, unknown);
  if (index !== undefined) {
    if (index.text === "@" || index.text === "*") {
      if (operation !== undefined) return operation.type === "Default" ? [{ ...unknown, quoted: false }] : [unknown];
      const values = valuesOf(variable);
      if (part.prefix === "#") return [values === null ? unknown : { text: String(values.length), span, quoted }];
      return values === null ? [{ ...unknown, quoted: false }] : elements(values, quoted);
    }
    const at = Number(plain(valueFrom(index, context)) ?? Number.NaN);
    const value = context.zsh && at < 1 ? undefined : valuesOf(variable)?.at(context.zsh ? at - 1 : at);
    if (value === undefined || operation !== undefined) return [unknown];
    return value.map((piece) => ({ ...piece, quoted }));
  }
  const parts = parameter(part.parameter, part, context, quoted);
  const value = parts.flatMap((each): Piece[] => (each === boundary ? [] : [each]));
  if (part.prefix === "#") {
    const text = plain(value);
    return [text === null ? unknown : { text: String(text.length), span, quoted }];
  }
  if (operation === undefined) return parts;
  const isSet = variable === undefined ? "no" : variable.kind === "unknown" ? "unknown" : "yes";
  const result = operated(operation, value, isSet, (word) => valueFrom(word, context), context.spend);
  if (result.assigned !== undefined)
    context.state.variables.set(part.parameter, { kind: "text", value: result.assigned, span });
  return result.value === null
    ? [unknown]
    : result.value.map((piece) => ({
        ...piece,
        quoted,
        span: piece.span ?? span,
        from: piece.from ?? part.parameter,
      }));
}

/** `${!NAME}`: the variable that a variable names. */
function indirect(
  part: Shell.ParameterExpansionPart,
  variable: Variable | undefined,
  { state }: Context,
  unknown: Piece,
): readonly Part[] {
  if (part.operation !== undefined || part.index !== undefined || variable?.kind !== "text") return [unknown];
  const target = state.variables.get(plain(variable.value) ?? "");
  return target?.kind === "text" ? target.value : [unknown];
}

function valuesOf(variable: Variable | undefined): readonly Value[] | null {
  if (variable === undefined || variable.kind === "unknown") return null;
  return variable.kind === "list" ? variable.values : [variable.value];
}

/** What a word of an arithmetic expression stands for: a number, or the name of a variable with or without `$`. */
export function numberOf(word: string, { state }: Context): number | null {
  const text = word.trim();
  if (/^-?\d+$/.test(text)) return Number(text);
  if (/^0x[0-9a-f]+$/i.test(text)) return Number(text);
  const name = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(text)?.[1];
  const positional = /^\$\{?([1-9])\}?$/.exec(text)?.[1];
  const variable = name === undefined ? undefined : state.variables.get(name);
  const value =
    positional !== undefined
      ? state.positional?.[Number(positional) - 1]
      : variable?.kind === "text"
        ? variable.value
        : undefined;
  const known = value === undefined ? null : plain(value);
  return known !== null && /^-?\d+$/.test(known.trim()) ? Number(known) : null;
}
