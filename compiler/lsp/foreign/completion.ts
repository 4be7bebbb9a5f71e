import { type CompletionItem, CompletionItemKind, CompletionItemTag, MarkupKind } from "vscode-languageserver";
import { rangeOf } from "../../../dsl/lsp/positions.ts";
import type { Source } from "../../../dsl/source/source.ts";
import {
  deepspeedKey,
  deepspeedKeys,
  described,
  keyOption,
  megatronOption,
  megatronOptions,
  type Option,
} from "./option.ts";
import { isMegatronText } from "./megatron-text.ts";
import { type Place, placeAt } from "./place.ts";

/** What may stand at a place: names of options, or the values of one. */
export function completionsAt(source: Source, offset: number, afterBlank: boolean): CompletionItem[] | null {
  const place = placeAt(source, offset);
  if (place === null) return null;
  return place.kind === "key" ? keys(source, place, offset) : words(source, place, offset, afterBlank);
}

function words(
  source: Source,
  place: Place & { readonly kind: "flag" },
  offset: number,
  afterBlank: boolean,
): CompletionItem[] {
  const { start, end, word, before } = place;
  const option = before === "" || word.startsWith("-") ? null : megatronOption(before);
  const edit = (newText: string) => ({ range: rangeOf({ source, start, end }), newText });
  if (option !== null && option.values.length > 0)
    return option.values.map((label) => ({ label, kind: CompletionItemKind.EnumMember, textEdit: edit(label) }));
  if (afterBlank || !word.startsWith("-") || !isMegatronText(source.text)) return [];
  const typed = source.text.slice(start, offset);
  return megatronOptions()
    .filter(({ name }) => name.startsWith(typed.startsWith("--") ? typed : "--"))
    .map((each) => item(each, edit(each.name), CompletionItemKind.Property));
}

function keys(source: Source, place: Place & { readonly kind: "key" }, offset: number): CompletionItem[] {
  const { path, start, end, isKey } = place;
  const edit = (newText: string) => ({ range: rangeOf({ source, start, end }), newText });
  if (!isKey) {
    const option = deepspeedKey(path);
    const quoted = option?.type.startsWith("a name") === true;
    return (option?.values ?? []).map((label) => ({
      label,
      kind: CompletionItemKind.EnumMember,
      filterText: source.text.slice(start, offset) + label,
      textEdit: edit(quoted ? `"${label}"` : label),
    }));
  }
  const known = deepspeedKeys(path.slice(0, -1)) ?? {};
  const follows = /^\s*:/.test(source.text.slice(end));
  return Object.entries(known).map(([name, key]) => {
    const option = keyOption(name, key, [...path.slice(0, -1), name]);
    return {
      ...item(option, edit(follows ? `"${name}"` : `"${name}": ${valueOf(option)}`), CompletionItemKind.Property),
      filterText: `"${name}"`,
    };
  });
}

const valueOf = ({ type, values }: Option): string =>
  type.startsWith("a section")
    ? "{}"
    : values.length > 0 && type.startsWith("a name")
      ? `"${values[0]}"`
      : (values[0] ?? "");

function item(
  option: Option,
  textEdit: CompletionItem["textEdit"] & object,
  kind: CompletionItemKind,
): CompletionItem {
  return {
    label: option.name,
    kind,
    detail: option.type,
    documentation: { kind: MarkupKind.Markdown, value: described(option) },
    ...(option.deprecated === null ? {} : { tags: [CompletionItemTag.Deprecated] }),
    textEdit,
  };
}
