/** Renames: every place that speaks of a declaration changes, and a name that would change a meaning is refused. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { TextDocumentEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { type Editor, startEditor, uriOf } from "../../support/editor.ts";

let editor: Editor;
beforeEach(async () => {
  editor = await startEditor({ disk: { "lib.cdr": library, "main.cdr": main, "words.cdr": words, ...typed } });
});
afterEach(() => editor.stop());

const library = `fn twice(width: Int, by: Int) = width * by
data mix {
  source web { from = "/a/*.txt", weight = 2 }
  source code { from = "/b/*.txt" }
  tokenizer = bytes
  curriculum { phase first { until = 50%, web.weight = 1 }, phase second { until = 100% } }
}
`;
const main = `import "./lib.cdr" { twice, mix }
param layers: Int = twice(width = 2, by = 2)
data more extends mix { source web { weight = 3 } }
model small { family = llama, layers = layers, d_model = 256, heads = 4, context = 256 tokens }
stage pre {
  model = small, data = mix, length = 1000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3)
}
preset p { layers = 5, mix.web.weight = 4, mix { curriculum { first.until = 40% } } }
preset q { more { web.weight = 5 }, model { vocab = 300 } }
sweep s { stage = pre, vary { layers in 1..2, optimizer.lr in [1e-3], small.heads in [2, 4] } }
test "t" { preset = p, layers = 9, assert twice(by = 3, width = 2) == 6 }
assert mix.web.weight == 2
`;

/** Both files with the name at a place of one of them given another. */
async function renamed(file: "lib.cdr" | "main.cdr", at: string, newName: string) {
  const text = file === "lib.cdr" ? library : main;
  const lines = text.slice(0, text.indexOf(at)).split("\n");
  const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", {
    textDocument: { uri: uriOf(file) },
    position: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
    newName,
  });
  const after = (name: string, before: string): string => {
    const changes = edit.documentChanges as TextDocumentEdit[];
    const edits = changes.find(({ textDocument }) => textDocument.uri === uriOf(name))?.edits ?? [];
    return TextDocument.applyEdits(TextDocument.create("file:///x", "cdr", 0, before), edits as never);
  };
  return { library: after("lib.cdr", library), main: after("main.cdr", main) };
}

const times = (text: string, word: string): number => text.match(new RegExp(`\\b${word}\\b`, "g"))?.length ?? 0;

it.each([
  ["lib.cdr", "web { from", "web", [2, 4]],
  ["main.cdr", "web.weight = 4", "web", [2, 4]],
  ["main.cdr", "web { weight", "web", [2, 4]],
  ["lib.cdr", "first", "first", [1, 1]],
  ["lib.cdr", "width:", "width", [2, 2]],
  ["main.cdr", "width = 2)", "width", [2, 2]],
] as const)("in %s at `%s`: wherever it is spoken of, in both files", async (file, at, word, counts) => {
  const found = await renamed(file, at, "zz");
  expect([times(found.library, word), times(found.main, word)]).toEqual([0, 0]);
  expect([times(found.library, "zz"), times(found.main, "zz")]).toEqual(counts);
});

it("of a param, where a sweep varies it", async () => {
  const found = await renamed("main.cdr", "layers: Int", "depth");
  expect(found.main).toContain("vary { depth in 1..2");
  expect(found.main).toContain("preset p { depth = 5");
  expect(found.main).toContain("layers = depth");
});

it("of a block, where a sweep varies what it says", async () => {
  expect((await renamed("main.cdr", "small {", "little")).main).toContain("little.heads in [2, 4]");
});

it.each(["true", "match", "import", "adamw", "model", "lr", "count"])(
  "`%s` is refused as a stage's name where it would break the file or mean something else, and taken where it does not",
  async (newName) => {
    const found = await renamed("main.cdr", "pre {", newName).catch((refusal: Error) => refusal);
    const harms = ["true", "match", "import", "model"].includes(newName);
    if (harms) expect(String(found)).toContain(`\`${newName}\``);
    else expect(found).toMatchObject({ main: expect.stringContaining(`stage ${newName} {`) as unknown });
  },
);

const words = `enum Scale { small, large }
param scale: Scale = small
/// Figures by scale.
let shapes = match scale { small => { layers = 2, width = 64 }, large => { layers = 4, width = 128 } }
fn deeper(s: Scale) = match s { small => shapes.layers, large => shapes.layers + 2 }
plugin clipped { role = loss, factory = "lab:clipped", param bound: Number = 2.0 }
data web { from = "/a/*.txt", tokenizer = bytes }
model tiny { family = llama, layers = deeper(small), d_model = shapes.width, heads = 4, context = 64 tokens }
stage pre {
  model = tiny, data = web, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3)
  loss = cross_entropy + clipped(bound = 3.0)
}
preset big { scale = large }
sweep s { stage = pre, vary { scale in [small, large] } }
test "t" { scale = small, assert scale == small and scale in [small] }
`;

async function renamedWord(at: string, newName: string) {
  const before = words.slice(0, words.indexOf(at)).split("\n");
  const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", {
    textDocument: { uri: uriOf("words.cdr") },
    position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 },
    newName,
  });
  const [change] = edit.documentChanges as TextDocumentEdit[];
  return TextDocument.applyEdits(TextDocument.create("file:///x", "cdr", 0, words), (change?.edits ?? []) as never);
}

it.each([
  ["a word of an enum, where it is declared", "small, large }", "small", "little"],
  ["a word of an enum, where it is meant", "small => shapes", "small", "little"],
  ["a field of a record, in all its rows", "layers = 2", "layers", "depth"],
  ["a field of a record, where it is requested", "width, heads", "width", "span"],
])("of %s", async (_, at, word, newName) => {
  const after = await renamedWord(at, newName);
  const isOther = (line: string) => word === "layers" && line.startsWith("model");
  const kept = after.split("\n").filter((line) => new RegExp(`\\b${word}\\b`).test(line));
  expect(kept.filter((line) => !isOther(line))).toEqual([]);
  expect(after.replaceAll(new RegExp(`\\b${newName}\\b`, "g"), word)).toBe(words);
});

it("of a param of a plugin, which Python goes on calling what it calls it", async () => {
  const after = await renamedWord("bound = 3.0", "limit");
  expect(after).toContain("param limit as bound: Number");
  expect(after).toContain("clipped(limit = 3.0)");
});

it("is refused where the new word is one that the enum has", async () => {
  await expect(renamedWord("small, large }", "large")).rejects.toThrow(/large/);
});

const typed = {
  "deep.cdr": `enum Scale { small, large }
param scale: Scale = small
fn width(of: Scale, by: Int) = match of { small => by, large => 2 * by }
`,
  "user.cdr": `import "./deep.cdr" as dd
param other: dd.Scale = large
param all: [dd.Scale] = [small, large]
param maybe: dd.Scale | none = none
fn doubled(x: dd.Scale) = match x { small => 2, large => 4 }
let count = dd.width(of = small, by = doubled(small))
assert dd.scale == small and dd.scale in [small, large]
`,
} as const;

it.each([
  ["a type, behind the name of its file", "user.cdr", "Scale = large", "Scale"],
  ["a type, where it is declared", "deep.cdr", "Scale {", "Scale"],
  ["a word of such a type", "user.cdr", "small => 2", "small"],
  ["a word of such a type, where it is declared", "deep.cdr", "small, large }", "small"],
  ["what an import calls the file", "user.cdr", "dd.Scale = large", "dd"],
  ["a parameter of a function behind it", "user.cdr", "of = small", "of"],
] as const)("of %s: all of both files", async (_, file, at, word) => {
  const before = typed[file].slice(0, typed[file].indexOf(at)).split("\n");
  const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", {
    textDocument: { uri: uriOf(file) },
    position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 },
    newName: "renamed",
  });
  for (const [name, text] of Object.entries(typed)) {
    const changes = edit.documentChanges as TextDocumentEdit[];
    const edits = changes.find(({ textDocument }) => textDocument.uri === uriOf(name))?.edits ?? [];
    const after = TextDocument.applyEdits(TextDocument.create("file:///x", "cdr", 0, text), edits as never);
    expect(after).toBe(text.replaceAll(new RegExp(`\\b${word}\\b`, "g"), "renamed"));
  }
});
