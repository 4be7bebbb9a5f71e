import { lineStart } from "../../../dsl/source/line-start.ts";
import type { Source } from "../../../dsl/source/source.ts";
import { looksLikeShell } from "../../foreign/documents/languages.ts";
import { isJson, type Place } from "./place.ts";

const key = /^(\s*)(?:- )?(["']?)([\w.-]+)\2\s*:(?:\s|$)/;

/** The key of a YAML that stands under a cursor, with those above it. */
export function yamlKeyAt(source: Source, offset: number): (Place & { readonly kind: "key" }) | null {
  if (isJson(source) || looksLikeShell(source)) return null;
  const { text } = source;
  const start = lineStart(text, offset);
  const lines = text.slice(0, start).split("\n").slice(0, -1);
  const [line] = text.slice(start).split("\n", 1);
  const found = key.exec(line ?? "");
  if (found === null) return null;
  const [, indent = "", , name = ""] = found;
  const from = start + (line ?? "").indexOf(name, indent.length);
  if (offset < from || offset > from + name.length) return null;
  const path = [name];
  let depth = indent.length;
  for (const above of lines.toReversed()) {
    const outer = key.exec(above);
    if (outer === null || (outer[1] ?? "").length >= depth) continue;
    depth = (outer[1] ?? "").length;
    path.unshift(outer[3] ?? "");
  }
  return { kind: "key", path, start: from, end: from + name.length, isKey: true };
}
