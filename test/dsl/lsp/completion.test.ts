/** Completion in code that is not finished. `|` is the cursor. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CompletionItem } from "vscode-languageserver-protocol";
import { registry } from "../../../compiler/kinds/index.ts";
import { units } from "../../../dsl/types/units.ts";
import { type Editor, startEditor } from "../../support/editor.ts";

let editor: Editor;
beforeAll(async () => {
  editor = await startEditor({
    disk: { "lib.cdr": "model shared { family = llama }\nlet rate = 1e-4\nlet table = { wide = 4 }\n" },
  });
});
afterAll(() => editor.stop());

const kinds = "enum Kind { core, reason }\nparam k: Kind = core\n";

let count = 0;
async function complete(text: string): Promise<CompletionItem[]> {
  const { at } = editor.open(`c${count++}.cdr`, text);
  return (await editor.ask<CompletionItem[] | null>("textDocument/completion", at)) ?? [];
}
const labels = async (text: string) => (await complete(text)).map(({ label }) => label);

describe("members", () => {
  it("of a file: every kind, and the words of the language", async () => {
    const found = await labels("|");
    expect(found).toEqual(expect.arrayContaining([...Object.keys(registry.kinds), "import", "param", "let", "fn"]));
  });

  it("of every kind: all its properties with type and documentation", async () => {
    for (const kind of Object.values(registry.kinds)) {
      const found = await complete(`${kind.name} x {\n  |\n}`);
      for (const [name, property] of Object.entries(kind.properties)) {
        const item = found.find(({ label }) => label === name);
        expect(item, `${kind.name}.${name}`).toBeDefined();
        expect(JSON.stringify(item?.documentation)).toContain(JSON.stringify(property.doc).slice(1, -1));
        expect(item?.detail).toBeTruthy();
      }
    }
  });

  it("leaves out what is written, before and on one line", async () => {
    const found = await labels("model m {\n  family = llama\n  layers = 4, |\n}");
    expect(found).not.toContain("family");
    expect(found).not.toContain("layers");
    expect(found).toContain("heads");
  });

  it.each([
    ["a group", "stage s {\n  layout {\n    |", "zero_stage"],
    ["a nested block", "data d {\n  source web {\n    |", "weight"],
    ["an amendment", "model m { family = llama }\nm {\n  |", "layers"],
    ["a group of an amendment", "stage s { }\ns.layout {\n  |", "micro_batch"],
    ["a copy", "model m { family = llama }\nlet n = m with { |", "layers"],
    ["a preset: what it may amend", "model m { family = llama }\npreset p {\n  |", "m"],
    ["a block in a preset", "model m { family = llama }\npreset p {\n  m {\n    |", "layers"],
    ["what a sweep varies: leaves of its stage", "sweep s {\n  vary {\n    |", "layout.zero_stage"],
    ["what a sweep varies: params", "param rate = 1e-4\nsweep s {\n  vary {\n    |", "rate"],
    ["what a sweep varies: other blocks", "cluster pod { nodes = 2 }\nsweep s {\n  vary {\n    |", "pod"],
    ["a kind in a preset", "preset p {\n  stage {\n    |", "optimizer"],
  ])("of %s", async (_, text, wanted) => {
    expect(await labels(text)).toContain(wanted);
  });

  it("nor what stands further down already", async () => {
    const found = await labels("stage s {\n  model = m\n  |\n  data = d\n  checkpoint { every = 5 steps }\n}\n");
    for (const name of ["model", "data", "checkpoint"]) expect(found).not.toContain(name);
    expect(found).toContain("length");
  });

  it("a snippet asks for what is required", async () => {
    const stage = (await complete("sta|")).find(({ label }) => label === "stage");
    const required = Object.entries(registry.kinds["stage"]?.properties ?? {}).filter(([, p]) => p.required);
    for (const [name] of required) expect(JSON.stringify(stage?.textEdit)).toMatch(new RegExp(`${name} *= \\$`));
    expect(stage?.insertTextFormat).toBe(2);
  });
});

describe("values", () => {
  it.each([
    ["an enum", "model m { family = |", "llama"],
    ["an enum, half written", "model m { family = lla|", "llama"],
    ["a choice", "stage s {\n  optimizer = |\n  batch = 4 samples\n}", "adamw"],
    ["true or false", "model m { tied = |", "true"],
    ["a block that is declared further down", "stage s { model = | }\nmodel m { family = llama }", "m"],
    ["a handle", "stage a { }\nsample s { model = |", "a.last"],
    ["an item of a list", "stage s { track = [console, |", "wandb"],
    ["an argument", "stage s { optimizer = adamw(|", "lr"],
    ["a further argument", "stage s { optimizer = adamw(lr = 1e-4, |", "betas"],
    ["an argument inside half-written code", "stage s {\n  optimizer = adamw(lr = 1e-4, b|\n  batch =", "betas"],
    ["the value of an argument", "stage s { track = [wandb(key = |", "k", 'secret k = env("K")\n'],
    ["a local name", "let width = 4\nmodel m { layers = |", "width"],
    ["a function", "let x = |", "min"],
    ["an enum of the file", "enum Size { small, large }\nparam s: Size = |", "large"],
    ["the kind word around", "stage s { batch = |", "stage"],
    ["a metric that is expected", "stage s { expect |", "val.loss"],
    ["behind the dot of a metric", "stage s { expect val.|", "loss"],
    ["what follows `else`", "stage s { expect loss < 3 else |", "rollback"],
    ["what follows `else` of an assert", "assert 1 == 1 else |", "warn"],
    ["a fact of a row", "data d { keep = [|", "language"],
    ["a further fact", "data d {\n  keep = [|]\n}", "unseen"],
    ["a fact of the run in a text", 'stage s { checkpoint { name = "s-${run.|}" } }', "step"],
    ["the row in a text", 'data d { format = chat(turn = "${|}") }', "row."],
    ["facts of the machine", "param cards: Int = host.|", "gpus"],
    ["a patch", "stage s { optimizer = adamw(lr = 1e-4) }\ns.schedule = |", "cosine"],
  ])("%s", async (_, text, wanted, before = "") => {
    expect(await labels(before + text)).toContain(wanted);
  });

  it("an argument that was given is not offered again", async () => {
    expect(await labels("stage s { optimizer = adamw(lr = 1e-4, |")).not.toContain("lr");
  });
});

describe("what the checker takes, and nothing that it refuses", () => {
  const file =
    "model m { family = llama }\npreset big { m.layers = 2 }\noverlay wide { m.layers = 3 }\nsweep all { }\n";

  it("in a test: assertions, what is laid over, what is amended", async () => {
    const found = await labels(`${file}test "x" {\n  over = all\n  |\n}`);
    expect(found).toEqual(expect.arrayContaining(["assert", "preset", "with", "m", "stage"]));
    for (const word of ["over", "import", "param", "secret", "let", "fn", "enum", "test", "expect", "overlay", "big"])
      expect(found).not.toContain(word);
  });

  it.each([
    ["at the top", "", "", ["assert"]],
    ["in a stage", "stage s {\n  ", "\n}", ["assert", "expect"]],
    ["in a preset", "preset p {\n  ", "\n}", []],
    ["in an overlay", "overlay o {\n  ", "\n}", []],
    ...["model m", "gpu g", "store s", "plugin p", "launch l", "sample s", "python p"].map(
      (head) => [`in a ${head}`, `${head} {\n  `, "\n}", ["assert"]] as const,
    ),
    ["in a layout", "stage s {\n  layout {\n    ", "\n  }\n}", ["assert"]],
  ] as const)("what judges, %s", async (_, before, after, wanted) => {
    const found = await labels(`${before}|${after}`);
    expect(["assert", "expect"].filter((word) => found.includes(word))).toEqual(wanted);
    if (before === "") return;
    for (const word of ["assert", "expect"]) {
      const { uri } = editor.open(`judged${count++}.cdr`, `${before}${word} 1 == 1${after}`);
      const { diagnostics } = await editor.diagnostics(uri.slice(uri.lastIndexOf("/") + 1));
      const refused = diagnostics.some(
        ({ code, message }) => code === "cdr/misplaced" && !String(message).includes("known"),
      );
      expect(refused, word).toBe(!wanted.some((each) => each === word));
    }
  });

  it.each([
    ["a length", "stage s { length = |", ["… tokens", "… steps", "… epochs"]],
    ["a few whole numbers", "stage s { layout { zero_stage = |", ["0", "1", "2", "3"]],
    ["their bound", "stage s { layout { zero_stage <= |", ["0", "1", "2", "3"]],
    ["an amount of one unit", "stage s { layout { micro_batch = |", ["… samples"]],
    ["a share", "stage s { schedule = cosine(warmup = |", ["…%"]],
    ["where a secret comes from", "secret s = |", ["env", "file", "kubernetes"]],
  ])("%s", async (_, text, wanted) => {
    const found = await labels(text);
    expect(found).toEqual(expect.arrayContaining([...wanted]));
  });

  it("no block is where a secret comes from", async () => {
    expect(await labels("model m { }\nsecret s = |")).not.toContain("m");
  });

  it("whoever names the members of an enum invents them", async () => {
    expect(await labels("let x = 1\nenum Size { small, |")).toEqual([]);
  });

  it("a block of the library comes with its import", async () => {
    const found = await complete('import "std/gpus" { h100 }\ncluster pod {\n  gpu = |\n}');
    expect(found.find(({ label }) => label === "h100")?.additionalTextEdits).toBeUndefined();
    expect(found.find(({ label }) => label === "h200")).toMatchObject({
      additionalTextEdits: [{ newText: 'import "std/gpus" { h200 }\n', range: { start: { line: 1, character: 0 } } }],
    });
  });
});

describe("what would be a cycle is not offered", () => {
  it.each([
    ["to extend", "stage x { }\nstage y extends z { }\nstage w extends y\nstage z extends |", ["x"]],
    [
      "to go on from",
      "stage x { }\nstage y { from = z.last }\nstage w extends y { }\nstage z { from = |",
      ["x.last"],
    ],
    [
      "to go on from, by an amendment",
      "stage x { }\nstage y { }\ny.from = z.best\nstage z { }\nz { from = |",
      ["x.last"],
    ],
    ["in an overlay", "stage x { }\nstage z { }\noverlay big { z { from = |", ["x.last"]],
    ["to come after", "job x { }\njob y after z { }\njob w after y { }\njob z after |", ["x"]],
  ])("%s", async (_, text, wanted) => {
    const names = ["w", "x", "y", "z"].flatMap((name) => [name, `${name}.last`]);
    const asked = names.filter((name) => name.endsWith(".last") === wanted[0]?.endsWith(".last"));
    const found = await labels(text);
    expect(asked.filter((name) => found.includes(name))).toEqual(wanted);
  });

  it("but an eval of a stage that runs it", async () => {
    expect(await labels("stage a { evals = [ev] }\neval ev { model = |")).toContain("a.last");
  });
});

describe("units", () => {
  it("of the property's dimension", async () => {
    const found = await labels("model m { context = 1024 |");
    expect(found).toContain("tokens");
    expect(found).not.toContain("GB");
  });
  it("where several will do", async () => {
    expect(await labels("stage s { length = 20B |")).toEqual(expect.arrayContaining(["tokens", "steps", "epochs"]));
  });
  it("all where nothing is expected, each a real unit", async () => {
    const found = await labels("let x = 3 |");
    expect(found.length).toBeGreaterThan(20);
    for (const name of found) expect(units.has(name), name).toBe(true);
  });
});

describe("elsewhere", () => {
  it.each([
    ["paths of imports", 'import "|', "./lib.cdr"],
    ["the standard library", 'import "|" { }', "std/clusters"],
    ["names of a file", 'import "./lib.cdr" { | }', "shared"],
    ["names of the standard library", 'import "std/clusters" { dgx_a100, |', "dgx_h100"],
    ["types", "param x: |", "Tokens"],
    ["types of the file", "enum E { a }\nparam x: |", "E"],
    ["what to extend", "model a { }\nmodel b extends |", "a"],
    ["clauses", "launch l |", "on"],
    ["where to launch", "cluster c { }\nlaunch l on |", "c"],
    ["behind a dot: derived", "model m { }\nlet x = m.|", "parameters"],
    ["behind a dot: handles", "data d { }\nlet x = d.|", "val"],
    ["behind two dots", "stage s { }\nlet x = s.layout.|", "zero_stage"],
    ["behind a choice", "stage s { }\nlet x = s.optimizer.|", "lr"],
    ["behind a namespace", 'import "./lib.cdr" as lib\nlet x = lib.|', "rate"],
    [
      "behind a namespace, by the names of its file",
      'import "./lib.cdr" { rate as r }\nimport "./lib.cdr" as lib\nlet x = lib.|',
      "rate",
    ],
    [
      "behind a table of records",
      `${kinds}let s = match k { core => { deep = 4 }, reason => { deep = 8 } }\nlet x = s.|`,
      "deep",
    ],
    ["behind a record in a record", "let r = { b = { c = 2 } }\nlet x = r.b.|", "c"],
    ["behind a record of a namespace", 'import "./lib.cdr" as lib\nlet x = lib.table.|', "wide"],
    ["behind a member of the block", "stage s {\n  optimizer.|\n}", "lr"],
    ["behind a group of what a sweep varies", "sweep s { vary { layout.|", "zero_stage"],
    ["behind another block", "cluster pod { nodes = 2 }\nsweep s { vary { pod.|", "nodes"],
    ["behind a metric that is an argument", "stage s { checkpoint { keep = best(val.|) } }", "loss"],
    ["what is kept", "stage s { checkpoint { keep = [|] } }", "best"],
    ["a group in a table", `${kinds}stage s { layout = match k { core => { | }, else => { } } }`, "zero_stage"],
    ["a value in a table", "stage s { schedule = match k { core => |", "cosine"],
    ["behind a record", "let r = { small = 1 }\nlet x = r.|", "small"],
  ])("%s", async (_, text, wanted) => {
    expect(await labels(text)).toContain(wanted);
  });

  it.each([
    ["a comparison", "let x = k == |"],
    ["a comparison within a condition", "let x = if k != | then 1 else 2"],
    ["a list of what it may be", "let x = k in [|]"],
    ["a table", "let x = match k { | }"],
    ["a table's next row", "let x = match k { core => 1, | }"],
  ])("first of all the words of an enum, in %s", async (_, text) => {
    const found = await complete(kinds + text);
    const sorted = found.toSorted((a, b) => ((a.sortText ?? "") < (b.sortText ?? "") ? -1 : 1));
    expect(sorted.slice(0, 2).map(({ label }) => label)).toEqual(["core", "reason"]);
  });

  it.each([
    ["cluster c extends lib.|", ["box"]],
    ["launch l on lib.|", ["box"]],
    ["stage b after lib.|", ["pre", "text"]],
    ["stage s { model = lib.|", ["small", "rate"]],
    ["stage s { from = lib.|", ["pre", "rate"]],
    ["stage s { evals = [lib.|", ["rate"]],
    ["let x = lib.|", ["box", "pre", "small", "text", "rate"]],
  ])("behind a namespace, only what may stand there: %s", async (text, found) => {
    const { at } = editor.open(
      "lib2.cdr",
      "cluster box { }\nmodel small { }\nstage pre { }\ndata text { }\nlet rate = 3\n|",
    );
    await editor.ask("textDocument/completion", at);
    expect((await labels(`import "./lib2.cdr" as lib\n${text}`)).toSorted()).toEqual(found.toSorted());
  });

  const parts = `${kinds}plugin pen { role = loss, factory = "a.b:c", param mode: "x" | "y" = "x" }
data d { source aa { from = "/a" }, source bb { from = "/b" } }
stage s { data = d, optimizer = adamw(lr = 1e-3) }
overlay night { s.seed = 1 }
preset half { s.seed = 2 }
sweep all { stage = s, vary { seed in 1..2 } }
`;
  it.each([
    ["a parameter of the function", "fn f(x: Int, yy: Float) = x + ^", ["x", "yy"], ["q"]],
    ["no parameter of another", "fn f(x: Int) = x\nlet u = ^", ["f"], ["x"]],
    ["the variable of a comprehension, in its condition", "let l = [q for q in [1, 2] if ^]", ["q"], []],
    ["the variable of a comprehension, in its element", "let l = [len([^]) for q in [1, 2]]", ["q"], []],
    ["but not in what it runs over", "let l = [1 for q in ^]", ["min"], ["q"]],
    ["texts of a type", 'param mo: "x" | "y" = ^', ['"x"', '"y"'], []],
    ["texts of a type, in quotes", 'param mo: "x" | "y" = "^"', ["x", "y"], []],
    ["texts that an argument takes", "stage t { loss = cross_entropy + pen(mode = ^) }", ['"x"', '"y"'], []],
    ["licences of a list", "data e { keep = [license in [^]] }", ["mit"], ["toxicity"]],
    ["licences, compared", "data e { keep = [license == ^] }", ["mit"], ["toxicity"]],
    ["words of an enum that is varied", "sweep w { stage = s, vary { k in [^] } }", ["core", "reason"], []],
    ["values of what is varied", "sweep w { stage = s, vary { precision in [^] } }", ["bf16"], []],
    ["sources in a phase", "data e extends d { curriculum { phase a { ^ } } }", ["aa", "bb", "until"], ["a"]],
    ["what a source says in a phase", "data e extends d { curriculum { phase a { aa.^ } } }", ["weight"], ["until"]],
    ["sources behind a dot", "let x = d.^", ["aa", "bb"], []],
    ["arguments of the optimizer that is written", "let x = s.optimizer.^", ["lr", "betas"], ["momentum"]],
    ["those of an inherited one", "stage t extends s { optimizer.^ }", ["lr", "betas"], ["momentum"]],
    ["those of an amended one", "overlay o { s { optimizer.^ } }", ["lr", "betas"], ["momentum"]],
    ["those of a varied one", "sweep w { stage = s, vary { optimizer.^ } }", ["lr", "betas"], ["momentum"]],
    ["those of another optimizer", "stage t { optimizer = sgd(lr = 1)\noptimizer.^ }", ["momentum"], ["betas"]],
    ["only what can be amended", "overlay o { s.^ }", ["optimizer", "layout"], ["best", "last", "at", "plan"]],
    ["overlays of a test", 'test "a" { with = ^ }', ["night"], ["half", "all", "s"]],
    ["a preset of a test", 'test "a" { preset = ^ }', ["half"], ["night", "all", "s"]],
    ["a sweep of a test", 'test "a" { over = ^ }', ["all"], ["night", "half", "s"]],
    ["no files for the name of a Python object", 'plugin z { factory = "^" }', [], ["lib.cdr"]],
    ["files for a path", 'plugin z { files = ["^"] }', ["lib.cdr"], []],
  ])("%s: %s", async (_, text, wanted, others) => {
    const before = parts + text.slice(0, text.indexOf("^"));
    // A bar stands between types here.
    const { at } = editor.open(`c${count++}.cdr`, `// |\n${parts}${text.replace("^", "")}`);
    const lines = before.split("\n");
    const position = { line: lines.length, character: lines.at(-1)?.length };
    const items = await editor.ask<CompletionItem[]>("textDocument/completion", { ...at, position });
    const found = new Set(items.map(({ label }) => label));
    expect(wanted.filter((name) => !found.has(name))).toEqual([]);
    expect(others.filter((name) => found.has(name))).toEqual([]);
  });

  it("nothing in comments, nor where a name is invented", async () => {
    expect(await labels("// mod|")).toEqual([]);
    expect(await labels("model |")).toEqual([]);
  });

  it("never throws, wherever a file is cut off", async () => {
    const text =
      'import "std/clusters" { dgx_h100 }\nstage s {\n  optimizer = adamw(lr = [1, "a${b.c}"])\n  layout { zero_stage <= 2 }\n}\n';
    for (let end = 0; end <= text.length; end++)
      expect(Array.isArray(await complete(`${text.slice(0, end)}|`))).toBe(true);
  });
});

describe("documentation and type", () => {
  const bare = async (text: string) =>
    (await complete(text))
      .filter(({ detail, documentation }) => detail === undefined || documentation === undefined)
      .map(({ label }) => label);

  it.each([
    ["a file", "|"],
    ["a block", "stage s { | }"],
    ["a header", "stage s |"],
    ["a family", "model m { family = | }"],
    ["a word of an enum", "stage s { resume = | }"],
    ["true and false", "model m { tied = | }"],
    ["a unit", "stage s { checkpoint { every = 30| } }"],
    ["a unit of what is counted", "stage s { length = 10 | }"],
    ["this machine", "let n = host.|"],
    ["what a run says", "stage s { expect loss.| }"],
    ["a file of the standard library", 'import "std/|'],
    [
      "a value that an engine knows",
      "stage s { raw deepspeed { zero_optimization { offload_optimizer { device = | } } } }",
    ],
  ])("stand with %s", async (_, text) => {
    const own = await bare(text);
    // What this workspace declares says of itself only what its author said.
    expect(own.filter((label) => !label.startsWith(".") && label !== "s" && label !== "n")).toEqual([]);
  });

  it("say of a unit how many of the next smaller one it is, of a family where it was published", async () => {
    const find = async (text: string, label: string) =>
      JSON.stringify((await complete(text)).find((item) => item.label === label));
    expect(await find("stage s { checkpoint { every = 30 | } }", "h")).toContain("1 h is 60 min");
    expect(await find("gpu g { memory = 80 | }", "GiB")).toContain("1 GiB is 1,024 MiB");
    expect(await find("model m { family = | }", "llama")).toContain("arXiv");
    expect(await find("model m { family = | }", "llama")).toContain('"detail":"family"');
    expect(await find('import "|', "std/clusters")).toContain("Machines that many people have");
  });
});

describe("only what can stand there", () => {
  it("no value of its own in a declaration", async () => {
    expect(await labels("param width = 1\nlet wide = |")).toEqual(expect.arrayContaining(["width"]));
    expect(await labels("param width = 1\nlet wide = |")).not.toContain("wide");
    expect(await labels("param width: Int = w|")).not.toContain("width");
  });
  it("no members of a file in a record, nor in a block that nobody knows", async () => {
    expect(await labels("let t = { | }")).toEqual([]);
    expect(await labels("data d { mixx { | } }")).toEqual([]);
    expect(await labels('test "t" { | }')).toContain("assert");
  });
  it("no preset in a preset", async () => {
    const found = await labels("model m { family = llama }\npreset p { | }\npreset q { }");
    expect(found).toContain("m");
    expect(found).not.toContain("p");
    expect(found).not.toContain("q");
  });
  it("what a name of a formula takes in its brackets, and behind its dot", async () => {
    expect(await labels("data d { keep = [language(|) >= 0.5] }")).toEqual(expect.arrayContaining(["en", "code"]));
    expect(await labels("stage s { expect loss.| <= 3 }")).toEqual(["at"]);
    const units = await labels("stage s { expect loss.at(10 |) <= 3 }");
    expect(units).toContain("steps");
    expect(units).not.toContain("GB");
  });
});
