/** 124439808 as `124.4M`. */
export function count(n: number): string {
  for (const [scale, suffix] of [
    [1e12, "T"],
    [1e9, "B"],
    [1e6, "M"],
    [1e3, "K"],
  ] as const) {
    if (n >= scale) return `${Number((n / scale).toPrecision(4))}${suffix}`;
  }
  return String(Number(n.toPrecision(4)));
}
