/** What may stand in an open block: its name, its keys, and their values. */
import { type CompletionItem, CompletionItemKind as Kind, CompletionItemTag } from "vscode-languageserver";
import type { OpenKey, OpenName } from "../open-keys.ts";
import { again, type Around, item, markdown } from "./item.ts";

export const openNameItems = (names: readonly OpenName[], around: Around): CompletionItem[] =>
  names.map(({ name, doc }) => ({
    ...item(name, Kind.Class, 1, null, around, { snippet: `${name} {\n\t$0\n}`, plain: `${name} ` }),
    detail: doc,
  }));

export const openKeyItems = (
  keys: readonly OpenKey[],
  written: ReadonlySet<string>,
  isQuoted: boolean,
  around: Around,
): CompletionItem[] =>
  keys
    .filter(({ name }) => !written.has(name))
    .map(({ name, type, doc, isSection, isDeprecated }) => {
      const insert = isQuoted
        ? { plain: name }
        : isSection
          ? { snippet: `${name} { $0 }`, plain: `${name} ` }
          : { snippet: `${name} = $0`, plain: `${name} = ` };
      return {
        ...item(name, isSection ? Kind.Module : Kind.Property, isDeprecated ? 4 : 1, null, around, insert),
        detail: type,
        documentation: markdown(doc),
        ...(isDeprecated ? { tags: [CompletionItemTag.Deprecated] } : {}),
        ...(isSection || isQuoted ? {} : { command: again }),
      };
    });

export const openValueItems = (key: OpenKey | null, around: Around): CompletionItem[] =>
  (key?.values ?? []).map((value) => ({
    ...item(value, Kind.EnumMember, 1, null, around),
    ...(key === null ? {} : { detail: key.type, documentation: markdown(key.doc) }),
  }));
