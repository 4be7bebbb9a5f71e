/** A param is known by its name in the whole program: presets, overlays and tests set it without an import, and the editor knows it there. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { CompletionItem, Hover, Location, MarkupContent, WorkspaceEdit } from "vscode-languageserver-protocol";
import { type Editor, startEditor, uriOf } from "../../support/editor.ts";

const library = `/// Shared.
param rate: Float in 0..1 = 1e-3
param nodes: Int in 1..8 = 2
data corpus { from = "x.txt" }
`;
const middle = '/// Between.\nimport "./lib.cdr" { corpus }\n';
let editor: Editor;
beforeAll(async () => {
  editor = await startEditor({ disk: { "lib.cdr": library, "middle.cdr": middle } });
});
afterAll(() => editor.stop());

let count = 0;
const open = (body: string) => editor.open(`p${count++}.cdr`, `import "./middle.cdr" as between\n${body}\n`);

it.each(["preset fast { ra|te = 3e-3 }", "overlay big { ra|te = 1e-4 }", 'test "t" { ra|te = 1e-4 }'])(
  "is found from %s",
  async (body) => {
    const { at } = open(body);
    const found = await editor.ask<Location>("textDocument/definition", at);
    expect([found.uri, found.range.start.line]).toEqual([uriOf("lib.cdr"), 1]);
    const hover = await editor.ask<Hover>("textDocument/hover", at);
    expect((hover.contents as MarkupContent).value).toContain("param rate: Float in 0..1 = 1e-3");
  },
);

it("is offered, and renamed with the rest", async () => {
  const empty = open("preset fast { | }");
  const items = await editor.ask<CompletionItem[] | { items: CompletionItem[] }>("textDocument/completion", empty.at);
  const labels = (Array.isArray(items) ? items : items.items).map(({ label }) => label);
  expect(labels).toEqual(expect.arrayContaining(["rate", "nodes"]));

  const set = open("preset slow { no|des = 3 }");
  const renamed = await editor.ask<WorkspaceEdit>("textDocument/rename", { ...set.at, newName: "machines" });
  const changed = (renamed.documentChanges ?? []).flatMap((c) => ("textDocument" in c ? [c.textDocument.uri] : []));
  expect(changed).toEqual(expect.arrayContaining([set.uri, uriOf("lib.cdr")]));
});

it("is not found where two files declare it", async () => {
  const { at } = open("param rate: Int = 3\noverlay o { ra|te = 4 }");
  const found = await editor.ask<Location>("textDocument/definition", at);
  expect(found.uri).toBe(at.textDocument.uri);
  const own = editor.open(
    "twice.cdr",
    'import "./middle.cdr" as between\nimport "./other.cdr" as other\npreset p { ra|te = 1 }\n',
  );
  editor.open("other.cdr", "param rate: Int = 1\n");
  expect(await editor.ask("textDocument/definition", own.at)).toBe(null);
});
