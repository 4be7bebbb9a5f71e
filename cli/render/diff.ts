/** Differences as people read them: causes first, then what follows from them. */
import type { Difference, Differences, Part } from "../../compiler/diff/compare.ts";
import type { Fact } from "../../compiler/diff/facts.ts";
import { duration, gib, seconds, short } from "./figures.ts";

export interface DiffPalette {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
}

const titles: Readonly<Record<Part, string>> = {
  values: "the file",
  plan: "plan",
  emitted: "the bundle",
  measured: "the measurements",
};

const shownRows = 40;

export function renderDiff(differences: Differences, paint: DiffPalette): string {
  const parts = (Object.keys(titles) as Part[]).filter((part) => differences[part].length > 0);
  return parts.map((part) => section(titles[part], differences[part], paint)).join("\n");
}

function section(title: string, differences: readonly Difference[], paint: DiffPalette): string {
  const told = differences.filter((each) => isSeen(each) && !isRepeated(each, differences));
  const rows = (told.length > 0 ? told : differences).slice(0, shownRows);
  const width = Math.min(48, Math.max(...rows.map((row) => row.path.length)));
  const left = differences.length - rows.length;
  return [
    paint.bold(title),
    ...rows.map((row) => line(row, width, paint)),
    ...(left > 0 ? [paint.dim(`  … and ${left} more (--json has all)`)] : []),
    "",
  ].join("\n");
}

/** Two figures that read alike and are as good as equal say nothing. */
function isSeen({ path, before, after }: Difference): boolean {
  const [a, b] = [before?.value, after?.value];
  if (typeof a !== "number" || typeof b !== "number") return true;
  return figure(path, before) !== figure(path, after) || Math.abs(b - a) > 1e-3 * Math.abs(a);
}

/** What each rank holds, where it is what the fullest one holds. */
function isRepeated({ path, before, after }: Difference, all: readonly Difference[]): boolean {
  const whole = path.replace(/\bmemory\.ranks\[\d+\]\./, "memory.");
  if (whole === path) return false;
  const said = all.find((each) => each.path === whole);
  return said?.before?.value === before?.value && said?.after?.value === after?.value;
}

function line({ path, before, after }: Difference, width: number, paint: DiffPalette): string {
  if (before === null || after === null) {
    const only = before ?? after;
    const sign = before === null ? paint.green("+") : paint.red("-");
    const value = only?.value === true ? "" : `  ${figure(path, only)}`;
    return `${sign} ${path.padEnd(value === "" ? 0 : width)}${value}${from(only, paint)}`;
  }
  const growth = isName(path) ? "" : growthOf(before, after);
  const change = `${paint.red(figure(path, before))} -> ${paint.green(figure(path, after))}`;
  return `  ${path.padEnd(width)}  ${change}${growth === "" ? "" : ` ${paint.dim(growth)}`}${from(after, paint)}`;
}

const from = (fact: Fact | null, paint: DiffPalette): string =>
  fact?.origin === null || fact === null ? "" : `  ${paint.dim(fact.origin)}`;

function figure(path: string, fact: Fact | null): string {
  const value = fact?.value ?? null;
  if (typeof value !== "number") return String(value);
  if (/: memory\./.test(path) && !path.endsWith(".error")) return gib(value);
  if (path === "memory") return gib(value);
  if (path === "seconds") return seconds(value);
  if (/: time\.(step$|parts\.)/.test(path)) return seconds(value);
  if (/: total\.(hours|parts\.\w+)$/.test(path)) return duration(value);
  if (/: (?:\w+\.)?(?:mfu|error)$/.test(path)) return `${Number((100 * value).toPrecision(3))} %`;
  if (isName(path)) return String(value);
  const isEstimate = /: (?:time|total)\./.test(path);
  if (Math.abs(value) >= 1e5 && (isEstimate || Number.isInteger(value))) return short(value);
  if (Number.isInteger(value)) return String(value);
  const rounded = Number(value.toPrecision(isEstimate ? 3 : 6));
  return Math.abs(rounded) < 1e-3 ? rounded.toExponential() : String(rounded);
}

/** Numbers that tell one thing from another: there is no more or less of them. */
const isName = (path: string): boolean => /(?:^|[. _])(?:seed|port|id)$/.test(path);

function growthOf({ value: a }: Fact, { value: b }: Fact): string {
  if (typeof a !== "number" || typeof b !== "number" || a === 0) return "";
  const percent = ((b - a) / Math.abs(a)) * 100;
  return `(${percent > 0 ? "+" : ""}${Number(percent.toPrecision(3))} %)`;
}
