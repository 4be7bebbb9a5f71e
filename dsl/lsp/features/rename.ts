/** New names for what the user declared; words of the language and of the standard library keep theirs. */
import {
  ErrorCodes,
  PrepareRenameRequest,
  RenameRequest,
  ResponseError,
  type TextDocumentEdit,
} from "vscode-languageserver";
import type { Param } from "../../syntax/ast.ts";
import { keywords } from "../../syntax/words.ts";
import { feature, type View, viewOf } from "../feature.ts";
import { isStandard, type Occurrence } from "../meaning/meaning.ts";
import { occurrenceAt } from "../meaning/occurrences.ts";
import { nodesAt } from "../nodes.ts";
import { offsetAt, rangeOf } from "../positions.ts";
import { harmOf } from "../unharmed.ts";
import { type Use, usesOf } from "../uses.ts";
import type { Workspace } from "../workspace.ts";

export const prepareRename = feature(PrepareRenameRequest.type, {}, (workspace, { textDocument, position }) => {
  const view = viewOf(workspace, textDocument.uri);
  const at = view === null ? null : occurrenceAt(view.occurrences, offsetAt(view.module.file.source, position));
  if (at === null) return null;
  renamable(at);
  return { range: rangeOf(at.span), placeholder: at.text };
});

export const rename = feature(
  RenameRequest.type,
  { renameProvider: { prepareProvider: true } },
  (workspace, { textDocument, position, newName }) => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const at = occurrenceAt(view.occurrences, offsetAt(view.module.file.source, position));
    if (at === null) return null;
    renamable(at);
    const { meaning } = at;
    const wanted = meaning.kind === "enum_member" ? memberText(newName) : nameText(newName);
    const uses = sameName(at, view, workspace).map((use) => ({ ...use, text: textAt(use, wanted) }));
    if (newName !== at.text && meaning.kind === "symbol") {
      const taken = uses.find((use) => use.view.module.names.has(newName));
      if (taken !== undefined) refuse(`\`${newName}\` is already declared in ${nameOf(taken.view)}`);
    }
    const harm = newName === at.text ? null : harmOf(uses, newName, workspace);
    if (harm !== null) refuse(harm);
    const documents = new Map<string, TextDocumentEdit>();
    for (const { view: where, occurrence, text } of uses) {
      const { uri, path } = where;
      const edit = documents.get(uri) ?? {
        textDocument: { uri, version: workspace.document(path)?.version ?? null },
        edits: [],
      };
      edit.edits.push({ range: rangeOf(occurrence.span), newText: text });
      documents.set(uri, edit);
    }
    return { documentChanges: [...documents.values()] };
  },
);

const isName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);

function nameText(newName: string): string {
  if (!isName(newName)) refuse(`\`${newName}\` is not a valid name: write letters, digits and \`_\`, a letter first`);
  if (keywords.has(newName)) refuse(`\`${newName}\` is a keyword`);
  return newName;
}

/** A member of an enum may be no name, and then stands in quotes: `2b` and `"2b"` are asked for alike. */
function memberText(newName: string): string {
  const word = /^"(.*)"$/.exec(newName)?.[1] ?? newName;
  if (isName(word) && !keywords.has(word)) return word;
  if (word === "" || /["\\$\n]/.test(word)) refuse(`\`${newName}\` is not a valid member of an enum`);
  return `"${word}"`;
}

/** What Python calls the param of a plugin stays as it is. */
function textAt({ view, occurrence: { meaning, role, span, text } }: Use, newName: string): string {
  if (meaning.kind !== "local" || role !== "declaration" || newName === text) return newName;
  const param = nodesAt(view.module.file, span.start).findLast(({ kind }) => kind === "param") as Param | undefined;
  return param?.name.span.start === span.start && param.aliases.length === 0 ? `${newName} as ${text}` : newName;
}

/** An alias is a name of its own, in its own file; other uses go by the declared name. */
function sameName(at: Occurrence, view: View, workspace: Workspace): readonly Use[] {
  const { meaning } = at;
  const isAlias = meaning.kind === "symbol" && at.text !== meaning.symbol.name.text;
  return usesOf(meaning, view, workspace).filter(
    (use) => use.occurrence.text === at.text && (!isAlias || use.view.path === view.path),
  );
}

function renamable({ meaning, text }: Occurrence): void {
  if (meaning.kind === "local" || meaning.kind === "nested" || meaning.kind === "enum_member") {
    if (meaning.declaration === undefined) refuse(`\`${text}\` is a word of the language`);
    if (meaning.declaration.source.path.startsWith("std/")) refuse(`\`${text}\` belongs to the standard library`);
    return;
  }
  if (meaning.kind !== "symbol") refuse(`\`${text}\` is a word of the language`);
  else if (isStandard(meaning.symbol.module)) refuse(`\`${text}\` belongs to the standard library`);
}

const nameOf = ({ path }: View): string => path.split("/").at(-1) ?? path;

function refuse(message: string): never {
  throw new ResponseError(ErrorCodes.InvalidRequest, message);
}
