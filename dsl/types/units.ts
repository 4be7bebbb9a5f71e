/** Units and dimensions: what may be written behind a number, and what may be added to what. */

/**
 * What is counted. Step, micro-step, sample and token are different things on purpose: no step count may depend
 * silently on the number of ranks.
 */
export type Base =
  | "token"
  | "sample"
  | "step"
  | "micro_step"
  | "epoch"
  | "batch"
  | "param"
  | "byte"
  | "second"
  | "usd"
  | "gpu"
  | "node"
  | "core"
  | "char"
  | "word"
  | "document"
  | "file"
  | "flop"
  | "watt";

/** Exponents of the bases, none of them zero. */
export type Dimension = Readonly<Partial<Record<Base, number>>>;

export const dimensionless: Dimension = {};

interface UnitDefinition {
  readonly dimension: Dimension;
  /** How many of the base unit one of these is: 3600 for `h`, 1e9 for `GB`, 0.01 for `%`. */
  readonly factor: number;
}

const unit = (base: Base, factor = 1): UnitDefinition => ({ dimension: { [base]: 1 }, factor });
const perSecond = (base: Base, factor: number): UnitDefinition => ({ dimension: { [base]: 1, second: -1 }, factor });

/** Every spelling; singular and plural are one unit. */
export const units: ReadonlyMap<string, UnitDefinition> = new Map<string, UnitDefinition>([
  ...(
    [
      "token",
      "sample",
      "step",
      "micro_step",
      "epoch",
      "param",
      "gpu",
      "node",
      "core",
      "char",
      "word",
      "file",
    ] as const
  ).flatMap((base): [string, UnitDefinition][] => [
    [base, unit(base)],
    [`${base}s`, unit(base)],
  ]),
  ["batches", unit("batch")],
  ["batch", unit("batch")],
  ["docs", unit("document")],
  ["doc", unit("document")],
  ["%", { dimension: dimensionless, factor: 0.01 }],
  ["us", unit("second", 1e-6)],
  ["ms", unit("second", 1e-3)],
  ["s", unit("second")],
  ["min", unit("second", 60)],
  ["h", unit("second", 3600)],
  ["d", unit("second", 86_400)],
  ["usd", unit("usd")],
  ["W", unit("watt")],
  ["kW", unit("watt", 1e3)],
  ...[
    ["Wh", 3600],
    ["kWh", 3.6e6],
    ["MWh", 3.6e9],
  ].map(([name, factor]): [string, UnitDefinition] => [
    String(name),
    { dimension: { watt: 1, second: 1 }, factor: Number(factor) },
  ]),
  ["bit", unit("byte", 1 / 8)],
  ["bits", unit("byte", 1 / 8)],
  ["Mbps", perSecond("byte", 1e6 / 8)],
  ["Gbps", perSecond("byte", 1e9 / 8)],
  ["Tbps", perSecond("byte", 1e12 / 8)],
  ["FLOP", unit("flop")],
  ["TFLOP", unit("flop", 1e12)],
  ["GFLOPS", perSecond("flop", 1e9)],
  ["TFLOPS", perSecond("flop", 1e12)],
  ["PFLOPS", perSecond("flop", 1e15)],
  ["bytes", unit("byte")],
  ["byte", unit("byte")],
  ...["K", "M", "G", "T", "P"].flatMap((prefix, index): [string, UnitDefinition][] => [
    [`${prefix}B`, unit("byte", 1000 ** (index + 1))],
    [`${prefix}iB`, unit("byte", 1024 ** (index + 1))],
  ]),
]);

export const scales: Readonly<Record<"K" | "M" | "B" | "T" | "Ki" | "Mi" | "Gi" | "Ti", number>> = {
  K: 1e3,
  M: 1e6,
  B: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

export function sameDimension(a: Dimension, b: Dimension): boolean {
  if (a === b) return true;
  for (const base in a) if (a[base as Base] !== b[base as Base]) return false;
  for (const base in b) if (!Object.hasOwn(a, base)) return false;
  return true;
}

export function isDimensionless(dimension: Dimension): boolean {
  for (const _ in dimension) return false;
  return true;
}

/** `a * b^power`. */
export function combine(a: Dimension, b: Dimension, power: 1 | -1): Dimension {
  if (a === dimensionless && power === 1) return b;
  const result: Partial<Record<Base, number>> = { ...a };
  for (const [base, exponent] of Object.entries(b) as [Base, number][]) {
    const sum = (result[base] ?? 0) + power * exponent;
    if (sum === 0) delete result[base];
    else result[base] = sum;
  }
  return result;
}

const pluralOf: Partial<Record<Base, string>> = {
  byte: "bytes",
  second: "s",
  usd: "usd",
  batch: "batches",
  document: "docs",
  flop: "FLOP",
  watt: "W",
};
const plural = (base: Base): string => pluralOf[base] ?? `${base}s`;

/** `batch` of `batches`, `step` of `steps`; a unit that is the same for one and many is itself. */
export function singular(unit: string): string {
  const one = ["s", "es"].map((ending) => (unit.endsWith(ending) ? unit.slice(0, -ending.length) : ""));
  return one.find((each) => units.has(each)) ?? unit;
}

const powers = ["", "", "²", "³"];

/** `tokens/s/gpu`, `steps²`; the empty dimension is "a plain number". */
export function describeDimension(dimension: Dimension, second = "s"): string {
  const entries = Object.entries(dimension) as [Base, number][];
  const [only] = entries;
  if (only === undefined) return "a plain number";
  if (entries.length === 1 && only[0] === "second" && only[1] === 1) return "time";
  const raised = (word: string, exponent: number) => `${word}${powers[exponent] ?? `^${exponent}`}`;
  const above = entries
    .filter(([, exponent]) => exponent > 0)
    .map(([base, exponent]) => raised(plural(base), exponent));
  const below = entries
    .filter(([, exponent]) => exponent < 0)
    .map(([base, exponent]) => raised(base === "second" ? second : base, -exponent));
  return [above.join(" ") || "1", ...below].join("/");
}

/** As people count it: prices by the hour. */
export const spokenDimension = (dimension: Dimension): string =>
  describeDimension(dimension, dimension.usd === undefined ? "s" : "h");

/** Spellings of the units of a dimension, the usual one first; empty for compound dimensions. */
export function unitsOf(dimension: Dimension): readonly string[] {
  const found = [...units]
    .filter(([name, u]) => name !== "%" && sameDimension(u.dimension, dimension))
    .map(([name]) => name);
  const usual = plural((Object.keys(dimension)[0] ?? "token") as Base);
  return found.sort((a, b) => Number(b === usual) - Number(a === usual));
}
