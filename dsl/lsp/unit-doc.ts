/** What a unit is, in one sentence: of most, how many of the next smaller one. */
import { type Base, singular, units, unitsOf } from "../types/units.ts";

const counted: Readonly<Partial<Record<Base, string>>> = {
  token: "a piece of text, as the tokenizer splits it",
  sample: "one input of a model: a sequence of its context length, an image, or a row",
  step: "one update of the weights",
  micro_step: "one forward and backward pass of a rank; a step may have several",
  epoch: "one pass over all data",
  batch: "the samples of one step",
  param: "a trained number of the model",
  gpu: "a GPU",
  node: "a machine",
  core: "a core of a processor",
  char: "a character",
  word: "a word of a text, between blanks",
  document: "a row of the raw data",
  file: "a file",
  usd: "a US dollar",
  flop: "a floating-point multiplication or addition",
};

export function unitDoc(name: string): string | null {
  const own = units.get(name);
  if (own === undefined) return null;
  const others = unitsOf(own.dimension).map((other) => ({ other, factor: units.get(other)?.factor ?? own.factor }));
  // A GiB is 1,024 MiB, and no round number of MB.
  const smaller = others
    .filter(({ factor }) => factor < own.factor && isWhole(own.factor / factor))
    .toSorted((a, b) => b.factor - a.factor)[0];
  if (smaller !== undefined) return equal(name, smaller.other, own.factor / smaller.factor);
  const bigger = others.filter(({ factor }) => factor > own.factor).toSorted((a, b) => a.factor - b.factor)[0];
  if (bigger !== undefined) return equal(bigger.other, name, bigger.factor / own.factor);
  const [base, ...more] = Object.keys(own.dimension) as Base[];
  return base === undefined || more.length > 0 ? null : (counted[base] ?? null);
}

const isWhole = (times: number): boolean => Math.abs(times - Math.round(times)) < 1e-9 * times;

/** `1 h is 60 min`. */
function equal(one: string, many: string, times: number): string {
  const plural = units.has(`${many}s`) ? `${many}s` : many;
  return `1 ${singular(one)} is ${Math.round(times).toLocaleString("en")} ${plural}`;
}
