import type { NumberType } from "./type.ts";

/** `6-4` where a rate or a share stands is `6e-4` with its `e` lost; powers that nobody writes are none: `60-40`. */
export function lostExponent(written: string, { integer, min, above }: NumberType): string | null {
  if (integer === true || Math.max(min ?? -Infinity, above ?? -Infinity) < 0) return null;
  const [, left, right] = /^([1-9]\d?)-(0?[1-9]|1[0-2])$/.exec(written) ?? [];
  return left === undefined || right === undefined ? null : `${left}e-${right}`;
}
