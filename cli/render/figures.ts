/** Numbers of a plan as people read them. */

/** 3192159 as `3.19M`. */
export function short(n: number): string {
  for (const [scale, suffix] of [
    [1e12, "T"],
    [1e9, "B"],
    [1e6, "M"],
    [1e4, "K"],
  ] as const) {
    if (n >= scale) return `${trimmed(suffix === "K" ? n / 1e3 : n / scale, 3)}${suffix}`;
  }
  return n >= 100 ? whole(n) : trimmed(n, 3);
}

/** A rate of computing: GPUs have TFLOP/s, processors GFLOP/s. */
export function computing(flops: number): string {
  return flops >= 1e12 ? `${trimmed(flops / 1e12, 3)} TFLOP/s` : `${trimmed(flops / 1e9, 3)} GFLOP/s`;
}

/** Whole numbers with their thousands apart: what Node has for it takes long to load. */
export function whole(n: number): string {
  return String(Math.round(n)).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

export function gib(bytes: number): string {
  const value = bytes / 2 ** 30;
  if (value >= 0.1 || bytes === 0) return `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} GiB`;
  return `${trimmed(bytes / 2 ** 20, 3)} MiB`;
}

export function seconds(s: number): string {
  if (s < 1e-3) return `${trimmed(s * 1e6, 3)} µs`;
  if (s < 1) return `${trimmed(s * 1e3, 3)} ms`;
  return s < 100 ? `${trimmed(s, 3)} s` : `${whole(s)} s`;
}

/** A span that a person waits for: `42 s`, `12 min`, `3.4 h`, `5.1 days`. */
export function duration(hours: number): string {
  if (hours < 1 / 60) return `${trimmed(hours * 3600, 2)} s`;
  if (hours < 1) return `${trimmed(hours * 60, 2)} min`;
  return hours < 72 ? `${trimmed(hours, 3)} h` : `${trimmed(hours / 24, 3)} days`;
}

/** Kilowatt-hours as `3.2 kWh`, `4.1 MWh`, `12 GWh`. */
export function energy(kwh: number): string {
  for (const [scale, unit] of [
    [1e6, "GWh"],
    [1e3, "MWh"],
    [1, "kWh"],
  ] as const) {
    if (kwh >= scale) return `${trimmed(kwh / scale, 3)} ${unit}`;
  }
  return `${trimmed(kwh * 1e3, 3)} Wh`;
}

export function dollars(n: number): string {
  if (n < 0.01) return "under $0.01";
  return n < 100 ? `$${n.toFixed(2)}` : `$${whole(n)}`;
}

function trimmed(n: number, digits: number): string {
  return n >= 1000 ? whole(Number(n.toPrecision(digits))) : String(Number(n.toPrecision(digits)));
}
