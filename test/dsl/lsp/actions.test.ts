/** What actions make of a file: a fix mends what it is offered for, and nothing that is added is a value that nobody chose. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CodeAction, SnippetTextEdit, TextDocumentEdit, TextEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { analyzer } from "../../../compiler/lsp/analyze.ts";
import { everyNode } from "../../../dsl/lsp/nodes.ts";
import { positionAt } from "../../../dsl/source/source.ts";
import { parse } from "../../../dsl/syntax/parse.ts";
import { unknown } from "../../../dsl/types/value.ts";
import { registry } from "../../../compiler/kinds/index.ts";
import { compile } from "../../../compiler/compile.ts";
import type { Diagnostic, Fix } from "../../../dsl/diagnostics/diagnostic.ts";
import { brokenFiles, diagnosticsOf } from "../../support/broken.ts";
import { type Editor, startEditor, uriOf } from "../../support/editor.ts";

const cases = join(import.meta.dirname, "../../baselines");

const judged = (text: string, place: string): readonly Diagnostic[] =>
  compile(
    { path: "main.cdr", text },
    {
      ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
      read: (path) => (existsSync(join(place, path)) ? readFileSync(join(place, path), "utf8") : undefined),
      ...{ environment: () => undefined, host: () => undefined },
    },
  ).diagnostics;

const mended = (text: string, { edits }: Fix): string =>
  edits
    .toSorted((a, b) => b.span.start - a.span.start)
    .reduce((t, { span, newText }) => t.slice(0, span.start) + newText + t.slice(span.end), text);

const isSyntax = ({ code }: Diagnostic): boolean => code.startsWith("cdr/syntax-");
const errors = (all: readonly Diagnostic[]) =>
  all.filter(({ severity }) => severity === "error").map(({ message }) => message);

/** Each fix that is not one: what it is offered for is still there, or a file that reads well has more errors than before. */
function useless(text: string, judge: (text: string) => readonly Diagnostic[]): string[] {
  const before = judge(text);
  return before.flatMap((diagnostic) => {
    const own = diagnostic.fixes.filter(({ edits }) => edits.every(({ span }) => span.source.text === text));
    return own.flatMap((fix) => {
      const after = judge(mended(text, fix));
      const same = (all: readonly Diagnostic[]) =>
        all.filter(({ code, message }) => code === diagnostic.code && message === diagnostic.message).length;
      // What stands behind a mistake in the syntax is read only when that is mended.
      const isWorse = !before.some(isSyntax) && errors(after).length > errors(before).length;
      if (same(after) < same(before) && !isWorse) return [];
      return [`${diagnostic.message}: ${fix.title}: ${errors(after).join("; ")}`];
    });
  });
}

describe("every fix mends what it is offered for", () => {
  it.each(readdirSync(cases))("in %s", (name) => {
    const place = join(cases, name);
    expect(useless(readFileSync(join(place, "main.cdr"), "utf8"), (text) => judged(text, place))).toEqual([]);
  });

  it.each(["cases.txt", "habits.txt", "pasted.txt", "elsewhere.txt"])("in the broken files of %s", (name) => {
    expect(brokenFiles(name).flatMap(({ text }) => useless(text, diagnosticsOf))).toEqual([]);
  });
});

describe("a refactoring changes nothing of what a file comes to", () => {
  const examples = join(import.meta.dirname, "../../../examples");

  it.each(["quickstart.cdr", "nemotron-cpt/cpt.cdr"])("%s, at each of its literals", async (name) => {
    const editor = await startEditor();
    const path = join(examples, name);
    const text = readFileSync(path, "utf8");
    editor.open("x.cdr", text);
    const source = { path, text };
    const come = (changed: string) => {
      const { plan, diagnostics } = analyzer({ environment: () => undefined, host: () => unknown })(
        { path, text: changed },
        (other) => (existsSync(other) ? readFileSync(other, "utf8") : undefined),
      );
      return { told: diagnostics.map(({ message }) => message), totals: plan.stages.map(({ total }) => total) };
    };
    const before = come(text);
    let tried = 0;
    for (const { kind, span } of everyNode(parse(source).file)) {
      if (!["number", "string", "bool"].includes(kind)) continue;
      const start = positionAt(source, span.start);
      const found = await editor.ask<CodeAction[]>("textDocument/codeAction", {
        textDocument: { uri: uriOf("x.cdr") },
        range: { start, end: start },
        context: { diagnostics: [], only: ["refactor"] },
      });
      for (const { title, edit } of found) {
        tried++;
        const [change] = (edit?.documentChanges ?? []) as TextDocumentEdit[];
        const changed = TextDocument.applyEdits(
          TextDocument.create("x", "cdr", 1, text),
          (change?.edits ?? []) as TextEdit[],
        );
        expect(come(changed), `${title} on line ${start.line + 1}`).toEqual(before);
      }
    }
    expect(tried).toBeGreaterThan(10);
    await editor.stop();
  });
});

describe("what is missing", () => {
  let editor: Editor;
  let count = 0;
  beforeAll(async () => {
    editor = await startEditor({ capabilities: { workspace: { workspaceEdit: { snippetEditSupport: true } } } });
  });
  afterAll(() => editor.stop());

  const added = async (marked: string) => {
    const name = `a${count++}.cdr`;
    const { position } = editor.open(name, marked);
    const found = await editor.ask<CodeAction[]>("textDocument/codeAction", {
      textDocument: { uri: uriOf(name) },
      range: { start: position, end: position },
      context: { diagnostics: [], only: ["quickfix"] },
    });
    return found
      .filter(({ title }) => title.startsWith("add"))
      .map(({ title, edit }) => {
        const [change] = (edit?.documentChanges ?? []) as TextDocumentEdit[];
        const [one] = change?.edits ?? [];
        const inserted = one === undefined ? "" : "snippet" in one ? one.snippet.value : one.newText;
        const text = marked.replace("|", "");
        const lines = text.split("\n");
        const offset = (line: number, character: number) =>
          lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + character;
        const { start, end } = (one as SnippetTextEdit).range;
        return {
          title,
          text:
            text.slice(0, offset(start.line, start.character)) +
            inserted +
            text.slice(offset(end.line, end.character)),
        };
      });
  };

  it("is left to be written, by a snippet where the client takes one", async () => {
    const [first] = await added("stage s| {\n  batch = 8 samples\n}\n");
    expect(first?.text).toContain("\n  model = $0\n\\}\n");
    const length = (await added("stage s| {\n  batch = 8 samples }\n")).find(({ title }) => title.includes("length"));
    expect(length?.text).toBe("stage s {\n  batch = 8 samples\n  length = $0\n\\}\n");
  });

  it("says which diagnostic it mends", async () => {
    const { uri, position } = editor.open("lacks.cdr", "stage s| { batch = 8 samples }\n");
    const found = await editor.ask<CodeAction[]>("textDocument/codeAction", {
      textDocument: { uri },
      range: { start: position, end: position },
      context: { diagnostics: [], only: ["quickfix"] },
    });
    expect(
      found.map(({ title, diagnostics }) => [
        title,
        JSON.stringify(diagnostics?.[0]?.message).slice(1).split(":")[0],
      ]),
    ).toEqual(
      ["model", "data", "length", "optimizer"].map((name) => [`add \`${name} =\``, `stage \`s\` needs \`${name}\``]),
    );
  });

  it("names what the file declares, each for itself", async () => {
    const titles = (
      await added("model a { family = llama }\nabstract model b { }\nmodel c extends b { }\nstage s| { }")
    )
      .map(({ title }) => title)
      .filter((title) => title.includes("model"));
    expect(titles).toEqual(["add `model = a`", "add `model = c`"]);
  });

  it("of every block of a selection, by its name", async () => {
    const text = "data d { }\nmodel m { family = gpt2 }\nstage s { model = m }\nstage t { model = m }\n";
    const { uri } = editor.open("all.cdr", text);
    const titles = async (lines: readonly [number, number]) => {
      const found = await editor.ask<CodeAction[]>("textDocument/codeAction", {
        textDocument: { uri },
        range: { start: { line: lines[0], character: 0 }, end: { line: lines[1], character: 0 } },
        context: { diagnostics: [], only: ["quickfix"] },
      });
      return found.map(({ title }) => title).filter((title) => title.includes("data"));
    };
    expect(await titles([0, 4])).toEqual(["add `data = d` to `stage t`", "add `data = d` to `stage s`"]);
    expect(await titles([3, 4])).toEqual(["add `data = d`"]);
  });

  it.each([
    ["between parentheses", "stage s { optimizer = ad|amw() }", ["adamw(lr = $0)"]],
    ["where there are none", "stage s { optimizer = ad|amw }", ["adamw(lr = $0)"]],
    ["behind others", "stage s { optimizer = adamw(eps| = 1e-8) }", ["adamw(eps = 1e-8, lr = $0)"]],
    ["of a function", "fn f(a: Int, b: Int, c: Int = 1) = a + b\nlet x = f(1|)", ["f(1, b = $0)"]],
    ["each of several", "fn f(a: Int, b: Int) = a + b\nlet x = f(|)", ["f(a = $0)", "f(b = $0)"]],
    ["not one that is there", "stage s { optimizer = adamw(l|r = 1e-3) }", []],
  ])("an argument %s", async (_, marked, wanted) => {
    const found = (await added(marked)).map(({ text }) => text).filter((text) => /\([^()]*\$0/.test(text));
    expect(found).toHaveLength(wanted.length);
    for (const [index, text] of found.entries()) expect(text).toContain(wanted[index]);
  });

  it("is told of the blocks inside as well, and not of one that others are to complete", async () => {
    expect((await added("data d { source web| { } }")).map(({ title }) => title)).toContain("add `from =`");
    expect(await added("abstract stage s| { }")).toEqual([]);
    expect(await added("stage s| { batch = 8 samples")).toEqual([]);
  });

  it("is never a value that nobody chose", async () => {
    for (const kind of Object.values(registry.kinds))
      for (const { title } of await added(`${kind.name} x| { }`)) expect(title, kind.name).toMatch(/^add `\w+ =`$/);
  });
});

describe("what stands in a wrong place", () => {
  const head = `data corpus { from = "x.txt" }
model m { family = gpt2, layers = 4, d_model = 128, heads = 4, vocab = 300, context = 128 tokens }
stage e {
  model = m
  data = corpus
  length = 100 steps
  batch = 8 samples
  optimizer = adamw(lr = 1e-3)
`;
  let editor: Editor;
  let count = 0;
  beforeAll(async () => {
    editor = await startEditor({});
  });
  afterAll(() => editor.stop());

  /** The file after the action that moves, or null where none is offered. */
  async function moved(marked: string): Promise<string | null> {
    const { uri, position } = editor.open(`move${count++}.cdr`, marked);
    const params = { textDocument: { uri }, range: { start: position, end: position }, context: { diagnostics: [] } };
    const actions = (await editor.ask<CodeAction[] | null>("textDocument/codeAction", params)) ?? [];
    const action = actions.find(({ title }) => /^(?:move|put) it /.test(title));
    const [change] = (action?.edit?.documentChanges ?? []) as TextDocumentEdit[];
    const text = marked.replace("|", "");
    const document = TextDocument.create("file:///x", "cdr", 0, text);
    return change === undefined ? null : TextDocument.applyEdits(document, change.edits as TextEdit[]);
  }

  it.each([
    [
      "a group at the top",
      `${head}}\n|checkpoint { every = 10 steps }\n`,
      `${head}  checkpoint { every = 10 steps }\n}\n`,
    ],
    [
      "a group of several lines, which has a kind's name",
      `${head}}\n|eval {\n  every = 10 steps\n  // four\n  length = 4 batches\n}\n`,
      `${head}  eval {\n    every = 10 steps\n    // four\n    length = 4 batches\n  }\n}\n`,
    ],
    [
      "a group of another kind",
      `${head}  |split { val = 2% }\n}\n`,
      `${head}}\n`.replace('"x.txt" }', '"x.txt", split { val = 2% } }'),
    ],
    ["a bound of a group", `${head}  |zero_stage <= 2\n}\n`, `${head}  layout { zero_stage <= 2 }\n}\n`],
    [
      "a block inside a group that belongs beside it",
      `${head}  eval { every = 5 steps, |checkpoint { every = 10 steps } }\n}\n`,
      `${head}  eval { every = 5 steps, }\n  checkpoint { every = 10 steps }\n}\n`,
    ],
    [
      "a block that is declared at the top",
      `${head}  |model n extends m { layers = 2 }\n}\n`,
      `${head}}\n`.replace("stage e", "model n extends m { layers = 2 }\nstage e"),
    ],
  ])("is moved: %s", async (_, text, after) => expect(await moved(text)).toBe(after));

  it.each([
    ["two stages take it", `${head}}\nstage f extends e { seed = 2 }\n|checkpoint { every = 10 steps }\n`],
    ["it is said there already", `${head}  checkpoint { every = 5 steps }\n}\n|checkpoint { every = 10 steps }\n`],
    ["no place takes it", `${head}  |gradient_noise = 3\n}\n`],
  ])("stays where %s", async (_, text) => expect(await moved(text)).toBe(null));
});

describe("a name that another file of the workspace declares", () => {
  let editor: Editor;
  beforeAll(async () => {
    const lib = "model m { family = llama, layers = 2, d_model = 64, heads = 2, context = 64 tokens, vocab = 300 }\n";
    editor = await startEditor({
      disk: {
        "lib/base.cdr": `${lib}let amount = 100 steps\n`,
        "lib/says.cdr": 'import "./base.cdr" { m }\n// amount\n',
      },
    });
  });
  afterAll(() => editor.stop());

  const titles = async (name: string, marked: string): Promise<string[]> => {
    const { uri, position } = editor.open(name, marked);
    const params = { textDocument: { uri }, range: { start: position, end: position }, context: { diagnostics: [] } };
    return ((await editor.ask<CodeAction[] | null>("textDocument/codeAction", params)) ?? []).map(
      ({ title }) => title,
    );
  };

  it("is imported from where it is declared, and from nowhere else", async () => {
    expect(await titles("run/one.cdr", "stage s { model = |m }\n")).toContain('import `m` from "../lib/base.cdr"');
    const found = await titles("two.cdr", "stage s { length = |amount }\n");
    expect(found.filter((title) => title.startsWith("import"))).toEqual(['import `amount` from "./lib/base.cdr"']);
  });
});
