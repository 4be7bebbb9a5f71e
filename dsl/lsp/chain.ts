/** Where a value came from, as hover shows it: a list whose deeper items are what the ones above them were computed from. */
import type { Trace } from "../eval/trace.ts";
import { shownValue } from "../eval/shown-value.ts";
import { describeOrigin } from "./describe.ts";

type Link = Pick<Trace, "value" | "origin" | "text"> & { readonly path: string; readonly from: readonly Link[] };

/** Beyond these many links a hover is no longer read. */
const most = 12;

/** A longer expression is better read where it stands. */
const longest = 100;

export function chain({ value, origin, text, from }: Link): string {
  const lines = from.flatMap((link) => below(link, ""));
  const shown = lines.length > most ? [...lines.slice(0, most), "- …"] : lines;
  const written = text === null || text.length > longest ? "" : ` as \`${text}\``;
  return [
    `\`${shownValue(value)}\`: ${describeOrigin(origin)}${written}`,
    ...(shown.length === 0 ? [] : ["", ...shown]),
  ].join("\n");
}

function below({ path, value, origin, from }: Link, indent: string): readonly string[] {
  const own = `${indent}- \`${path} ${shownValue(value)}\`: ${describeOrigin(origin)}`;
  return [own, ...from.flatMap((link) => below(link, `${indent}  `))];
}
