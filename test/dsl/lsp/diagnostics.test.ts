/** Diagnostics as one types, and as files change around one. */
import { afterEach, expect, it, vi } from "vitest";
import { type Editor, startEditor, trained, uriOf } from "../../support/editor.ts";

let editor: Editor;
afterEach(() => editor.stop());

it("says what check says, with its version, and takes it back", async () => {
  editor = await startEditor();
  editor.open("a.cdr", "model m { family = llama, layrs = 4 }\n");
  const first = await editor.diagnostics("a.cdr", 1);
  const typo = first.diagnostics.find(({ code }) => code === "cdr/property-unknown");
  expect(typo?.message).toContain("layrs");
  expect(typo?.range.start).toEqual({ line: 0, character: 26 });
  expect(typo?.code).toBe("cdr/property-unknown");
  const range = { start: { line: 0, character: 26 }, end: { line: 0, character: 31 } };
  editor.change("a.cdr", [{ range, text: "layers" }]);
  const second = await editor.diagnostics("a.cdr", 2);
  expect(second.diagnostics.map(({ code }) => code)).not.toContain("cdr/property-unknown");
  editor.close("a.cdr");
  const last = await editor.diagnostics("a.cdr");
  expect(last.diagnostics).toBeDefined();
});

it("says of a file that is empty what check says", async () => {
  editor = await startEditor();
  editor.open("a.cdr", "// nothing yet\n");
  const { diagnostics } = await editor.diagnostics("a.cdr", 1);
  expect(diagnostics.map(({ code }) => code)).toEqual(["cdr/run-nothing"]);
});

it("names what is valid, all of it where no fix does", async () => {
  editor = await startEditor();
  editor.open("a.cdr", "let far = 3 parsecs\nmodel m { family = llama, layrs = 4, zzqx = 1 }\n");
  const { diagnostics } = await editor.diagnostics("a.cdr");
  const said = (word: string) => String(diagnostics.find(({ message }) => String(message).includes(word))?.message);
  expect(said("parsecs")).toMatch(/\nvalid: tokens, [^\n]*, %\nfix: /);
  expect(said("zzqx")).toMatch(/\nvalid: activation, .*window/);
  expect(said("layrs")).not.toContain("valid:");
});

it("counts in UTF-16: an emoji is two", async () => {
  editor = await startEditor();
  const text = 'data d { from = "🚀.txt", sede = 1 }\n';
  editor.open("a.cdr", text);
  const { diagnostics } = await editor.diagnostics("a.cdr", 1);
  const found = diagnostics.find(({ message }) => String(message).includes("sede"));
  expect(found?.range.start.character).toBe(text.indexOf("sede"));
});

it("an edit in an imported buffer that was not saved updates its importer", async () => {
  editor = await startEditor({ disk: { "lib.cdr": "model m { family = llama }\n" } });
  editor.open("main.cdr", 'import "./lib.cdr" { m }\nmodel n extends m { layers = 4, d_model = 64, heads = 4 }\n');
  const before = await editor.diagnostics("main.cdr", 1);
  expect(before.diagnostics.map(({ code }) => code)).not.toContain("cdr/import-unknown");
  const again = new Promise<void>((done) => {
    const timer = setInterval(() => {
      const seen = editor.pushed.filter(({ uri }) => uri === uriOf("main.cdr"));
      if (seen.at(-1)?.diagnostics.some(({ message }) => String(message).includes("`m`"))) {
        clearInterval(timer);
        done();
      }
    }, 5);
  });
  editor.open("lib.cdr", "model other { family = llama }\n");
  await again;
  expect(editor.pushed.at(-1)).toBeDefined();
});

it("a file that changes on disk is read again when it is told, and when it is asked for", async () => {
  editor = await startEditor({ disk: { "lib.cdr": "let x = 1\n" } });
  const { uri } = editor.open("main.cdr", 'import "./lib.cdr" { y }\n');
  const first = await editor.diagnostics("main.cdr", 1);
  expect(first.diagnostics.some(({ message }) => String(message).includes("y"))).toBe(true);
  editor.disk.set("/project/lib.cdr", "let y = 1\n");
  const next = editor.connection.sendNotification("workspace/didChangeWatchedFiles", {
    changes: [{ uri: uriOf("lib.cdr"), type: 2 }],
  });
  await next;
  const report = await editor.ask<{ items: unknown[] }>("textDocument/diagnostic", { textDocument: { uri } });
  expect(report.items).toEqual([]);
});

it("mistakes of an imported file are shown in that file", async () => {
  editor = await startEditor({ disk: { "lib.cdr": "model m { family = lama }\n" } });
  editor.open("main.cdr", 'import "./lib.cdr" { m }\nmodel n extends m {}\n');
  const { diagnostics } = await editor.diagnostics("lib.cdr");
  expect(diagnostics[0]?.message).toContain("lama");
});

it("pull: full once, then unchanged; nothing is pushed to a client that pulls", async () => {
  editor = await startEditor({ capabilities: { textDocument: { diagnostic: {} } } });
  const { uri } = editor.open("a.cdr", "model m { family = lama }\n");
  const ask = (previousResultId?: string) =>
    editor.ask<{ kind: string; resultId: string; items?: { code: string }[] }>("textDocument/diagnostic", {
      textDocument: { uri },
      ...(previousResultId === undefined ? {} : { previousResultId }),
    });
  const full = await ask();
  expect(full.kind).toBe("full");
  expect(full.items?.length).toBeGreaterThan(0);
  expect(await ask(full.resultId)).toEqual({ kind: "unchanged", resultId: full.resultId });
  editor.change("a.cdr", [{ text: trained }]);
  expect((await ask(full.resultId)).kind).toBe("full");
  expect(editor.pushed).toEqual([]);
});

it("pull with related documents: what is wrong in a file that only this one reads, until it is mended or opened", async () => {
  editor = await startEditor({
    disk: { "lib.cdr": "model m { family = lama }\n" },
    capabilities: { textDocument: { diagnostic: { relatedDocumentSupport: true } } },
  });
  const { uri } = editor.open("main.cdr", 'import "./lib.cdr" { m }\nlet x = 1\n');
  const related = async () =>
    (
      await editor.ask<{ relatedDocuments?: Record<string, { items: { message: string }[] }> }>(
        "textDocument/diagnostic",
        { textDocument: { uri } },
      )
    ).relatedDocuments;
  expect((await related())?.[uriOf("lib.cdr")]?.items[0]?.message).toContain("lama");
  editor.disk.set("/project/lib.cdr", "abstract model m { family = llama }\n");
  expect((await related())?.[uriOf("lib.cdr")]?.items).toEqual([]);
  expect(await related()).toBeUndefined();
  editor.open("lib.cdr", "model m { family = lama }\n");
  expect(await related()).toBeUndefined();
});

it("pull of the workspace speaks of files that nobody opened, and of several roots", async () => {
  editor = await startEditor({ disk: { "a.cdr": "model m { family = lama }\n", "sub/b.cdr": "let x = 1\n" } });
  const { items } = await editor.ask<{ items: { uri: string; items: unknown[] }[] }>("workspace/diagnostic", {
    previousResultIds: [],
  });
  const found = Object.fromEntries(items.map((item) => [item.uri, item.items.length]));
  expect(found[uriOf("a.cdr")]).toBeGreaterThan(0);
  expect(found[uriOf("sub/b.cdr")]).toBe(0);
});

it("a burst of edits ends with the diagnostics of the last", async () => {
  editor = await startEditor();
  editor.open("a.cdr", "");
  for (let i = 0; i < 60; i++) editor.change("a.cdr", [{ text: `model m { family = lama${i} }\n` }]);
  const { diagnostics } = await editor.diagnostics("a.cdr", 61);
  expect(diagnostics[0]?.message).toContain("lama59");
  expect(editor.pushed.length).toBeLessThan(60);
});

it("a request that was taken back is answered as such", async () => {
  editor = await startEditor();
  const { at } = editor.open("a.cdr", trained);
  const { CancellationTokenSource } = await import("vscode-languageserver-protocol/node");
  const source = new CancellationTokenSource();
  const asked = editor.connection.sendRequest("textDocument/hover", at, source.token).then(
    () => "answered",
    (error: { code: number }) => error.code,
  );
  source.cancel();
  expect(["answered", -32800]).toContain(await asked);
});

it("a text that comes back to what it was is said anew, and so is one that a request had analysed", async () => {
  editor = await startEditor();
  const { at } = editor.open("a.cdr", "model m { family = llama, layers = 4, d_model = 8, heads = 2 }\n");
  await editor.diagnostics("a.cdr", 1);
  const range = { start: { line: 0, character: 35 }, end: { line: 0, character: 36 } };
  editor.change("a.cdr", [{ range, text: "x" }]);
  await editor.ask("textDocument/hover", at);
  const broken = await editor.diagnostics("a.cdr", 2);
  expect(broken.diagnostics).not.toEqual([]);
  editor.change("a.cdr", [{ range, text: "4" }]);
  expect((await editor.diagnostics("a.cdr", 3)).diagnostics).toEqual([]);
});

it("what a comparison shows of a file's past is not the file", async () => {
  editor = await startEditor();
  const { at } = editor.open("a.cdr", "let fresh| = 1\n");
  void editor.connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri: "git:/project/a.cdr?ref=HEAD", languageId: "cdr", version: 1, text: "let past = 1\n" },
  });
  const found = await editor.ask<{ contents: { value: string } }>("textDocument/hover", at);
  expect(found.contents.value).toContain("let fresh");
});

it("lives on after an analysis and a request that throw", async () => {
  editor = await startEditor();
  const { disk } = editor;
  const read = disk.get.bind(disk);
  let throws = 0;
  disk.get = () => {
    throws += 1;
    throw new RangeError("Invalid string length");
  };
  const text = 'import "./lib.cdr" { m }\nmodel n extends m { layrs = 4 }\n';
  const { at } = editor.open("main.cdr", text);
  expect(await editor.ask("textDocument/hover", at)).toBeNull();
  expect(throws).toBeGreaterThan(0);
  disk.get = read;
  disk.set("/project/lib.cdr", "model m { family = llama }\n");
  editor.change("main.cdr", [{ text: `${text}\n` }]);
  const { diagnostics } = await editor.diagnostics("main.cdr", 2);
  expect(diagnostics.map(({ code }) => code)).toContain("cdr/property-unknown");
});

it("a file that changes on disk is judged again with its importer though nobody tells of it", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    editor = await startEditor({ disk: { "lib.cdr": "let x = 1\n" } });
    editor.open("main.cdr", 'import "./lib.cdr" { y }\n');
    const first = await editor.diagnostics("main.cdr", 1);
    expect(first.diagnostics).not.toEqual([]);
    editor.disk.set("/project/lib.cdr", "let y = 1\n");
    const mended = new Promise<void>((done) => {
      editor.connection.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }) => {
        if (uri === uriOf("main.cdr") && diagnostics.length === 0) done();
      });
    });
    vi.advanceTimersByTime(10_000);
    await mended;
  } finally {
    vi.useRealTimers();
  }
});

it.each([true, false])("folders that come and go, of a client that says it can tell of them: %s", async (can) => {
  editor = await startEditor({ capabilities: can ? { workspace: { workspaceFolders: true } } : {} });
  editor.disk.set("/other/a.cdr", 'import "./b.cdr" { zebra }\n');
  const found = async () => {
    const symbols = await editor.ask<{ name: string }[] | null>("workspace/symbol", { query: "zebra" });
    return (symbols ?? []).map(({ name }) => name);
  };
  editor.disk.set("/other/b.cdr", "let zebra = 1\n");
  expect(await found()).toEqual([]);
  const other = { uri: "file:///other", name: "other" };
  const change = (event: unknown) =>
    editor.connection.sendNotification("workspace/didChangeWorkspaceFolders", { event });
  await change({ added: [other], removed: [] });
  expect(await found()).toEqual(["zebra"]);
  await change({ added: [], removed: [other] });
  expect(await found()).toEqual([]);
});

it("says what is wrong at the points of a sweep once it has said the rest", async () => {
  editor = await startEditor();
  const sweep = "sweep w { stage = pretrain, vary { layout.micro_batch in [1 sample, 7 samples] } }\n";
  const healthy = trained.replace("30 min", "100 steps");
  editor.open("a.cdr", healthy + sweep);
  const first = await editor.diagnostics("a.cdr", 1);
  const later = await new Promise<(typeof first)["diagnostics"]>((done) => {
    const timer = setInterval(() => {
      const last = editor.pushed.at(-1)?.diagnostics ?? [];
      if (last.length <= first.diagnostics.length) return;
      clearInterval(timer);
      done(last);
    }, 5);
  });
  expect(first.diagnostics.filter(({ severity }) => severity === 1)).toEqual([]);
  const line = trained.split("\n").length - 1;
  expect(later.filter(({ severity }) => severity === 1).map(({ range }) => range.start.line)).toEqual([line]);
});
