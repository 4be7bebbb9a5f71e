/** What may stand where the cursor is, right inside half-written code. */
import { type CompletionItem, CompletionItemKind, CompletionRequest } from "vscode-languageserver";
import { cursorAt } from "../completion/context.ts";
import { behindDot } from "../completion/behind-dot.ts";
import { type Around, markdown, symbolItem } from "../completion/item.ts";
import { blockMembers, blocksOf, fileMembers, headerWords, trialMembers, typeNames } from "../completion/members.ts";
import { openKeyItems, openNameItems, openValueItems } from "../completion/open-items.ts";
import { declaredBy, ownerOf } from "../completion/owner.ts";
import { parameters, unitItems, valueItems } from "../completion/values.ts";
import { formulaItems } from "../completion/formula-items.ts";
import { localsAt } from "../completion/locals.ts";
import { positionOf } from "../completion/position.ts";
import { writtenBelow } from "../completion/written-below.ts";
import { alternatives } from "../../types/type.ts";
import { type Feature, feature } from "../feature.ts";
import { openKey, type OpenKeys } from "../open-keys.ts";
import { relativePath } from "../relative-path.ts";
import { offsetAt, rangeOf } from "../positions.ts";
import { pathOf } from "../uri.ts";
import type { Workspace } from "../workspace.ts";
import { resolvePath } from "./document-links.ts";

export const completion = (open: OpenKeys): Feature =>
  feature(
    CompletionRequest.type,
    { completionProvider: { triggerCharacters: [".", "=", "(", "{", '"', "/", " ", ","] } },
    (workspace, { textDocument, position, context }) => {
      const path = pathOf(textDocument.uri);
      const names = workspace.names(path);
      if (names === null) return null;
      const { module, source } = names;
      const offset = offsetAt(source, position);
      const cursor = cursorAt(source, offset);
      const place = positionOf(cursor, module, workspace.registry);
      const at =
        place.kind === "member" || place.kind === "trial"
          ? { ...place, written: new Set([...place.written, ...writtenBelow(module.file, offset, cursor)]) }
          : place;
      // A blank was typed: only where it asks for something is a list not in the way.
      const isBlank = context?.triggerCharacter === " " || context?.triggerCharacter === ",";
      if (
        isBlank &&
        (at.kind === "member" || at.kind === "trial" || at.kind === "open_key" || cursor.inString !== null)
      )
        return null;
      const { registry } = workspace;
      const owner = ownerOf(cursor, module, registry);
      const around: Around = {
        module,
        registry,
        owner,
        self: declaredBy(cursor),
        locals: localsAt(cursor, source, offset),
        snippets: workspace.client.snippets,
      };
      const found = itemsAt(at, cursor.touches, cursor.inString, path, around, workspace, open);
      const range = rangeOf({ source, start: cursor.start, end: offset });
      const isText = at.kind === "import_path" || at.kind === "path" || at.kind === "text";
      return found.map(({ insertText, ...rest }) => ({
        ...rest,
        textEdit: { range, newText: insertText ?? rest.label },
        ...(isText ? { filterText: rest.label } : {}),
      }));
    },
  );

function itemsAt(
  at: ReturnType<typeof positionOf>,
  touches: boolean,
  inString: string | null,
  path: string,
  around: Around,
  workspace: Workspace,
  open: OpenKeys,
): CompletionItem[] {
  switch (at.kind) {
    case "member":
      return at.of === null ? fileMembers(around) : blockMembers(at.of, at.written, around);
    case "trial":
      return trialMembers(at.written, around);
    case "value":
      return valueItems(at.type, at.property, around, at.around);
    case "argument":
      return [
        ...parameters(at.of, at.constructor, at.given, around),
        ...(at.type === null ? [] : valueItems(at.type, null, around, at.around)),
      ];
    case "after_dot":
      return [
        ...alternatives(at.type).flatMap((type) =>
          type.kind === "formula" ? formulaItems(type, `${at.path.join(".")}.`, around) : [],
        ),
        ...behindDot(at.path, at, around),
      ];
    case "unit":
      return unitItems(at.type, touches, around);
    case "type":
      return typeNames(around);
    case "block":
      return blocksOf(at.kinds, around);
    case "header":
      return headerWords(at.of, at.has, around);
    case "open_name":
      return openNameItems(open.names(at.around), around);
    case "open_key":
      return openKeyItems(open.keys(at.at.around, at.at.path) ?? [], at.written, inString !== null, around);
    case "open_value":
      return [...openValueItems(openKey(open, at.at), around), ...valueItems(null, null, around, at.around)];
    case "import_names":
      return importable(at.from, at.has, path, around, workspace);
    case "import_path":
      return importPaths(path, workspace);
    case "text":
      return at.texts.map((text) => ({ label: text, kind: CompletionItemKind.EnumMember, sortText: text }));
    case "path":
      return filePaths(inString ?? "", path, workspace);
    case "nothing":
      return [];
  }
}

/** The names that a file declares. */
function importable(
  from: string,
  has: ReadonlySet<string>,
  path: string,
  around: Around,
  workspace: Workspace,
): CompletionItem[] {
  const target = resolvePath(path, from);
  const module = target.startsWith("std/") ? workspace.standardModule(target) : workspace.module(target);
  return [...(module?.names.values() ?? [])]
    .filter((symbol) => symbol.module === module && !has.has(symbol.name.text))
    .map((symbol) => symbolItem(symbol, 1, around));
}

function importPaths(path: string, workspace: Workspace): CompletionItem[] {
  const own = workspace.paths().filter((other) => other !== path);
  const { std } = workspace.registry;
  const files = [
    ...std.names.map((name) => ({ label: name, detail: "standard library", text: std.read(name) })),
    ...own.map((other) => ({ label: relativePath(path, other), detail: "file", text: workspace.text(other) })),
  ];
  return files.map(({ label, detail, text }) => {
    const doc = fileDoc(text ?? "");
    return {
      label,
      kind: CompletionItemKind.File,
      sortText: label,
      detail,
      ...(doc === null ? {} : { documentation: markdown(doc) }),
    };
  });
}

/** What a file opens with: `/// Machines that many people have.` */
function fileDoc(text: string): string | null {
  const lines = /^\uFEFF?(?:\/\/\/[^\r\n]*(?:\r\n|\n|\r|$))+/
    .exec(text)?.[0]
    .trim()
    .split(/\r\n|\n|\r/);
  return lines?.map((line) => line.replace(/^\uFEFF?\/\/\/ ?/, "")).join("\n") ?? null;
}

/** Files beside the document, as the client lists them; folders end in `/`. */
function filePaths(written: string, path: string, workspace: Workspace): CompletionItem[] {
  if (/^[a-z]+:\/\//.test(written)) return [];
  const upTo = written.slice(0, written.lastIndexOf("/") + 1);
  return workspace.files.entries(resolvePath(path, `${upTo}.`)).map((name) => ({
    label: `${upTo}${name}`,
    kind: name.endsWith("/") ? CompletionItemKind.Folder : CompletionItemKind.File,
    sortText: name,
  }));
}
