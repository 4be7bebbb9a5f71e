/** Built-in functions: pure, total, few. */
import type { Builtin, Type } from "../../kind.ts";
import { type Dimension, isDimensionless, sameDimension } from "../../types/units.ts";
import { counted, number, type NumberValue, show, type Value, type Valued } from "../../types/value.ts";
import { longestText } from "./bulk.ts";
import { itemsOf } from "./items.ts";
import { equal } from "./operators.ts";

const any: Type = { kind: "any" };

const numbers = (values: readonly Valued[]): readonly NumberValue[] | null => {
  const flat = values.flatMap((v) => itemsOf(v.value) ?? [v]).map((v) => v.value);
  const found = flat.filter((v) => v.kind === "number");
  const first = found[0];
  return first !== undefined &&
    found.length === flat.length &&
    found.every((n) => sameDimension(n.dimension, first.dimension))
    ? found
    : null;
};

/** A function of numbers of one dimension that gives one of that dimension. */
const reduce = (doc: string, f: (values: readonly number[]) => number): Builtin => ({
  doc,
  parameters: [{ name: "values", type: any, rest: true }],
  call: (values) => {
    const found = numbers(values);
    const first = found?.[0];
    if (found === null || first === undefined) return { takes: "one or more numbers of the same dimension" };
    const isCount = found.some((n) => n.whole === true);
    if (isCount && found.some((n) => n.percent)) return { takes: "only shares or only counts" };
    return isCount
      ? counted(f(found.map((n) => n.value)), first.dimension)
      : number(f(found.map((n) => n.value)), first.dimension, first.percent);
  },
});

const unary = (doc: string, f: (value: number) => number): Builtin => ({
  doc,
  parameters: [{ name: "value", type: any }],
  call: ([value]) =>
    value?.value.kind === "number" ? number(f(value.value.value), value.value.dimension) : { takes: "a number" },
});

const isSquare = (dimension: Dimension): boolean => Object.values(dimension).every((power) => power % 2 === 0);
const halved = (dimension: Dimension): Dimension =>
  Object.fromEntries(Object.entries(dimension).map(([unit, power]) => [unit, power / 2]));

const length = (value: Value): number | null =>
  value.kind === "list" ? value.items.length : value.kind === "string" ? Array.from(value.value).length : null;

export const environmentVariable = (read: (name: string) => string | undefined): Builtin => ({
  doc: "an environment variable, read at compile time on this machine; for a secret, on the machine of the run",
  parameters: [
    { name: "name", type: { kind: "string" } },
    { name: "default", type: any, optional: true },
  ],
  call: ([name, fallback]) => {
    const found = name?.value.kind === "string" ? read(name.value.value) : undefined;
    if (found !== undefined) return { kind: "string", value: found };
    return fallback === undefined || fallback.value.kind === "none"
      ? { takes: "a variable that is set, or a variable and a default" }
      : fallback.value;
  },
});

export const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ["env", environmentVariable(() => undefined)],
  ["min", reduce("the smallest", (v) => Math.min(...v))],
  ["max", reduce("the largest", (v) => Math.max(...v))],
  ["sum", reduce("the sum", (v) => v.reduce((a, b) => a + b, 0))],
  ["abs", unary("the absolute value", Math.abs)],
  [
    "round",
    unary(
      "rounded to the nearest whole number, halves away from zero",
      (v) => Math.sign(v) * Math.round(Math.abs(v)),
    ),
  ],
  ["floor", unary("rounded down to a whole number", Math.floor)],
  ["ceil", unary("rounded up to a whole number", Math.ceil)],
  [
    "sqrt",
    {
      doc: "the square root",
      parameters: [{ name: "value", type: any }],
      call: ([v]) =>
        v?.value.kind === "number" && v.value.value >= 0 && isSquare(v.value.dimension)
          ? number(Math.sqrt(v.value.value), halved(v.value.dimension))
          : { takes: "a number of at least 0, plain or of a squared unit" },
    },
  ],
  [
    "log2",
    {
      doc: "the logarithm to base 2",
      parameters: [{ name: "value", type: any }],
      call: ([v]) =>
        v?.value.kind === "number" && v.value.value > 0 && isDimensionless(v.value.dimension)
          ? number(Math.log2(v.value.value))
          : { takes: "a plain number above zero" },
    },
  ],
  [
    "pow",
    {
      doc: "a plain number raised to a power",
      parameters: [
        { name: "base", type: any },
        { name: "exponent", type: any },
      ],
      call: ([a, b]) =>
        a?.value.kind === "number" &&
        b?.value.kind === "number" &&
        isDimensionless(a.value.dimension) &&
        isDimensionless(b.value.dimension)
          ? number(a.value.value ** b.value.value)
          : { takes: "two plain numbers" },
    },
  ],
  [
    "mod",
    {
      doc: "the remainder of a division",
      parameters: [
        { name: "value", type: any },
        { name: "by", type: any },
      ],
      call: ([a, b]) =>
        a?.value.kind === "number" && b?.value.kind === "number" && b.value.value !== 0
          ? number(((a.value.value % b.value.value) + b.value.value) % b.value.value, a.value.dimension)
          : { takes: "two numbers, the second not zero" },
    },
  ],
  [
    "len",
    {
      doc: "the number of items or characters",
      parameters: [{ name: "value", type: any }],
      call: ([value]) => {
        const found = value === undefined ? null : length(value.value);
        return found === null ? { takes: "a list or a text" } : counted(found);
      },
    },
  ],
  [
    "count",
    {
      doc: "how often a value occurs in a list",
      parameters: [
        { name: "list", type: any },
        { name: "value", type: any },
      ],
      call: ([list, value]) => {
        if (list?.value.kind !== "list" || value === undefined) return { takes: "a list and a value" };
        const wanted = value.value;
        return counted(
          list.value.items.filter((item) => {
            const same = equal(item.value, wanted);
            return same?.kind === "bool" && same.value;
          }).length,
        );
      },
    },
  ],
  [
    "join",
    {
      doc: "the texts, words or numbers of a list, joined by a separator",
      parameters: [
        { name: "list", type: { kind: "list", element: { kind: "union", members: [{ kind: "string" }, any] } } },
        { name: "between", type: { kind: "string" } },
      ],
      call: ([list, between]) => {
        const items = list?.value.kind === "list" ? list.value.items : [];
        const lost = items.find(({ value }) => value.kind === "unknown");
        if (lost !== undefined) return lost.value;
        return list?.value.kind === "list" && between?.value.kind === "string" && items.every(isText)
          ? { kind: "string", value: joined(items, between.value.value) }
          : { takes: "a list of texts, words or numbers, and a text" };
      },
    },
  ],
]);

/** What `${value}` makes a text of that says no more than the value does. */
const isText = ({ value: { kind } }: Valued): boolean =>
  kind === "string" || kind === "member" || kind === "number" || kind === "bool";

/** No further than a text may be long. */
function joined(items: readonly Valued[], between: string): string {
  let text = "";
  for (const [index, { value }] of items.entries()) {
    text += `${index === 0 ? "" : between}${value.kind === "string" ? value.value : show(value)}`;
    if (text.length > longestText) break;
  }
  return text;
}
