import { type Hover, MarkupKind } from "vscode-languageserver";
import { rangeOf } from "../../../dsl/lsp/positions.ts";
import type { Source } from "../../../dsl/source/source.ts";
import { deepspeedKey, described, megatronOption } from "./option.ts";
import { placeAt } from "./place.ts";

export function hoverAt(source: Source, offset: number): Hover | null {
  const place = placeAt(source, offset);
  if (place === null) return null;
  const name = place.kind === "flag" ? (place.word.startsWith("--") ? place.word : place.before) : "";
  const option = place.kind === "key" ? deepspeedKey(place.path) : megatronOption(name);
  if (option === null) return null;
  return {
    contents: { kind: MarkupKind.Markdown, value: described(option) },
    range: rangeOf({ source, start: place.start, end: place.end }),
  };
}
