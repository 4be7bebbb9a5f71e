/** Values: what expressions evaluate to. */
import type { Origin } from "../eval/origin.ts";
import type { Instance } from "../eval/blocks/instance.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Type } from "../kind.ts";
import type { Span } from "../source/source.ts";
import type { BoundOperator, Expression, Function as FunctionNode, Name, Path } from "../syntax/ast.ts";
import type { Scope } from "../eval/scope.ts";
import {
  type Dimension,
  spokenDimension,
  dimensionless,
  isDimensionless,
  sameDimension,
  units,
  singular,
} from "./units.ts";

/** A value, where it was written and where it came from. */
export interface Valued {
  readonly value: Value;
  readonly span: Span;
  readonly origin: Origin;
  /** Of a value that is lost: the type by which words that are held against it are found. */
  readonly of?: Type;
}

export type Value =
  | { readonly kind: "none" }
  | { readonly kind: "auto" }
  /** `likely`: it follows from an estimate whose interval holds values for which it would be otherwise. */
  | { readonly kind: "bool"; readonly value: boolean; readonly likely?: true }
  | NumberValue
  /** `among`: the texts that its type lists. */
  | { readonly kind: "string"; readonly value: string; readonly among?: readonly string[] }
  | { readonly kind: "list"; readonly items: readonly Valued[] }
  | { readonly kind: "range"; readonly from: NumberValue; readonly to: NumberValue }
  | RecordValue
  | ChoiceValue
  /** A member of an enum. */
  | { readonly kind: "member"; readonly of: string; readonly values: readonly string[]; readonly name: string }
  | { readonly kind: "block"; readonly block: Instance }
  /** Something a step makes: `corpus.val`, `pretrain.last`. */
  /** `at`: the point, where `which` is `at`. */
  | { readonly kind: "handle"; readonly block: Instance; readonly which: string; readonly at?: Valued }
  | { readonly kind: "secret"; readonly name: string; readonly from: ChoiceValue }
  | { readonly kind: "function"; readonly node: FunctionNode; readonly scope: Scope }
  /** An expression over names that are known only later: `run.step`, `loss.at(…)`. */
  | {
      readonly kind: "formula";
      readonly expression: Expression;
      readonly scope: Scope;
      /** What whoever evaluates it later reads; `null` where the type names nothing that it may speak of. */
      readonly tree: FormulaTree | null;
    }
  /** A mistake that has been reported, or something that is known only later; whatever uses it stays silent. */
  | {
      readonly kind: "unknown";
      readonly later: boolean;
      /** `run`, `row` or `plan`, where no block around the place has it: compiling never gets to know it. */
      readonly phase?: string;
      /** Why it is known only later, as a clause. */
      readonly since?: string;
      /** What compiling lacks to know it: how a condition on it is told that nobody can judge it. */
      readonly lacks?: (at: Span, condition: string) => Diagnostic;
      /** It may be anything: a parameter without a type, where its function is judged on its own. */
      readonly anything?: true;
      /** A parameter with a type, where its function is judged on its own. */
      readonly parameter?: true;
    };

export interface NumberValue {
  readonly kind: "number";
  /** In base units: bytes, seconds, tokens, … */
  readonly value: number;
  readonly dimension: Dimension;
  /** Written with `%`: a share. */
  readonly percent: boolean;
  /** A count, such as layers: no share can be compared with it or added to it. */
  readonly whole?: true;
  /** An estimate: the ends of its interval. */
  readonly interval?: readonly [number, number];
}

/** `key`: the name before `=`, where somebody wrote it. */
export interface Field extends Valued {
  readonly key?: Name;
}

export interface RecordBound {
  readonly target: Path;
  readonly op: BoundOperator;
  readonly value: Valued;
}

export interface RecordValue {
  readonly kind: "record";
  readonly fields: ReadonlyMap<string, Field>;
  readonly bounds: readonly RecordBound[];
}

/** One of several constructors with its arguments by name, defaults filled in. */
export interface ChoiceValue {
  readonly kind: "choice";
  readonly name: string;
  readonly arguments: ReadonlyMap<string, Valued>;
  /** The block that declares the constructor, where a file does, and the role it declares it for. */
  readonly declared?: Instance;
  readonly role?: string;
  /** A bare word that something is held against: whatever its arguments are. */
  readonly any?: true;
}

/** A formula as JSON: numbers in base units, names as the descriptor spells them. */
export type FormulaTree =
  | number
  | boolean
  | string
  | null
  | readonly FormulaTree[]
  | {
      readonly name: string;
      readonly with?: Readonly<Record<string, FormulaTree>>;
      readonly at?: FormulaTree;
    }
  | { readonly op: string; readonly of: readonly FormulaTree[] };

export const unknown: Value = { kind: "unknown", later: false };
export const anything: Value = { kind: "unknown", later: false, anything: true };
export const parameter: Value = { kind: "unknown", later: false, parameter: true };
export const later: Value = { kind: "unknown", later: true };
export const none: Value = { kind: "none" };

export function number(value: number, dimension: Dimension = dimensionless, percent = false): NumberValue {
  return { kind: "number", value, dimension, percent };
}

export const counted = (value: number, dimension: Dimension = dimensionless): NumberValue => ({
  ...number(value, dimension),
  whole: true,
});

/** `x` and `5%` can be held against each other where both are shares, and `x` is no count of its own. */
export const isComparable = (a: NumberValue, b: NumberValue): boolean =>
  sameDimension(a.dimension, b.dimension) && !(a.percent && b.whole === true) && !(b.percent && a.whole === true);

const shown = (value: number): string => {
  if (Number.isInteger(value) && Math.abs(value) >= 10_000) return value.toString().replace(/\B(?=(\d{3})+$)/g, "_");
  return String(Number(value.toPrecision(6)));
};

/** Rates are written with an exponent where they are small: `3e-5`. */
const plain = (value: number): string =>
  value !== 0 && Math.abs(value) < 1e-3 ? Number(value.toPrecision(6)).toExponential() : shown(value);

/** A number that is known only within a fraction of itself; where the fraction is not known either, its middle has to do. */
export function estimate(value: number, error: number | null, dimension: Dimension = dimensionless): NumberValue {
  if (error === null) return number(value, dimension);
  const ends: [number, number] = [value * (1 - error), value * (1 + error)];
  return { ...number(value, dimension), interval: [Math.min(...ends), Math.max(...ends)] };
}

/** A number as one would write it: `2_048 tokens`, `1.5 h`, `80 GB`, `5%`. */
export function showNumber(number: NumberValue): string {
  if (number.percent) return `${shown(number.value * 100)}%`;
  if (isDimensionless(number.dimension)) return plain(number.value);
  const { byte, flop, second, watt } = number.dimension;
  const keys = Object.keys(number.dimension);
  // Entropies and rates of a loss: what is no whole number of bytes was counted in bits.
  if (keys.length === 1 && byte === 1 && Math.abs(number.value) < 64 && !Number.isInteger(number.value))
    return `${shown(number.value * 8)} bits`;
  if (keys.length === 1 && byte === 1)
    return showIn(number.value, ["TiB", "TB", "GiB", "GB", "MiB", "MB", "KiB", "KB", "bytes"]);
  if (keys.length === 1 && second === 1) return showIn(number.value, ["d", "h", "min", "s", "ms"]);
  if (keys.length === 2 && watt === 1 && second === 1) return showIn(number.value, ["MWh", "kWh", "Wh"]);
  const isRate = keys.length === 2 && second === -1;
  if (isRate && byte === 1 && number.value >= 1e6) return `${showIn(number.value, ["TB", "GB", "MB"])}/s`;
  if (isRate && flop === 1 && number.value >= 1e9) return showIn(number.value, ["PFLOPS", "TFLOPS", "GFLOPS"]);
  // Prices are said by the hour.
  if (number.dimension.usd === 1 && second === -1)
    return `${shown(number.value * 3600)} ${spokenDimension(number.dimension)}`;
  const dimension = spokenDimension(number.dimension);
  return `${shown(number.value)} ${number.value === 1 && !dimension.includes("/") ? singular(dimension) : dimension}`;
}

/** In the first unit that makes the figure short. */
function showIn(value: number, names: readonly string[]): string {
  const written = names.map((name) => ({ name, value: value / (units.get(name)?.factor ?? 1) }));
  const best =
    (value === 0 ? written.find((w) => units.get(w.name)?.factor === 1) : undefined) ??
    written.find((w) => Math.abs(w.value) >= 1 && Math.abs(w.value) < 100_000 && Number.isInteger(w.value)) ??
    written.find((w) => Math.abs(w.value) >= 1 && !w.name.endsWith("iB")) ??
    written.at(-1);
  return best === undefined ? shown(value) : `${shown(best.value)} ${best.name}`;
}

/** How long the text of a value is where a message names it. */
const inMessages = 300;

/** How a message names a value: in at most so many characters, or a few more, since values that share their parts can be endless. */
export function show(value: Value, most = inMessages): string {
  const text = write(value, { left: most });
  return text.length <= most + 1 ? text : `${text.slice(0, most)}…`;
}

/** `room`: characters that may still be written; without any, a value is an ellipsis. */
function write(value: Value, room: { left: number }): string {
  if (room.left <= 0) return "…";
  const own = (text: string): string => {
    room.left -= text.length;
    return text;
  };
  const all = (parts: Iterable<readonly [string, Value]>): string => {
    const written: string[] = [];
    for (const [name, part] of parts) {
      written.push(own(name) + write(part, room));
      if (room.left <= 0) break;
      room.left -= 2;
    }
    return written.join(", ");
  };
  switch (value.kind) {
    case "list": {
      const shown = value.items.slice(0, 8).map((item) => ["", item.value] as const);
      return `[${all(shown)}${value.items.length > 8 && room.left > 0 ? ", …" : ""}]`;
    }
    case "record":
      return `{ ${all([
        ...[...value.fields].map(([name, field]) => [`${name} = `, field.value] as const),
        ...value.bounds.map(({ target, op, value: { value: end } }) => {
          const name = target.map(({ text }) => text).join(".");
          return [`${name} ${op} `, end] as const;
        }),
      ])} }`;
    case "choice": {
      const said = [...value.arguments].filter(([, argument]) => argument.origin.kind !== "default");
      const name = own(value.name);
      return said.length === 0
        ? name
        : `${name}(${all(said.map(([key, argument]) => [`${key} = `, argument.value] as const))})`;
    }
    default:
      return own(simple(value));
  }
}

function simple(value: Exclude<Value, { kind: "list" | "record" | "choice" }>): string {
  switch (value.kind) {
    case "none":
    case "auto":
      return value.kind;
    case "bool":
      return String(value.value);
    case "number":
      return showNumber(value);
    case "string":
      return JSON.stringify(value.value);
    case "range":
      return `${showNumber(value.from)}..${showNumber(value.to)}`;
    case "member":
      return value.name;
    case "block":
      return `${value.block.kind.name} ${value.block.name ?? ""}`.trim();
    case "handle":
      return `${value.block.name ?? value.block.kind.name}.${value.which}${value.at === undefined ? "" : `(${show(value.at.value)})`}`;
    case "secret":
      return `secret ${value.name}`;
    case "function":
      return `fn ${value.node.name.text}`;
    case "formula":
      return value.expression.span.source.text
        .slice(value.expression.span.start, value.expression.span.end)
        .replace(/\s+/g, " ");
    case "unknown":
      return value.later ? "a value known only later" : "an unknown value";
  }
}
