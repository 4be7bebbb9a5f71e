/** Values as the language writes them. */
import type { Document } from "../document.ts";

/** `320_000`, `1e-5`, `0.95`: the shorter of the plain and the exponential form. */
export function numeral(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return grouped(value);
  const plain = String(value);
  const exponential = value.toExponential().replace("e+", "e");
  return exponential.length < plain.length ? exponential : plain.replace("e+", "e");
}

function grouped(value: number): string {
  const digits = String(Math.abs(value));
  const text = digits.length > 4 ? digits.replaceAll(/\B(?=(\d{3})+$)/g, "_") : digits;
  return value < 0 ? `-${text}` : text;
}

/** `2 steps`, `1 step`. */
export function quantity(value: number, unit: string): string {
  return `${numeral(value)} ${value === 1 ? unit.replace(/(?<=ch)es$|s$/, "") : unit}`;
}

/** A fraction as a percentage that reads back as the same number. */
export function percent(fraction: number): string {
  for (const digits of [6, 12, 15, 17]) {
    const written = Number((fraction * 100).toPrecision(digits));
    if (written / 100 === fraction || digits === 17) return `${plain(written)}%`;
  }
  return `${plain(fraction * 100)}%`;
}

function plain(value: number): string {
  return String(value).replace("e+", "e");
}

/** A text in quotes, with nothing in it that the language would read. */
export function quoted(text: string): string {
  const escaped = text.replaceAll(/[\\"$]|\p{Cc}/gu, (char) => named[char] ?? unicode(char));
  return `"${escaped}"`;
}

const named: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  '"': '\\"',
  $: "\\$",
  "\n": "\\n",
  "\t": "\\t",
  "\r": "\\r",
};

function unicode(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A name for a block or a param: nouns in snake_case. */
export function identifier(text: string, otherwise: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  if (name === "") return otherwise;
  return /^[a-z]/.test(name) ? name.slice(0, 40).replace(/_+$/, "") : `${otherwise}_${name}`.slice(0, 40);
}

/** A plain value of JSON. */
export function document(value: Document): string {
  if (value === null) return "none";
  if (typeof value === "number") return numeral(value);
  if (typeof value === "string") return quoted(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `[${(value as readonly Document[]).map(document).join(", ")}]`;
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${keyed(key)} = ${document(inner)}`)
    .join(", ")} }`;
}

/** A key of a raw block: bare where it is a word, else in quotes. */
export function keyed(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
}
