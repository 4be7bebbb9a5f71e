/** What would change nothing, or drop something, and is told. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";

const head = `data d { from = "x.txt", tokenizer = bytes }
data e extends d { seed = 7 }
model m { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
abstract stage c { model = m, data = d, length = 10 steps, batch = 4 samples, optimizer = adamw(lr = 1e-3) }
param nodes: Int = 1
preset big { when = nodes == 4, c.seed = 9 }
`;
const files: Readonly<Record<string, string>> = {
  "b.cdr": "let one = 1\nlet two = 2\n",
  "v.cdr": "param n: Int = 1\noverlay wide { n = 2 }\n",
};
const compiled = (text: string, overlays: readonly string[] = [], sets: { name: string; text: string }[] = []) =>
  compile(
    { path: "main.cdr", text: head + text },
    {
      ...{ on: null, target: null, preset: null, overlayFiles: [], overlays, sets },
      ...{ read: (path: string) => files[path], environment: () => undefined, host: () => undefined },
    },
  );
const told = (text: string, overlays: readonly string[] = []) =>
  compiled(text, overlays).diagnostics.map(({ code }) => code);

describe("a block that an overlay removes", () => {
  const removal = "overlay o { e = none }\n";
  it.each([
    ["stage a extends c { data = e }", ["cdr/block-removed"]],
    ["stage a extends c { data = e with { seed = 3 } }", ["cdr/block-removed"]],
    ["data f extends e { }", ["cdr/block-removed"]],
    ["stage a extends c { }\nstage b extends c after e { }", ["cdr/block-removed"]],
    ["stage a extends c { }", []],
    ["stage a extends c { data = e }\noverlay p { a.data = d }", []],
  ])("is told to whoever reads it: %s", (text, codes) => {
    expect(told(removal + text, text.includes("overlay p") ? ["o", "p"] : ["o"])).toEqual(codes);
    expect(told(removal + text)).toEqual([]);
  });
});

describe("`with` on a record", () => {
  const r = "let r = { a = 1, deep = { x = 1, y = 2 } }\n";
  it.each([
    ["let q = r with { a = 2 }\nassert q.a == 2", []],
    ["let q = r with { deep.x = 5 }\nassert q.deep.x + q.deep.y == 7", []],
    ["let q = r with { deep { x = 5 } }\nassert q.deep.x + q.deep.y == 7", []],
    ["let q = r with { b = 2 }", ["cdr/amend-nothing"]],
    ["let q = r with { deep.z = 2 }", ["cdr/amend-nothing"]],
    ["let q = r with { deep { z = 2 } }", ["cdr/amend-nothing"]],
    ["let q = r with { b = 2 }\nassert q.b == 2", ["cdr/amend-nothing"]],
    ["let q = r with { a = 2, a = 3 }", ["cdr/property-twice"]],
    ["let q = r with { a.b = 3 }", ["cdr/misplaced"]],
  ])("amends what is there: %s", (text, codes) => {
    expect(told(r + text)).toEqual(codes);
  });
  it("gives the nearest names", () => {
    const [first] = compiled(`${r}let q = r with { dep = 2 }`).diagnostics;
    expect(first?.fixes.map(({ edits }) => edits.map(({ newText }) => newText))).toEqual([["deep"]]);
  });
});

describe("what runs nothing", () => {
  const job = 'job j { command = "true" }\n';
  it.each([
    ["job k { command = [] }", 1],
    ['job k { command = "" }', 1],
    ['job k { command = ["true", " "] }', 1],
    ["workflow w { jobs = [] }", 1],
    ['workflow w { target = github, jobs = [j], trigger = cron("61 * * * *") }', 1],
    ['workflow w { target = github, jobs = [j], trigger = cron("0 24 * * *") }', 1],
    ['workflow w { target = github, jobs = [j], trigger = cron("0 2 * *") }', 1],
    ['workflow w { target = github, jobs = [j], trigger = cron("0 2 0 * *") }', 1],
    ['workflow w { target = github, jobs = [j], trigger = cron("often") }', 1],
    ['workflow w { target = github, jobs = [j], trigger = cron("*/15 0-6,22 1,31 JAN-mar MON-FRI") }', 0],
    ['workflow w { target = github, jobs = [j], trigger = cron("59 23 31 12 6") }', 0],
  ])("is an error: %s", (text, count) => {
    expect(told(job + text)).toEqual(Array.from({ length: count }, () => "cdr/type-mismatch"));
  });
});

describe("where a schedule ends", () => {
  const fixesOf = (lr: string, to: string) =>
    compiled(`stage a extends c { optimizer = adamw(lr = ${lr}), schedule = cosine(to = ${to}) }`).diagnostics.map(
      ({ code, fixes }) => [code, ...fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText))],
    );
  it.each([
    ["3e-4", "1e-5", ["3.3%", "0.001%"]],
    ["3e-4", "3e-5", ["10%", "0.003%"]],
    ["0.01", "0.01", ["1%"]],
    ["1e-5", "1e-4", ["0.01%"]],
  ])("is a share of %s, and no rate: %s", (lr, to, written) => {
    expect(fixesOf(lr, to)).toEqual([["cdr/schedule-rate", ...written]]);
  });
  it.each(["10%", "0.1", "1%", "0.01", "0.1%", "0.001", "0.001%", "0", "1e-5 / 3e-4"])("may be %s", (to) => {
    expect(fixesOf("3e-4", to)).toEqual([]);
  });
});

describe("a freeze", () => {
  it.each([
    ["lower(5%)", ["cdr/freeze-layers"]],
    ["lower(100%)", ["cdr/freeze-layers"]],
    ["lower(100%), adapters = lora(rank = 4, alpha = 8)", ["cdr/freeze-layers"]],
    ["lower(50%)", []],
    ["[lower(50%), embeddings]", []],
    ["[embeddings, lower(5%)]", ["cdr/freeze-layers"]],
    ["[lower(25%), lower(50%)]", ["cdr/freeze-layers"]],
    ["[embeddings, embeddings]", ["cdr/list-twice"]],
  ])("leaves some layers and takes some: %s", (freeze, codes) => {
    expect(told(`stage z extends c { }\nstage a extends c { from = z.last, freeze = ${freeze} }`)).toEqual(codes);
  });
  it.each([
    ["freeze = lower(50%)", 1],
    ["freeze = lower(50%), adapters = lora(rank = 4, alpha = 8)", 1],
    ["", 0],
  ])("of random layers is told once, with adapters or without: { %s }", (said, times) => {
    expect(told(`stage a extends c { ${said} }`)).toEqual(
      Array.from({ length: times }, () => "cdr/policy-untrained"),
    );
  });
});

describe("what changes nothing and judges nothing", () => {
  it.each([
    ["preset p { }", ["cdr/says-nothing"]],
    ["preset p { when = nodes == 2 }", ["cdr/says-nothing"]],
    ["overlay o {\n  // nothing yet\n}", ["cdr/says-nothing"]],
    ['test "t" { }', ["cdr/says-nothing"]],
    ['test "t" { c.seed = 3 }', ["cdr/says-nothing"]],
    ["overlay o { c.seed = }", ["cdr/syntax-value-missing"]],
    ['test "t" { assert c.seed == 42 }', []],
  ])("is told: %s", (text, codes) => {
    expect(told(text)).toEqual(codes);
  });
});

describe("a list of blocks", () => {
  const blocks = 'job j { command = "true" }\njob k { command = "true" }\n';
  it.each([
    ["workflow w { jobs = [j, k, j] }", ["cdr/list-twice"]],
    ["workflow w { jobs = [j, k] }", []],
    ["image i { }\nworkflow w { jobs = [i.digest, i.findings] }", []],
    ["stage s extends c { track = [console, console] }", ["cdr/list-twice"]],
    ["stage s extends c { track = [console, tensorboard] }", []],
    ["data f extends d { keep = [length > 9 chars, length > 9 chars] }", ["cdr/list-twice"]],
    ["data f extends d { dedup = [exact, url, exact] }", ["cdr/list-twice"]],
    ["eval e { model = m, tasks = [mmlu, mmlu(shots = 5)] }", []],
    ['data f extends d { from = ["a.txt", "b.txt", "a.txt"] }', ["cdr/list-twice"]],
    ['let a = "h1"\nlaunch l { target = ssh(hosts = ["h1", a]) }', ["cdr/list-twice"]],
    [
      'image i { from = "debian:12", ports = [80, 80], system = ["git", "git"] }',
      ["cdr/list-twice", "cdr/list-twice"],
    ],
    ["stage s extends c { optimizer = adamw(lr = 1e-3, betas = [0.9, 0.9]) }", []],
    ['job t { command = ["make", "make"] }', []],
    ['stage s extends c { }\nsample q { model = s.last, prompts = ["a", "a"], length = 5 tokens }', []],
  ])("holds each once: %s", (text, codes) => {
    expect(told(blocks + text).filter((code) => code === "cdr/list-twice")).toEqual(codes);
  });
});

describe("what nothing opens, and what nothing runs", () => {
  it.each([
    ['store s { at = "ftp://h/x" }', ["cdr/place-scheme"]],
    ['store s { at = "S3://b" }', []],
    ['data f { from = "gopher://h/x", tokenizer = bytes }', ["cdr/place-scheme"]],
    ['data f { from = "s3:/bucket/x", tokenizer = bytes }', ["cdr/place-spelling"]],
    ['data f { from = "huggingface.co/datasets/a/b", tokenizer = bytes }', ["cdr/place-spelling"]],
    ['data f { from = "https://example.com/a.txt", tokenizer = bytes }', []],
    ["data f { from = [], tokenizer = bytes }", ["cdr/data-source"]],
    ['store s { at = "/data" }', []],
    ['python p { version = "2.7" }', ["cdr/python-old"]],
    ['python p { version = "3.5" }', ["cdr/python-old"]],
    ['python p { version = "2.7", packages = ["torch==2.8.0"] }', ["cdr/python-release"]],
    ['python p { version = "3.8" }', []],
    ['job k { command = "true", time <= 0 h }', ["cdr/value-range"]],
    ["stage a extends c { cost <= 0 usd }", ["cdr/value-range"]],
  ])("is told: %s", (text, codes) => {
    expect(told(text)).toEqual(codes);
  });
});

describe("a variant of a file that is imported as a whole", () => {
  it.each([
    'test "t" { with = wide, assert one == 1 }',
    "stage a extends c { }\nsweep w { stage = a, overlays = [wide], vary { seed in [1, 2] } }",
  ])("is offered by its whole name: %s", (text) => {
    const [first, ...others] = compiled(`import "v.cdr" as lib\nlet one = 1\n${text}`).diagnostics;
    expect(others).toEqual([]);
    expect(first?.fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText))).toEqual(["lib.wide"]);
  });
});

describe("a loss", () => {
  it.each([
    ["0.01 * cross_entropy - cross_entropy", ["cdr/loss-negative"]],
    ["-cross_entropy", ["cdr/loss-negative"]],
    ["cross_entropy - cross_entropy", ["cdr/loss-constant"]],
    ["0 * cross_entropy + 2", ["cdr/loss-constant"]],
    ["2 * (cross_entropy - cross_entropy / 2) - cross_entropy", ["cdr/loss-constant"]],
    ["cross_entropy - 0.5 * cross_entropy", []],
    ["cross_entropy * cross_entropy", []],
    ["cross_entropy(over = answers) + cross_entropy", ["cdr/objective-data"]],
    ["cross_entropy + 1", []],
  ])("is minimised: %s", (loss, codes) => {
    expect(told(`stage a extends c { loss = ${loss} }`)).toEqual(codes);
  });
});

describe("an import", () => {
  it("names each thing once, and nothing that the file declares itself", () => {
    expect(told('import "b.cdr" { one, two }')).toEqual([]);
    expect(told('import "b.cdr" { one, one }')).toEqual(["cdr/name-duplicate"]);
    expect(told('import "b.cdr" { one, two as one }')).toEqual(["cdr/name-duplicate"]);
    const [clash, ...more] = compiled('import "b.cdr" { one }\nlet one = 3').diagnostics;
    expect(more).toEqual([]);
    expect(clash?.span.source.text.slice(0, clash.span.start).split("\n")).toHaveLength(head.split("\n").length);
  });
});

it.each([
  ["stage a extends c { }\nstage b extends a.last { }", ["cdr/name-unknown"]],
  ["stage a extends c { }\nstage b extends c after a.best { }", ["cdr/name-unknown"]],
  ["stage a extends c { }\nstage b extends a after a { }", []],
])("a header names blocks, not what they make: %s", (text, codes) => {
  expect(told(text)).toEqual(codes);
});

it("a template is no value of a name", () => {
  expect(told("let z = c")).toEqual(["cdr/abstract-used"]);
  expect(told("let z = c\nstage a extends c { from = z.last }")).toEqual(["cdr/abstract-used"]);
  expect(told("let z = c with { data = e }")).toEqual([]);
});

it("an unknown block at the top hides no word of the language", () => {
  expect(told("raw deepspeed { x = 1 }\nstage a extends c { engine = deepspeed }")).toEqual(["cdr/kind-unknown"]);
  expect(told("opt cosine { x = 1 }\nstage a extends c { schedule = cosine }")).toEqual(["cdr/kind-unknown"]);
});

describe("a preset's `when`", () => {
  const seedOf = ({ program }: ReturnType<typeof compiled>) => {
    const block = program.blocks.find(({ name }) => name === "a");
    return block === undefined ? null : block.context.property(block, "seed", block.span).value;
  };
  const stage = "stage a extends c { }\noverlay wide { nodes = 4 }\n";
  it("follows a param that an overlay or the command line gives", () => {
    expect(seedOf(compiled(stage))).toMatchObject({ value: 42 });
    expect(seedOf(compiled(stage, ["wide"]))).toMatchObject({ value: 9 });
    expect(seedOf(compiled(stage, [], [{ name: "nodes", text: "4" }]))).toMatchObject({ value: 9 });
  });
});

describe("a variant that amends a kind", () => {
  const run = "stage a extends c { }\n";
  it.each([
    ["overlay o { eval { every = 3 steps } }", ["cdr/amend-undeclared"]],
    ["overlay o { cluster.nodes = 2 }", ["cdr/amend-undeclared"]],
    ["preset p { sample { seed = 1 } }", ["cdr/amend-undeclared"]],
    ['test "t" { cluster.nodes = 2, assert c.seed == 42 }', ["cdr/amend-undeclared"]],
    ["overlay o { stage { seed = 3 } }", []],
  ])("is told where the file has no block of it: %s", (text, codes) => {
    expect(told(run + text)).toEqual(codes);
  });
  it("may stand beside a template of the kind, for the files that extend it", () => {
    expect(told("overlay o { stage { seed = 3 } }")).toEqual([]);
  });
  it("has a fix where the kind is a group of another one", () => {
    const [first] = compiled(`${run}overlay o { eval { every = 3 steps } }`).diagnostics;
    expect(first?.fixes.map(({ edits }) => edits.map(({ newText }) => newText))).toEqual([
      ["stage { eval { every = 3 steps } }"],
    ]);
  });
  it("may stand in a file of variants alone, and in one that is imported", () => {
    const overlays = "overlay o { sample { seed = 1 } }\n";
    const options = { on: null, target: null, preset: null, overlays: ["o"], overlayFiles: [], sets: [] };
    const read = (path: string): string | undefined => (path === "b.cdr" ? overlays : undefined);
    const context = { ...options, read, environment: () => undefined, host: () => undefined };
    const codes = (text: string) => compile({ path: "main.cdr", text }, context).diagnostics.map(({ code }) => code);
    expect(codes(overlays)).toEqual([]);
    expect(codes(`import "./b.cdr" { o }\n${head}${run}`)).toEqual([]);
  });
});

it.each(["lib.wide", "[lib.wide]"])("a test takes overlays of a file that is imported as a whole: %s", (overlays) => {
  const read = (path: string): string | undefined =>
    path === "b.cdr" ? "overlay wide { stage { seed = 3 } }\n" : undefined;
  const text = `import "./b.cdr" as lib\n${head}stage a extends c { }\ntest "t" { with = ${overlays}, assert a.seed == 3 }\n`;
  const options = { on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] };
  const context = { ...options, read, environment: () => undefined, host: () => undefined };
  expect(compile({ path: "main.cdr", text }, context).diagnostics).toEqual([]);
  const wrong = text.replace("lib.wide", "lib.wid");
  expect(compile({ path: "main.cdr", text: wrong }, context).diagnostics).not.toEqual([]);
});
