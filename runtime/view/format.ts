import { singular, units } from "../../dsl/types/units.ts";

/** Numbers as people read them. */

export function bytes(count: number): string {
  return scaled(count, ["B", "kB", "MB", "GB", "TB", "PB"], 1000);
}

/** `19 003` below ten million, `12.3M` above. */
export function count(value: number): string {
  if (Math.abs(value) >= 1e7) return scaled(value, ["", "k", "M", "G", "T"], 1000).replace(" ", "");
  return Math.round(value)
    .toString()
    .replaceAll(/\B(?=(\d{3})+$)/g, " ");
}

/** A short time to three digits: `12.3 ms`, `1.24 s`; a longer one as `duration` says it. */
export function seconds(value: number): string {
  if (value >= 100) return duration(value);
  return value < 1 ? `${trimmed((value * 1000).toPrecision(3))} ms` : `${trimmed(value.toPrecision(3))} s`;
}

/** `42 s`, `3 min 20 s`, `5 h 12 min`, `3 d 4 h`. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return "?";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${trimmed(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3600)} h`;
}

/** `1 sample`, `3 samples`: what is counted, named in the plural. */
export function counted(number: number, unit: string): string {
  return `${count(number)} ${number === 1 ? one(unit) : unit}`;
}

const one = (unit: string): string => (units.has(unit) ? singular(unit) : unit.replace(/s$/, ""));

/** `2nd attempt`: people count from one, folders from zero. */
export function attempt(number: number): string {
  const nth = number + 1;
  const ending = nth % 100 > 10 && nth % 100 < 14 ? "th" : (["th", "st", "nd", "rd"][nth % 10] ?? "th");
  return `${nth}${ending} attempt`;
}

export function loss(value: number): string {
  return Number.isFinite(value) ? value.toFixed(value >= 10 ? 2 : 3) : "nan";
}

export function rate(value: number): string {
  return value === 0 ? "0" : value.toExponential(1);
}

export function percent(fraction: number): string {
  return `${Math.floor(fraction * 100)} %`;
}

function scaled(value: number, units: readonly string[], base: number): string {
  let number = value;
  let unit = 0;
  while (Math.abs(number) >= base && unit < units.length - 1) {
    number /= base;
    unit += 1;
  }
  const text = unit === 0 || Math.abs(number) >= 100 ? Math.round(number).toString() : trimmed(number.toPrecision(3));
  return `${text} ${units[unit] ?? ""}`.trimEnd();
}

function trimmed(text: string): string {
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}
