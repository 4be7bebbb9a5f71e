/** The units that people leave out behind a number of some size. */
import { type Dimension, sameDimension, unitsOf } from "./units.ts";

interface Usual {
  readonly dimension: Dimension;
  /** Below so many; what is larger is counted in the next. */
  readonly below: number;
  readonly units: readonly string[];
}

/** Data sheets say `80` GB, `3350` GB/s, `400` Gbps and `989` TFLOPS; what is far larger is counted in the base already. */
const usual: readonly Usual[] = [
  { dimension: { second: 1 }, below: Infinity, units: ["h", "min", "s"] },
  { dimension: { byte: 1 }, below: 1e4, units: ["GB"] },
  { dimension: { byte: 1 }, below: 1e7, units: ["MB"] },
  { dimension: { byte: 1, second: -1 }, below: 20, units: ["TB/s", "GB/s", "Gbps"] },
  { dimension: { byte: 1, second: -1 }, below: 1e5, units: ["GB/s", "Gbps"] },
  { dimension: { byte: 1, second: -1 }, below: Infinity, units: ["bytes/s"] },
  { dimension: { flop: 1, second: -1 }, below: 20, units: ["PFLOPS", "TFLOPS"] },
  { dimension: { flop: 1, second: -1 }, below: 1e6, units: ["TFLOPS"] },
  { dimension: { usd: 1, gpu: -1, second: -1 }, below: Infinity, units: ["usd/gpu/h"] },
];

/** `first` comes before the others. */
export function usualUnits(dimension: Dimension, count: number, first: string | undefined): readonly string[] {
  const known = usual.find((each) => sameDimension(each.dimension, dimension) && count < each.below);
  const found = known?.units ?? unitsOf(dimension).slice(0, 1);
  return found.toSorted((a, b) => Number(b === first) - Number(a === first));
}
