import {
  DocumentFormattingRequest,
  DocumentOnTypeFormattingRequest,
  DocumentRangeFormattingRequest,
  type TextEdit,
} from "vscode-languageserver";
import type { Edit } from "../../diagnostics/diagnostic.ts";
import { formatEdits } from "../../format/edits.ts";
import { lineStartsOf } from "../../source/source.ts";
import { feature, viewOf } from "../feature.ts";
import { offsetAt, rangeOf } from "../positions.ts";

export const formatting = feature(
  DocumentFormattingRequest.type,
  { documentFormattingProvider: true },
  (workspace, { textDocument }) => {
    const view = viewOf(workspace, textDocument.uri);
    return view === null ? null : formatEdits(view.module.file.source).map(textEdit);
  },
);

export const rangeFormatting = feature(
  DocumentRangeFormattingRequest.type,
  { documentRangeFormattingProvider: true },
  (workspace, { textDocument, range }) => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const { source } = view.module.file;
    // Lines are laid out, and the indentation of the first is part of it.
    const start = lineStartsOf(source)[range.start.line] ?? offsetAt(source, range.start);
    return formatEdits(source, start, offsetAt(source, range.end)).map(textEdit);
  },
);

/** A closed block or a finished line is laid out; the line that the cursor is on stays as it is. */
export const onTypeFormatting = feature(
  DocumentOnTypeFormattingRequest.type,
  { documentOnTypeFormattingProvider: { firstTriggerCharacter: "}", moreTriggerCharacter: ["\n"] } },
  (workspace, { textDocument, position, ch }) => {
    const view = viewOf(workspace, textDocument.uri);
    if (view === null) return null;
    const { source, statements } = { source: view.module.file.source, statements: view.module.file.statements };
    const line = lineStartsOf(source)[position.line] ?? 0;
    const offset = offsetAt(source, position);
    if (ch !== "}") return formatEdits(source, lineStartsOf(source)[position.line - 1] ?? 0, line - 1).map(textEdit);
    const closed = statements.find(({ span }) => span.start < offset && offset <= span.end);
    return closed === undefined ? [] : formatEdits(source, closed.span.start, offset).map(textEdit);
  },
);

const textEdit = ({ span, newText }: Edit): TextEdit => ({ range: rangeOf(span), newText });
