/** `"step-%d" % n`: Python's old way to put values into a text. */
import { foreignOperator } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.ts";
import { lineAround } from "../source/line-around.ts";
import type { Source, Span } from "../source/source.ts";

const text = /(["'])((?:(?!\1)[^\\]|\\.)*)\1[ \t]*$/;
const values = /^%[ \t]*(?:([\w.]+)|\(([^()]*)\))(?![\w.([])/;
const places = /%(?:[sdi]|%|[-#0 +\d.]*[A-Za-z])/g;

/** `null` where no text stands before the sign: it is a remainder. */
export function percentFormat(source: Source, sign: number): Diagnostic | null {
  const { before, after } = lineAround(source.text, sign);
  const quoted = text.exec(before);
  if (quoted === null) return null;
  const span: Span = { source, start: sign, end: sign + 1 };
  // Of other quotes there is a message already, and what they enclose is written anew by its fix.
  const newText = quoted[1] === '"' ? interpolated(quoted[2] ?? "", after) : null;
  const whole: Span = {
    source,
    start: sign - quoted[0].length,
    end: sign + (values.exec(after)?.[0].length ?? 1),
  };
  const fixes: readonly Fix[] =
    newText === null ? [] : [{ title: `write \`${newText}\``, edits: [{ span: whole, newText }] }];
  const instead = "a value stands in a text as `${value}`";
  return foreignOperator(span, { found: "%", instead }, { fixes, fix: "Write the values into the text." });
}

/** Only where each place takes its value as it is: of widths and digits the language says nothing. */
function interpolated(inside: string, after: string): string | null {
  const [, one, several] = values.exec(after) ?? [];
  const given = one === undefined ? several?.split(",").map((value) => value.trim()) : [one];
  const filled = given?.filter((value) => value !== "");
  if (filled?.every((value) => /^[\w.]+$/.test(value)) !== true) return null;
  const found = inside.match(places) ?? [];
  const taking = found.filter((place) => place !== "%%");
  if (taking.length !== filled.length || !taking.every((place) => /^%[sdi]$/.test(place))) return null;
  const left = [...filled];
  return `"${inside.replaceAll(places, (place) => (place === "%%" ? "%" : `\${${left.shift() ?? ""}}`))}"`;
}
