/** Every other feature, asked for as an editor asks. `|` is the cursor. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  CallHierarchyItem,
  CodeAction,
  CompletionItem,
  DocumentHighlight,
  DocumentSymbol,
  FoldingRange,
  Hover,
  Location,
  MarkupContent,
  SelectionRange,
  SemanticTokens,
  SignatureHelp,
  TextDocumentEdit,
  TextEdit,
  TypeHierarchyItem,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { lex } from "../../../dsl/lexer/lex.ts";
import { positionAt } from "../../../dsl/source/source.ts";
import { type Editor, startEditor, trained, uriOf } from "../../support/editor.ts";

const library = "/// Shared.\nmodel shared { family = llama }\n";
const user = 'import "./lib.cdr" { shared }\nmodel own extends shared { layers = 4 }\n';
let editor: Editor;
beforeAll(async () => {
  editor = await startEditor({ disk: { "lib.cdr": library, "user.cdr": user, "corpus/a.txt": "x" } });
});
afterAll(() => editor.stop());

let count = 0;
const open = (text: string) => editor.open(`f${count++}.cdr`, text);
const whole = { start: { line: 0, character: 0 }, end: { line: 999, character: 0 } };

async function hover(text: string): Promise<string> {
  const found = await editor.ask<Hover | null>("textDocument/hover", open(text).at);
  return (found?.contents as MarkupContent | undefined)?.value ?? "";
}

function applied(text: string, edits: readonly TextEdit[]): string {
  return TextDocument.applyEdits(TextDocument.create("file:///x", "cdr", 0, text), [...edits]);
}

const editsOf = (edit: WorkspaceEdit | undefined, uri: string): TextEdit[] =>
  (edit?.documentChanges as TextDocumentEdit[] | undefined)?.find((d) => d.textDocument.uri === uri)
    ?.edits as TextEdit[];

describe("hover", () => {
  it("on a field of a table says its value in the row that is taken", async () => {
    const table = `param large: Bool = true
let table = if large then { nodes = 4 * 2, inner = { rank = 3 } } else { nodes = 1, inner = { rank = 2 } }
let used = `;
    expect(await hover(`${table}table.no|des`)).toMatch(/`= 8`/);
    expect(await hover(`${table}table.inner.ra|nk`)).toMatch(/`= 3`/);
  });

  it("of a property: type, documentation, value and origin", async () => {
    const text = await hover("param wide: Int = 512\nmodel m {\n  family = llama\n  d_mod|el = wide * 2\n}");
    expect(text).toContain("width of the residual stream");
    expect(text).toContain("whole number");
    expect(text).toContain("= 1024");
    expect(text).toContain(":4");
  });
  it("of a computed value: the chain behind it, down to what is written", async () => {
    const text = await hover(
      "param nodes: Int = 2\nlet ranks = nodes * 8\nmodel m { family = llama, d_model = 512 }\nstage s {\n  model = m\n  batch| = 4 * ranks * 1 samples\n}",
    );
    expect(text).toContain("`= 64 samples`");
    expect(text).toContain("as `4 * ranks * 1 samples`");
    expect(text).toMatch(/\n- `let ranks = 16`: written at .*:2\n {2}- `param nodes = 2`: param nodes, its default/);
  });
  it("of a name that is read: its chain too", async () => {
    const text = await hover("param nodes: Int = 2\nlet ranks = nodes * 8\nlet half = ran|ks / 2\n");
    expect(text).toMatch(/`= 16`: written at .*:2 as `nodes \* 8`\n\n- `param nodes = 2`/);
  });
  it("of what is left open: what the planner chose, and why", async () => {
    const open = trained
      .replace("warmup = 30 min", "warmup = 1%")
      .replace("  batch     =", "  layout { zero_sta|ge <= 2 }\n  batch     =");
    expect(await hover(open)).toMatch(/in the plan `= [0-2]`: chosen by the planner: /);
  });
  const sweep = `${trained.replace("warmup = 30 min", "warmup = 1%")}
sweep w { stage = pretrain, vary { optimizer.lr in [1e-4, 3e-4], seed in 1..3 } }
overlay o { stage { seed = 7 } }
let wide = small with { d_model = 512 }
`;
  it.each([
    ["the digits of a number", "let cap = |2 MiB", ["2 MiB", "- 2_097_152 bytes"]],
    ["a unit inside a price", "gpu g { price = 2.5 us|d/gpu/h }", ["- 60 usd/gpu/d"]],
    ["an exponent", "stage s { optimizer = adamw(lr = 3|e-4) }", ["`0.0003`", "peak learning rate", "`= 3e-4`"]],
    ["an argument without a name", "stage s { checkpoint { keep = [last(|3)] } }", ["`last(count = …)`: how many"]],
    ["an end of a range", "stage s { layout { micro_batch in 1..1|6 samples } }", ["samples per rank"]],
    ["a text", 'data d { from = "cor|pus/*.txt" }', ["`data.from`"]],
    ["a word of the grammar", "stage s ext|ends t { }", ["starts as a copy of another block"]],
    ["the file of an import", 'import "std/clu|sters" { dgx_h100 }', ["Machines that many people have"]],
    ["a fact of this machine", "param n: Int = host.gp|us", ["GPUs of this machine"]],
    ["a function of the language", 'param n: Path = en|v("N", default = "x")', ["environment variable"]],
    ["what an expect does", "stage s { expect loss <= 3 else roll|back(to = best) }", ["return to a checkpoint"]],
    ["a name in a formula over rows", "data d { keep = [lang|uage(en) >= 0.65] }", ["confidence"]],
    ["a key that a block takes as any", 'launch l { env { NC|CL_DEBUG = "WARN" } }', ["a key of `env`"]],
    ["what a sweep varies", sweep.replace("seed in", "se|ed in"), ["stage.seed", "`= 42`: default of stage"]],
    ["a value that a sweep takes", sweep.replace("1e-4,", "|1e-4,"), ["`0.0001`", "peak learning rate"]],
    ["a kind's word in an overlay", sweep.replace("o { stage", "o { sta|ge"), ["amends `pretrain`"]],
    ["what `with` says anew", sweep.replace("d_model = 512", "d_mod|el = 512"), ["`= 512`: written at"]],
    ["what a cluster derives", `${sweep}assert pod.gp|us == 16 gpu\n`, ["`= 16"]],
    ["what a model derives", `${sweep}assert small.para|meters > 1M params\n`, ["125,258,496 parameters"]],
    ["what a plan says", `${sweep}assert pretrain.plan.memory.pe|ak < 80 GB\n`, ["in the plan `= ", " GB"]],
    ["a length in whole samples", sweep.replace("2B tokens", "20|B tokens"), ["76,294 steps, 19,531,264 samples"]],
    [
      "a length, by the plan",
      sweep.replace("2B tokens", "2|B tokens"),
      ["`2_000_000_000 tokens`", "in the plan: ", " steps"],
    ],
  ])("of %s", async (_, text, words) => {
    const said = await hover(text);
    for (const word of words) expect(said).toContain(word);
  });
  it("of a bound on hours: that it is one, and no stretch of the training", async () => {
    const bound = (at: string): string => `${sweep.replace("  batch     =", `  ${at}\n  batch     =`)}`;
    expect(await hover(bound("ti|me <= 90 h"))).toContain("`<= 90 h`: written at");
    expect(await hover(bound("time <= 9|0 h"))).not.toContain("in the plan");
  });
  it("of every word and number of a file, but comments", async () => {
    const { uri } = open(sweep);
    const source = { path: "sweep.cdr", text: sweep };
    const words = lex(source).tokens.filter(({ image }) => /^[\w"]/.test(image));
    const silent: string[] = [];
    for (const { image, startOffset } of words) {
      const position = positionAt(source, startOffset);
      const found = await editor.ask("textDocument/hover", { textDocument: { uri }, position });
      if (found === null) silent.push(`${position.line + 1}: ${image}`);
    }
    expect(silent).toEqual([]);
    expect(words.length).toBeGreaterThan(60);
  });
  it("of auto: what the sizer derived", async () => {
    const text = await hover(trained.replace("auto(total", "au|to(total"));
    expect(text).toMatch(/layers \d+, d_model \d+/);
    expect(text).toContain("parameters");
  });
  it("of a stage: the plan", async () => {
    const text = await hover(
      trained.replace("warmup = 30 min", "warmup = 1%").replace("stage pretrain", "stage pre|train"),
    );
    expect(text).toMatch(/GPU-hours/);
    expect(text).toMatch(/steps/);
  });
  it("of a unit: its conversions", async () => {
    const text = await hover("stage s { checkpoint { every = 90 m|in } }");
    expect(text).toContain("1.5 h");
    expect(text).toContain("5400 s");
  });
  it("of a compound unit: its conversions, one word at a time and as one word", async () => {
    expect(await hover("gpu g { price = 2.5 usd/gpu/|h }")).toContain("- 60 usd/gpu/d");
    expect(await hover("let x = 20 tok|ens/param")).toContain(": tokens for each param");
    const speed = await hover("gpu g { bandwidth = 3 GB|/s }");
    expect(speed).toContain("- 3000 MB/s");
    expect(speed).toContain("- 24 Gbps");
  });
  it.each(["warmup = |1%", "warmup = 1|%"])("of a share, %s: what it comes to", async (place) => {
    const text = await hover(trained.replace("2B tokens", "2000 steps").replace("warmup = 30 min", place));
    expect(text).toContain("a share of the run");
    expect(text).toMatch(/`= 20 steps`, .* of 2,000 steps/);
  });
  it("of a share of the peak rate: the rate", async () => {
    const text = await hover(trained.replace("warmup = 30 min", "to = |10%"));
    expect(text).toContain("`= 6e-5` of 6e-4");
  });
  it.each([
    ["a group's", "pre { checkpoint { eve|ry = 30 min } }", "= 30 min", ":2"],
    ["a preset's", "preset p { pre.ba|tch = 16 samples }", "= 8 samples", ":1"],
    ["an amendment's", "pre.optimizer.l|r = 5e-4", "= 5e-4", ":2"],
  ])("on %s amending path: the value in the end, and its origin", async (_, amendment, value, origin) => {
    const text = await hover(`stage pre { batch = 8 samples, optimizer = adamw(lr = 1e-3) }\n${amendment}\n`);
    expect(text).toContain(value);
    expect(text).toContain(origin);
  });
  it("of a parameter, a constructor, an import, a builtin", async () => {
    expect(await hover("stage s { optimizer = adamw(l|r = 1e-4) }")).toContain("peak learning rate");
    expect(await hover("stage s { optimizer = ada|mw(lr = 1e-4) }")).toContain("Adam");
    expect(await hover('import "std/clusters" { dgx_h|100 }')).toContain("H100");
    expect(await hover("let x = mi|n(1, 2)")).toContain("smallest");
  });
  it("of a declaration: its first line, whole or cut with a mark", async () => {
    expect(await hover('param w: Int = 3\nlet |s = "a ${w} b"\n')).toContain('let s = "a ${w} b"\n');
    expect(await hover("let t| = {\n  a = 1\n}\n")).toContain("let t = { …\n");
    const numbers = Array.from({ length: 200 }, (_, i) => i).join(", ");
    const [, title = ""] = (await hover(`let al|l = [${numbers}]\n`)).split("\n");
    expect(title.length).toBeLessThan(130);
    expect(title).toMatch(/ …$/);
  });
  it("of a parameter: its type", async () => {
    expect(await hover("fn f(wide: Int, by: Number = 2) = wi|de * by\n")).toContain("wide: Int\n");
  });
  it("says where a default came from, and what won over it", async () => {
    const kept = await hover("stage s { seed| = 3 }\npreset p { s.seed = 4 }\n");
    expect(kept).toMatch(/`= 3`: written at .*:1$/);
    const amended = await hover("stage s { seed| = 3 }\ns.seed = 4\n");
    expect(amended).toMatch(/`= 4`: written at .*:2$/);
  });
});

describe("names", () => {
  const at = (text: string, method: string, more = {}) => {
    const document = open(text);
    return editor.ask<Location[]>(`textDocument/${method}`, { ...document.at, ...more });
  };

  it("definition in the file, in another one, in the standard library; a comprehension's variable", async () => {
    const here = await editor.ask<Location>("textDocument/definition", open("let a = 1\nlet b = |a").at);
    expect(here.range.start).toEqual({ line: 0, character: 4 });
    const other = await editor.ask<Location>("textDocument/definition", open('import "./lib.cdr" { shar|ed }').at);
    expect(other).toEqual({
      uri: uriOf("lib.cdr"),
      range: { start: { line: 1, character: 6 }, end: { line: 1, character: 12 } },
    });
    const file = await editor.ask<Location>("textDocument/definition", open('import "./l|ib.cdr" { shared }').at);
    expect([file.uri, file.range.start.line]).toEqual([uriOf("lib.cdr"), 0]);
    const std = await editor.ask<Location>(
      "textDocument/definition",
      open('import "std/clusters" { laptop }\ncluster c extends lap|top {}').at,
    );
    expect(std.uri).toContain("std/clusters");
    const local = await editor.ask<Location>("textDocument/definition", open("let x = [|i * 2 for i in [1, 2]]").at);
    expect(local.range.start.character).toBe("let x = [i * 2 for ".length);
  });

  it("definition of a member of an enum, here and in another file", async () => {
    const kinds = "enum Kind { core, other }\nparam k: Kind = co|re\n";
    const here = await editor.ask<Location>("textDocument/definition", open(kinds).at);
    expect(here.range.start).toEqual({ line: 0, character: 12 });
    editor.open("kinds.cdr", "enum Kind { core, other }\n");
    const text = 'import "./kinds.cdr" { Kind }\nparam k: Kind = other\nlet n = match k { core => 1, oth|er => 2 }\n';
    const other = await editor.ask<Location>("textDocument/definition", open(text).at);
    expect([other.uri, other.range.start.character]).toEqual([uriOf("kinds.cdr"), 18]);
  });

  it.each([
    ["its declaration", "let t = { inner = { ra|nk = 3 } }\nlet used = t.inner.rank\n"],
    ["its use", "let t = { inner = { rank = 3 } }\nlet used = t.inner.ra|nk\n"],
  ])("references of a field of a field, from %s", async (_, text) => {
    const found = await at(text, "references", { context: { includeDeclaration: true } });
    expect(found.map(({ range }) => range.start)).toEqual([
      { line: 0, character: 20 },
      { line: 1, character: 19 },
    ]);
  });

  it("rename of a field, in every row that has it and in what a function gives", async () => {
    const text =
      "param large: Bool = true\nlet t = if large then { a = { b = 1 } } else { a = { b = 2 } }\nlet u = t.a.|b\nfn f() = { c = 1 }\nlet v = f().c\n";
    const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", { ...open(text).at, newName: "rank" });
    const [{ edits = [] } = {}] = edit.documentChanges as TextDocumentEdit[];
    expect(applied(text.replace("|", ""), edits as TextEdit[])).toBe(
      text.replace("|", "").replaceAll(/\bb\b/g, "rank"),
    );
    const given = await editor.ask<WorkspaceEdit>("textDocument/rename", {
      ...open(text.replace("|", "").replace("f().c", "f().|c")).at,
      newName: "rank",
    });
    expect((given.documentChanges as TextDocumentEdit[])[0]?.edits).toHaveLength(2);
  });

  it("definition of a handle: the stage that makes it", async () => {
    const found = await editor.ask<Location>(
      "textDocument/definition",
      open("stage pre { seed = 1 }\nstage post { from = pre.la|st }\n").at,
    );
    expect(found.range.start).toEqual({ line: 0, character: 6 });
  });

  it("references over the workspace, unsaved buffers among them", async () => {
    const found = await at('import "./lib.cdr" { shar|ed }\nmodel n extends shared {}', "references", {
      context: { includeDeclaration: true },
    });
    const uris = found.map(({ uri }) => uri);
    expect(uris).toContain(uriOf("lib.cdr"));
    expect(uris.filter((uri) => uri === uriOf("user.cdr"))).toHaveLength(2);
    expect(uris.filter((uri) => uri.includes("/f"))).not.toHaveLength(0);
  });

  it("references inside interpolations and types", async () => {
    const found = await at('enum Siz|e { a }\nparam p: Size = a\nlet n = "${p}"', "references", {
      context: { includeDeclaration: false },
    });
    expect(found).toHaveLength(1);
  });

  it("highlights: written and read", async () => {
    const found = await editor.ask<DocumentHighlight[]>(
      "textDocument/documentHighlight",
      open("model m { family = llama }\n|m.layers = 4\nlet x = m.layers").at,
    );
    expect(found.map(({ range, kind }) => [range.start.line, kind])).toEqual([
      [0, 3],
      [1, 2],
      [2, 2],
    ]);
  });

  it("rename, in every file that speaks of it", async () => {
    const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", {
      textDocument: { uri: uriOf("lib.cdr") },
      position: { line: 1, character: 7 },
      newName: "common",
    });
    expect(applied(user, editsOf(edit, uriOf("user.cdr")))).toBe(user.replaceAll("shared", "common"));
    expect(applied(library, editsOf(edit, uriOf("lib.cdr")))).toContain("model common");
  });

  it("rename of an alias stays in its file", async () => {
    const text = 'import "./lib.cdr" { shared as s }\nmodel n extends s {}\n';
    const document = open(text);
    const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", {
      textDocument: { uri: document.uri },
      position: { line: 1, character: 16 },
      newName: "base",
    });
    expect(edit.documentChanges).toHaveLength(1);
    expect(applied(text, editsOf(edit, document.uri))).toBe(
      'import "./lib.cdr" { shared as base }\nmodel n extends base {}\n',
    );
  });

  it.each([
    ["the standard library", 'import "std/clusters" { lap|top }', "x"],
    ["a word of the language", "model m { lay|ers = 4 }", "x"],
    ["a name that is taken", "let a| = 1\nlet b = 2", "b"],
    ["what is not a name", "let a| = 1", "a-b"],
  ])("rename refuses %s", async (_, text, newName) => {
    const { at: place } = open(text);
    await expect(editor.ask("textDocument/rename", { ...place, newName })).rejects.toThrow(/`/);
  });

  it("prepares a rename, and refuses one", async () => {
    const prepared = await editor.ask("textDocument/prepareRename", open("let wid|th = 1").at);
    expect(prepared).toMatchObject({ placeholder: "width" });
    await expect(editor.ask("textDocument/prepareRename", open("mod|el m {}").at)).rejects.toThrow(/language/);
  });

  it("symbols of a document and of the workspace", async () => {
    const { uri } = open(trained);
    const symbols = await editor.ask<DocumentSymbol[]>("textDocument/documentSymbol", { textDocument: { uri } });
    expect(symbols.map(({ name, detail }) => [name, detail])).toContainEqual(["pretrain", "stage"]);
    expect(symbols.find(({ name }) => name === "small")?.children?.map(({ name }) => name)).toContain("context");
    const found = await editor.ask<{ name: string }[]>("workspace/symbol", { query: "shrd" });
    expect(found.map(({ name }) => name)).toContain("shared");
  });

  it("who extends whom, and who speaks of whom", async () => {
    const [item] = await editor.ask<TypeHierarchyItem[]>("textDocument/prepareTypeHierarchy", {
      textDocument: { uri: uriOf("lib.cdr") },
      position: { line: 1, character: 7 },
    });
    const below = await editor.ask<TypeHierarchyItem[]>("typeHierarchy/subtypes", { item });
    expect(below.map(({ name }) => name)).toContain("own");
    const above = await editor.ask<TypeHierarchyItem[]>("typeHierarchy/supertypes", {
      item: below.find((i) => i.name === "own"),
    });
    expect(above.map(({ name }) => name)).toEqual(["shared"]);
    const { at: place } = open(trained.replace("stage pretrain", "stage |pretrain"));
    const [stage] = await editor.ask<CallHierarchyItem[]>("textDocument/prepareCallHierarchy", place);
    const out = await editor.ask<{ to: CallHierarchyItem }[]>("callHierarchy/outgoingCalls", { item: stage });
    expect(out.map(({ to }) => to.name)).toEqual(expect.arrayContaining(["small", "text"]));
    const into = await editor.ask<{ from: CallHierarchyItem }[]>("callHierarchy/incomingCalls", {
      item: out.find(({ to }) => to.name === "small")?.to,
    });
    expect(into.map(({ from }) => from.name)).toContain("pretrain");
  });
});

describe("writing", () => {
  const actions = async (text: string, only?: string[]) => {
    const { uri, position } = open(text);
    const found = await editor.ask<CodeAction[]>("textDocument/codeAction", {
      textDocument: { uri },
      range: { start: position, end: position },
      context: { diagnostics: [], ...(only === undefined ? {} : { only }) },
    });
    return found.map((action) => ({ ...action, text: applied(text.replace("|", ""), editsOf(action.edit, uri)) }));
  };

  it("signature help: the parameter that is being given", async () => {
    const first = await editor.ask<SignatureHelp>(
      "textDocument/signatureHelp",
      open("stage s { optimizer = adamw(|").at,
    );
    expect(first.signatures[0]?.label).toMatch(/^adamw\(lr, betas = \[0.9/);
    const named = await editor.ask<SignatureHelp>(
      "textDocument/signatureHelp",
      open("stage s { optimizer = adamw(lr = 1e-4, eps = |").at,
    );
    const active = named.activeParameter ?? -1;
    expect(named.signatures[0]?.parameters?.[active]?.label).toMatch(/^eps/);
    const inName = await editor.ask<SignatureHelp>(
      "textDocument/signatureHelp",
      open("stage s { optimizer = adamw(lr = 1e-4, be|tas = [0.9, 0.95]) }").at,
    );
    expect(inName.signatures[0]?.parameters?.[inName.activeParameter ?? -1]?.label).toMatch(/^betas/);
    const own = await editor.ask<SignatureHelp>(
      "textDocument/signatureHelp",
      open("fn f(a: Int, b: Int = 2) = a\nlet x = f(1, |").at,
    );
    expect(own.signatures[0]?.label).toBe("f(a: Int, b: Int = 2)");
    expect(own.activeParameter).toBe(1);
  });

  it("signature help and completion in a call of a plugin, what it inherits among it", async () => {
    const plugins = [
      "abstract plugin part {",
      "  role = loss",
      '  factory = "m:f"',
      "  param scale: Number = 1.0",
      "}",
      "/// Of what fired together.",
      "plugin correlation extends part {",
      "  /// where it stops",
      "  param clamp: Number = 2.0",
      "}",
    ].join("\n");
    const call = open(`${plugins}\nstage s { loss = cross_entropy + correlation(scale = |`).at;
    const help = await editor.ask<SignatureHelp>("textDocument/signatureHelp", call);
    expect(help.signatures[0]).toMatchObject({
      label: "correlation(clamp = 2.0, scale = 1.0)",
      documentation: "Of what fired together.",
    });
    expect(help.signatures[0]?.parameters?.[0]?.documentation).toMatch(/^where it stops: a number/);
    expect(help.activeParameter).toBe(1);
    const inside = open(`${plugins}\nstage s { loss = cross_entropy + correlation(scale = 2.0, |`).at;
    const items = await editor.ask<CompletionItem[]>("textDocument/completion", inside);
    expect(items.map(({ label }) => label)).toEqual(["clamp"]);
  });

  it("every fix that a diagnostic offers", async () => {
    const found = await actions("model m { family = llama, lay|rs = 4 }");
    expect(found.find(({ kind }) => kind === "quickfix")?.text).toContain("layers = 4");
    expect(found[0]?.diagnostics?.[0]?.code).toBe("cdr/property-unknown");
  });

  it.each([
    ["what is refused itself", "model g { family = gpt2, layers = 4, d_model = 256, heads = 4, rope_theta = 1|0 }"],
    ["an error of the syntax", "import tor|ch\n"],
    ["a name that nobody declares", 'cluster c { nodes = 1, gpu = "Foo9|000" }'],
  ])("offers no fix that comes to %s", async (_, text) => {
    const found = await actions(text, ["quickfix"]);
    // Properties that a block lacks besides are another matter.
    const mended = found.flatMap(({ diagnostics = [] }) => diagnostics).map(({ code }) => code);
    expect(mended.filter((code) => code !== "cdr/property-missing")).toEqual([]);
  });

  it.each([
    ["a name that stands for a block", "stage s { eval_ev|ery = 100 steps }", "eval { every = 100 steps }"],
    ["a colon behind another tool's name", "stage s { max_steps|: 400 }", "length = 400 steps"],
    ["a flag", "stage s {\n  --max-st|eps 400\n}", "length = 400 steps"],
  ])("goes on to the fix of what a fix would leave: %s", async (_, text, written) => {
    const found = await actions(text, ["quickfix"]);
    expect(found.find(({ diagnostics = [] }) => diagnostics.length > 0)?.text).toContain(written);
  });

  it("offers each unit that may stand behind a number, where a fix would leave it without", async () => {
    const found = await actions("stage s { ev|al = every(100) }", ["quickfix"]);
    const texts = found.map(({ text }) => text);
    for (const unit of ["steps", "tokens"])
      expect(texts).toContainEqual(expect.stringContaining(`eval { every = 100 ${unit} }`));
  });

  it("offers a GPU of the same number, not the nearest number", async () => {
    const [fix] = await actions('import "std/gpus" { h1|00 }\n', ["quickfix"]);
    expect(fix?.text).toContain("h100_");
  });

  it("adds what is missing", async () => {
    const found = await actions("model m| {\n  layers = 4\n}\n", ["quickfix"]);
    expect(found.find(({ title }) => title.includes("family"))?.text).toBe(
      "model m {\n  layers = 4\n  family =\n}\n",
    );
    const empty = await actions("store s| {}");
    expect(empty.find(({ title }) => title.includes("at"))?.text).toBe("store s { at = }");
  });

  it.each([
    ["a key that is written", '"ab|c"', 'secret key = env("KEY")'],
    ["a variable that is read in place", 'env("WANDB|_API_KEY")', 'secret key = env("WANDB_API_KEY")'],
  ])("declares a secret: %s", async (_, value, declaration) => {
    const found = await actions(`stage s {\n  track = [wandb(key = ${value})]\n}\n`, ["quickfix"]);
    const action = found.find(({ title }) => title.startsWith("declare"));
    expect(action?.text).toBe(`${declaration}\n\nstage s {\n  track = [wandb(key = key)]\n}\n`);
    expect(action?.diagnostics?.[0]?.code).toBe("cdr/secret-written");
  });

  it("names a secret that the file has", async () => {
    const text = 'secret mine = env("W")\nstage s {\n  track = [wandb(key = "ab|c")]\n}\n';
    const texts = (await actions(text, ["quickfix"])).map((action) => action.text);
    expect(texts).toContain('secret mine = env("W")\nstage s {\n  track = [wandb(key = mine)]\n}\n');
  });

  it("extracts a param with its type", async () => {
    const found = await actions("stage s {\n  length = 20|B tokens\n}\n", ["refactor"]);
    expect(found.find(({ kind }) => kind === "refactor.extract")?.text).toBe(
      "param length: Tokens = 20B tokens\n\nstage s {\n  length = length\n}\n",
    );
  });

  it("names a param after the argument, the parameter or the property", async () => {
    const name = async (text: string) =>
      (await actions(text, ["refactor.extract"])).map(({ title }) => /param (\w+)/.exec(title)?.[1]);
    expect(await name("stage s { optimizer = adamw(lr = 1|e-4) }")).toEqual(["lr"]);
    expect(await name("stage s { checkpoint { keep = last(|3) } }")).toEqual(["count"]);
    expect(await name("stage s { optimizer = adamw(lr = 1e-4, betas = [0.9, 0|.95]) }")).toEqual(["betas"]);
    expect(await name("launch l { tome = 36| h }")).toEqual(["tome"]);
    expect(await name("stage s { optimizer = adamw(lr = 1|e-4), expect lr < 1 }")).toEqual(["lr_2"]);
  });

  it("extracts no text that puts something in, which a `param` does not know", async () => {
    const found = await actions('stage s { checkpoint { name = "st|ep-${run.step}" } }', ["refactor.extract"]);
    expect(found).toEqual([]);
  });

  it("adds nothing between a header that was not understood and the rest of it", async () => {
    const found = await actions('model m { }\nstage a { model = m }\nstage "t|wo" extends a { }', ["quickfix"]);
    expect(found.map(({ title }) => title).filter((title) => title.startsWith("add"))).toEqual([]);
  });

  it("converts a unit", async () => {
    const found = await actions("stage s { checkpoint { every = 90| min } }", ["refactor.rewrite"]);
    expect(found.map(({ text }) => text)).toContain("stage s { checkpoint { every = 1.5 h } }");
    // 1.66667 h is not 100 min.
    const hundred = await actions("stage s { checkpoint { every = 100| min } }", ["refactor.rewrite"]);
    expect(hundred.map(({ title }) => title)).toContain("write `6000 s`");
    expect(hundred.map(({ title }) => title).join()).not.toMatch(/ [hd]`/);
  });

  it("formats the document, a range, and a block that was closed", async () => {
    const ugly = "model m{\nfamily=llama\n    layers   = 4\n}\nlet  x=1\n";
    const { uri } = open(ugly);
    const options = { tabSize: 2, insertSpaces: true };
    const all = await editor.ask<TextEdit[]>("textDocument/formatting", { textDocument: { uri }, options });
    const tidy = applied(ugly, all);
    expect(tidy).toContain("let x = 1");
    expect(tidy).not.toContain("family=llama");
    const range = { start: { line: 4, character: 0 }, end: { line: 5, character: 0 } };
    const part = await editor.ask<TextEdit[]>("textDocument/rangeFormatting", {
      textDocument: { uri },
      range,
      options,
    });
    expect(applied(ugly, part)).toContain("let x = 1");
    expect(applied(ugly, part)).toContain("model m{");
    const within = await editor.ask<TextEdit[]>("textDocument/rangeFormatting", {
      textDocument: { uri },
      range: { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } },
      options,
    });
    expect(applied(ugly, within)).toMatch(/^model m\{\n {2}family += llama\n {4}layers {3}= 4\n/);
    const typed = await editor.ask<TextEdit[]>("textDocument/onTypeFormatting", {
      textDocument: { uri },
      position: { line: 3, character: 1 },
      ch: "}",
      options,
    });
    expect(applied(ugly, typed)).toContain("let  x=1");
    expect(applied(ugly, typed)).not.toContain("family=llama");
  });
});

describe("looking", () => {
  it("semantic tokens: whole, part, and what changed", async () => {
    const { uri } = open("model m { family = llama }\nlet x = m.layers\n");
    const textDocument = { uri };
    const full = await editor.ask<SemanticTokens>("textDocument/semanticTokens/full", { textDocument });
    const legend = editor.capabilities.semanticTokensProvider?.legend.tokenTypes ?? [];
    const types = full.data.filter((_, i) => i % 5 === 3).map((type) => legend[type]);
    expect(types).toEqual(["keyword", "class", "property", "enumMember", "variable", "class", "property"]);
    const part = await editor.ask<SemanticTokens>("textDocument/semanticTokens/range", {
      textDocument,
      range: { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } },
    });
    expect(part.data.length).toBe(15);
    editor.change(`f${count - 1}.cdr`, [
      { range: { start: { line: 1, character: 8 }, end: { line: 1, character: 16 } }, text: "1" },
    ]);
    const delta = await editor.ask<{ edits: { start: number; deleteCount: number }[] }>(
      "textDocument/semanticTokens/full/delta",
      { textDocument, previousResultId: full.resultId },
    );
    expect(delta.edits).toEqual([{ start: 25, deleteCount: 10, data: [] }]);
  });

  it("folds blocks, imports and comments", async () => {
    const { uri } = open(
      'import "a" as a\nimport "b" as b\n\n// one\n// two\nmodel m {\n  layers = 4\n  heads = 2\n}\n',
    );
    const found = await editor.ask<FoldingRange[]>("textDocument/foldingRange", { textDocument: { uri } });
    expect(found.map(({ startLine, endLine, kind }) => [startLine, endLine, kind])).toEqual([
      [5, 7, undefined],
      [0, 1, "imports"],
      [3, 4, "comment"],
    ]);
  });

  it("selection grows from the word to the file", async () => {
    const text = "stage s {\n  optimizer = adamw(lr = 1e|-4)\n}\n";
    const { uri, position } = open(text);
    const [found] = await editor.ask<SelectionRange[]>("textDocument/selectionRange", {
      textDocument: { uri },
      positions: [position],
    });
    const document = TextDocument.create(uri, "cdr", 0, text.replace("|", ""));
    const texts: string[] = [];
    for (let at = found; at !== undefined; at = at.parent) texts.push(document.getText(at.range));
    expect(texts).toEqual([
      "1e-4",
      "lr = 1e-4",
      "adamw(lr = 1e-4)",
      "optimizer = adamw(lr = 1e-4)",
      expect.stringMatching(/^stage s [^]*\}$/),
      expect.stringMatching(/\n$/),
    ]);
  });

  it("links to imports and to files that are there", async () => {
    const { uri } = open(
      'import "./lib.cdr" { shared }\nimport "./gone.cdr" { x }\ndata d { from = "corpus/a.txt" }\ndata e { from = "corpus/b.txt" }\n',
    );
    const found = await editor.ask<{ target: string }[]>("textDocument/documentLink", { textDocument: { uri } });
    expect(found.map(({ target }) => target)).toEqual([uriOf("lib.cdr"), uriOf("corpus/a.txt")]);
  });

  it("hints: parameters, steps, GPU-hours, and what won over what is written", async () => {
    const text = trained
      .replace("warmup = 30 min", "warmup = 1%")
      .replace(
        "launch hpc",
        "pretrain.batch = 128 samples\npreset quick { pretrain { length = 10 steps } }\nlaunch hpc",
      );
    const { uri } = open(text);
    const hints = await editor.ask<{ label: string; position: { line: number } }[]>("textDocument/inlayHint", {
      textDocument: { uri },
      range: whole,
    });
    const lines = text.split("\n");
    const beside = (word: string) => hints.find(({ position }) => lines[position.line]?.includes(word))?.label;
    expect(beside("auto(")).toMatch(/\dM params/);
    expect(beside("length")).toMatch(/[\d,]+ steps/);
    expect(beside("stage pretrain")).toMatch(/GPU-h/);
    expect(beside("batch     =")).toBe("→ 128 samples");
    // Nobody chose it.
    expect(beside("preset quick")).toBeUndefined();
    const first = await editor.ask<unknown[]>("textDocument/inlayHint", {
      textDocument: { uri },
      range: { start: { line: 0, character: 0 }, end: { line: 2, character: 0 } },
    });
    expect(first).toEqual([]);
  });

  it("beside an argument: what won over it", async () => {
    const { uri } = open("stage s { optimizer = adamw(lr = 1e-3, eps = 1e-8) }\ns.optimizer.lr = 5e-4\n");
    const hints = await editor.ask<{ label: string; position: unknown }[]>("textDocument/inlayHint", {
      textDocument: { uri },
      range: whole,
    });
    const at = { line: 0, character: "stage s { optimizer = adamw(lr = 1e-3".length };
    expect(hints.map(({ label, position }) => ({ label, position }))).toEqual([{ label: "→ 5e-4", position: at }]);
  });

  it("says the same number of steps beside a length and over it", async () => {
    const { uri, at } = open(
      trained.replace("warmup = 30 min", "warmup = 1%").replace("2B tokens", "2|_000_000_001 tokens"),
    );
    const hints = await editor.ask<{ label: string }[]>("textDocument/inlayHint", {
      textDocument: { uri },
      range: whole,
    });
    const beside = hints
      .map(({ label }) => /^→ ([\d,]+ steps)$/.exec(label)?.[1])
      .find((label) => label !== undefined);
    const over = await editor.ask<Hover>("textDocument/hover", at);
    expect(beside).toBeDefined();
    expect((over.contents as MarkupContent).value).toContain(`in the plan: ${beside}`);
  });

  it("says once what won over a whole call", async () => {
    const text = "stage s { optimizer = adamw(lr = 1e-3, eps = 1e-7) }\ns.optimizer = adamw(lr = 5e-4)\n";
    const hints = await editor.ask<{ label: string; position: { line: number } }[]>("textDocument/inlayHint", {
      textDocument: { uri: open(text).uri },
      range: whole,
    });
    expect(hints.filter(({ position }) => position.line === 0).map(({ label }) => label)).toEqual([
      "→ adamw(lr = 5e-4)",
    ]);
  });

  it("lenses: plan, run, and what changed since the last run", async () => {
    const own = await startEditor({
      changes: (_, path, step) => (step === "pretrain" ? { run: "1a2b", changes: [`lr of ${path}`] } : null),
    });
    const { uri } = own.open("a.cdr", trained.replace("warmup = 30 min", "warmup = 1%"));
    const lenses = await own.ask<{ command?: { title: string; command: string } }[]>("textDocument/codeLens", {
      textDocument: { uri },
    });
    const titles = await Promise.all(
      lenses.map(
        async (lens) =>
          lens.command ?? (await own.ask<{ command: { title: string } }>("codeLens/resolve", lens)).command,
      ),
    );
    const texts = titles.map(({ title }) => title);
    expect(texts).toContainEqual(expect.stringMatching(/^plan: 1\d\d(\.\d)?M params/));
    expect(texts).toContain("run pretrain");
    expect(texts).toContain("since run 1a2b: lr of /project/a.cdr");
    expect(texts).toContain("not run yet");
    // A client may ask to complete what came complete.
    const whole = lenses.find(({ command }) => command !== undefined);
    expect(await own.ask("codeLens/resolve", whole)).toEqual(whole);
    await own.stop();
  });
});
