import type { Span } from "../../dsl/source/source.ts";
import type { Scalar } from "./documents/located.ts";

/** A value that somebody wrote, and where. */
export interface Told {
  /** `null` inside `known: false`: written, but not known before the start. */
  readonly value: Scalar;
  readonly known: boolean;
  readonly span: Span;
  /** The name as it was written, and its place. */
  readonly name: string;
  readonly nameSpan: Span;
  /** Variables of the shell that it comes from. */
  readonly from: readonly string[];
}

/** Options by name, with `_` for `-` and without dashes in front. */
export type Settings = ReadonlyMap<string, Told>;

const dash = 0x2d;

export function bare(name: string): string {
  let start = 0;
  while (name.charCodeAt(start) === dash) start++;
  const plain = start === 0 ? name : name.slice(start);
  return plain.includes("-") ? plain.replaceAll("-", "_") : plain;
}

export function numberIn(settings: Settings, ...names: readonly string[]): number | null {
  const value = toldIn(settings, ...names)?.value;
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

export function textIn(settings: Settings, ...names: readonly string[]): string | null {
  const value = toldIn(settings, ...names)?.value;
  return value === undefined || value === null ? null : String(value);
}

/** A switch: `true`, `True`, `yes`, `1` and a name without a value. `null` where it isn't said or not known. */
export function switchIn(settings: Settings, ...names: readonly string[]): boolean | null {
  const told = toldIn(settings, ...names);
  if (told === undefined || !told.known) return null;
  if (typeof told.value === "boolean") return told.value;
  const text = String(told.value).toLowerCase();
  if (["true", "yes", "1", "t", "y", "on"].includes(text)) return true;
  return ["false", "no", "0", "f", "n", "off", "none"].includes(text) ? false : null;
}

export function toldIn(settings: Settings, ...names: readonly string[]): Told | undefined {
  for (const name of names) {
    const told = settings.get(name);
    if (told !== undefined) return told;
  }
  return undefined;
}
