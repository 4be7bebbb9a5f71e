/** Members of enums, with quotes where they are no names. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Location, TextDocumentEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { type Editor, startEditor, uriOf } from "../../support/editor.ts";

const text = `enum Scale { "1b", moe, dense }
param scale: Scale = moe
let a = match scale { "1b" => 1, moe | dense => 2 }
let b = if scale == "1b" or scale in ["1b", moe] then 1 else 2
preset x { scale = "1b" }
assert a + b > 0
`;

let editor: Editor;
beforeEach(async () => {
  editor = await startEditor({ disk: { "main.cdr": text } });
});
afterEach(() => editor.stop());

const at = (word: string) => ({
  textDocument: { uri: uriOf("main.cdr") },
  position: { line: 0, character: text.indexOf(word) + 1 },
});

it("are found wherever they stand", async () => {
  const found = async (word: string): Promise<number> =>
    (await editor.ask<Location[]>("textDocument/references", { ...at(word), context: { includeDeclaration: true } }))
      .length;
  expect([await found('"1b"'), await found("moe")]).toEqual([5, 4]);
});

it.each([
  ['"1b"', "tiny", "tiny"],
  ['"1b"', "2b", '"2b"'],
  ['"1b"', '"2b"', '"2b"'],
  ["moe", "8x7b", '"8x7b"'],
  ["moe", "sparse", "sparse"],
])("%s is renamed to %s", async (word, newName, written) => {
  const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", { ...at(word), newName });
  const [change] = edit.documentChanges as TextDocumentEdit[];
  const after = TextDocument.applyEdits(TextDocument.create("", "cdr", 0, text), (change?.edits ?? []) as never);
  expect(after).toBe(text.replaceAll(word, written));
});
