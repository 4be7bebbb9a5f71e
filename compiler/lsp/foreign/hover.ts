import { type Hover, MarkupKind } from "vscode-languageserver";
import { rangeOf } from "../../../dsl/lsp/positions.ts";
import type { Source } from "../../../dsl/source/source.ts";
import { readJson } from "../../foreign/documents/json.ts";
import { type DocumentKind } from "../../foreign/documents/kinds.ts";
import { recognised } from "../../foreign/documents/recognise.ts";
import { textOf } from "../../foreign/shell/text.ts";
import { readYaml } from "../../foreign/documents/yaml.ts";
import { deepspeedKey, described, megatronOption, type Option } from "./option.ts";
import { isMegatronText } from "./megatron-text.ts";
import { isJson, placeAt } from "./place.ts";
import { accelerateFlag, trainerFlag, trainerKey } from "./trainer-option.ts";
import { yamlKeyAt } from "./yaml-place.ts";

export function hoverAt(source: Source, offset: number): Hover | null {
  const place = yamlKeyAt(source, offset) ?? placeAt(source, offset);
  if (place === null) return null;
  const option =
    place.kind === "key"
      ? keyOf(source, place.path)
      : flagOf(source, offset, place.word.startsWith("--") ? place.word : place.before);
  if (option === null) return null;
  return {
    contents: { kind: MarkupKind.Markdown, value: described(option) },
    range: rangeOf({ source, start: place.start, end: place.end }),
  };
}

function keyOf(source: Source, path: readonly string[]): Option | null {
  const kind = kindOf(source);
  const known = kind === null ? null : trainerKey(kind, path);
  return known ?? (isJson(source) && (kind === null || kind === "deepspeed") ? deepspeedKey(path) : null);
}

/** What a file is, as far as it can be read while it is written. */
function kindOf(source: Source): DocumentKind | null {
  const text = textOf(source);
  const roots = isJson(source) ? [readJson(text).root] : readYaml(text).documents;
  return roots.map((root) => (root === undefined ? null : recognised(root))).find((kind) => kind !== null) ?? null;
}

/** An option of a command: of `accelerate launch` in front of its program, of the program behind it. */
function flagOf(source: Source, offset: number, word: string): Option | null {
  const name = word.replace(/=.*$/, "");
  const command = commandBefore(source.text, offset);
  const launch = command.lastIndexOf("accelerate launch");
  if (launch >= 0 && !/\.py(?:\s|$)/.test(command.slice(launch))) return accelerateFlag(name);
  if (isMegatronText(source.text)) return megatronOption(name);
  return trainerFlag(name) ?? megatronOption(name);
}

/** The line up to a place, with those above that it continues. */
function commandBefore(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return before.slice(before.replaceAll(/\\\r?\n/g, (each) => " ".repeat(each.length)).lastIndexOf("\n") + 1);
}
