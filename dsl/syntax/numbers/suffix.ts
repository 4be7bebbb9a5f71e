import type { NumberLiteral } from "../ast.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { inTable } from "../../in-table.ts";

export type Scale = NonNullable<NumberLiteral["scale"]>;

/** What a newcomer means by letters glued to a number. */
export interface Meant {
  readonly scale: Scale | null;
  readonly unit: string | null;
}

const scales = new Set<string>(["K", "M", "B", "T", "Ki", "Mi", "Gi", "Ti"] satisfies Scale[]);

const otherScales: Readonly<Record<string, Scale>> = {
  k: "K",
  m: "M",
  b: "B",
  t: "T",
  ki: "Ki",
  mi: "Mi",
  gi: "Gi",
  ti: "Ti",
  thousand: "K",
  million: "M",
  billion: "B",
  trillion: "T",
};

const otherUnits: Readonly<Record<string, string>> = {
  g: "GB",
  kb: "KB",
  mb: "MB",
  gb: "GB",
  tb: "TB",
  kib: "KiB",
  mib: "MiB",
  gib: "GiB",
  tib: "TiB",
  pb: "PB",
  kilobytes: "KB",
  megabytes: "MB",
  gigabytes: "GB",
  terabytes: "TB",
  petabytes: "PB",
  milliseconds: "ms",
  s: "s",
  second: "s",
  seconds: "s",
  sec: "s",
  secs: "s",
  m: "min",
  min: "min",
  mins: "min",
  minute: "min",
  minutes: "min",
  h: "h",
  hr: "h",
  hrs: "h",
  hour: "h",
  hours: "h",
  d: "d",
  day: "d",
  days: "d",
  iteration: "step",
  iterations: "steps",
  iters: "steps",
  updates: "steps",
  sequence: "samples",
  sequences: "samples",
  seqs: "samples",
  examples: "samples",
  percent: "%",
  pct: "%",
};

export function isScale(text: string): text is Scale {
  return scales.has(text);
}

/** The scale that a word behind a blank stands for: `20 B tokens`, `20 billion tokens`. */
export function meantScale(word: string): Scale | null {
  return isScale(word) ? word : (inTable(otherScales, word.toLowerCase()) ?? null);
}

/** The unit that a word stands for: `hours` is `h`, `gb` is `GB`. */
export function meantUnit(word: string): string | null {
  return inTable(otherUnits, word.toLowerCase()) ?? null;
}

/** The same of a long word that is misspelt: `secnds`. */
export function misspeltUnit(word: string): string | null {
  const near =
    word.length < 4
      ? null
      : nearest(
          word.toLowerCase(),
          Object.keys(otherUnits).filter((w) => w.length > 3),
        );
  return near === null ? null : meantUnit(near);
}

/** `4k` is `4K`, `30m` is `30 min` unless a unit follows it, `80G` is `80 GB`, `100steps` is `100 steps`. */
export function meantSuffix(suffix: string, unitFollows: boolean): Meant | null {
  const lower = suffix.toLowerCase();
  const scale = inTable(otherScales, lower);
  const unit = inTable(otherUnits, lower);
  if (scale !== undefined && (unitFollows || unit === undefined)) return { scale, unit: null };
  if (unit !== undefined) return { scale: null, unit };
  const both = /^(Ki|Mi|Gi|Ti|[KMBT])([a-z_]{3,})$/.exec(suffix);
  if (both?.[1] !== undefined && isScale(both[1])) return { scale: both[1], unit: both[2] ?? null };
  return /^[A-Za-z_]{2,}$/.test(suffix) ? { scale: null, unit: suffix } : null;
}
