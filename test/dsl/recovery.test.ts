import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { excerpt } from "../../dsl/diagnostics/excerpt.ts";
import { nearest } from "../../dsl/diagnostics/nearest.ts";
import { alone } from "../support/alone.ts";
import { applyFixes, parseText, places } from "../support/syntax.ts";

/** Text, where and what the one message is, and the text after its fix (`null`: it offers none). */
type Case = readonly [text: string, place: string, mended: string | null];

const inBlock = (line: string): string => `stage s {\n  a = 1\n  ${line}\n  z = 2\n}`;

/** What stands in a block between two healthy members. */
const lines: readonly Case[] = [
  ["lr: 1e-4", "5 cdr/syntax-colon", "lr = 1e-4"],
  ["batch: Int = 8", "8 cdr/syntax-colon", "batch = 8"],
  ["eval: { every = 3 steps }", "7 cdr/syntax-colon", "eval { every = 3 steps }"],
  ["b = adamw(lr: 1e-4, eps = 1)", "15 cdr/syntax-colon", "b = adamw(lr = 1e-4, eps = 1)"],
  ['"batch": 8', "10 cdr/syntax-colon", "batch = 8"],
  ['"--mem": 8', "10 cdr/syntax-colon", '"--mem" = 8'],
  ["b == 3", "5 cdr/syntax-operator", "b = 3"],
  ["b += 3", "5 cdr/syntax-operator", "b = 3"],
  ["b = 'x'", "7 cdr/syntax-string-quotes", 'b = "x"'],
  ['b = "x', "7 cdr/syntax-string-unterminated", 'b = "x"'],
  ['layout { name = "x }', "19 cdr/syntax-string-unterminated", 'layout { name = "x" }'],
  ['b = f("x [1])', "9 cdr/syntax-string-unterminated", 'b = f("x [1]")'],
  ['b = """\n    some text\n\n    more', "7 cdr/syntax-string-unterminated", 'b = """\n    some text\n\n    more"""'],
  ['b = "${x"', "8 cdr/syntax-string-interpolation", 'b = "\\${x"'],
  ['b = "${x y}"', "12 cdr/syntax-unexpected", null],
  [String.raw`b = "\d"`, "8 cdr/syntax-string-escape", String.raw`b = "\\d"`],
  [String.raw`b = "a\0"`, "9 cdr/syntax-string-nul", 'b = "a"'],
  ['b = "a\0"', "9 cdr/syntax-string-nul", 'b = "a"'],
  ['b = "runs/$RUN"', "13 cdr/syntax-string-dollar", 'b = "runs/${run.id}"'],
  ["b = $RUN", "7 cdr/syntax-dollar", "b = run.id"],
  ["b = ${HOME}", "7 cdr/syntax-dollar", "b = HOME"],
  ['source "web" { weight = 3 }', "10 cdr/syntax-quoted-name", "source web { weight = 3 }"],
  ['from "hf://x/y"', "8 cdr/syntax-equal", 'from = "hf://x/y"'],
  ["batch 512 samples", "9 cdr/syntax-equal", "batch = 512 samples"],
  ["optimizer adamw(lr = 1)", "13 cdr/syntax-equal", "optimizer = adamw(lr = 1)"],
  ["optimizer = adamw { lr = 1 }", "21 cdr/syntax-block", "optimizer = adamw( lr = 1 )"],
  ["clip =\n  layout { b = 1 }", "8 cdr/syntax-value-missing", null],
  ["stage t = { lr = 1 }", "11 cdr/syntax-declaration", "stage t { lr = 1 }"],
  ["const b = 1", "3 cdr/syntax-binding", "let b = 1"],
  ["time = 36:00:00", "10 cdr/syntax-clock-time", "time = 36 h"],
  ["time = 01:30:00", "10 cdr/syntax-clock-time", "time = 90 min"],
  ["time = 7-00:00:00", "10 cdr/syntax-clock-time", "time = 7 d"],
  ["mem = 80G", "9 cdr/syntax-number-suffix", "mem = 80 GB"],
  ["mem = 80gb", "9 cdr/syntax-number-suffix", "mem = 80 GB"],
  ["every = 30m", "11 cdr/syntax-number-suffix", "every = 30 min"],
  ["context = 4k", "13 cdr/syntax-number-suffix", "context = 4K"],
  ["size = 1b params", "10 cdr/syntax-number-suffix", "size = 1B params"],
  ["length = 20Btokens", "12 cdr/syntax-number-suffix", "length = 20B tokens"],
  ["length = 100steps", "12 cdr/syntax-number-suffix", "length = 100 steps"],
  ["length = 20 B tokens", "15 cdr/syntax-scale", "length = 20B tokens"],
  ["length = 20 billion tokens", "15 cdr/syntax-scale", "length = 20B tokens"],
  ["b = .5", "7 cdr/syntax-number", "b = 0.5"],
  ["b = 1.", "7 cdr/syntax-number", "b = 1.0"],
  ["b = 0x1F", "7 cdr/syntax-number", "b = 31"],
  ["b = 5 %", "9 cdr/syntax-percent", "b = 5%"],
  ["b = c % d", "9 cdr/syntax-operator", "b = mod(c, d)"],
  ["b = c ^ 2", "9 cdr/syntax-operator", "b = pow(c, 2)"],
  ["b = c ** 2", "9 cdr/syntax-operator", "b = pow(c, 2)"],
  ["b = 2 ** 9 samples", "9 cdr/syntax-operator", "b = 512 samples"],
  ["b = c ** 2 samples", "9 cdr/syntax-operator", "b = pow(c, 2) * 1 samples"],
  ["b = 7 % 4 samples", "9 cdr/syntax-operator", null],
  ["b = c && d", "9 cdr/syntax-operator", "b = c and d"],
  ["b = c || d", "9 cdr/syntax-operator", "b = c or d"],
  ["b = !c", "7 cdr/syntax-operator", "b = not c"],
  ["b = c === d", "9 cdr/syntax-operator", "b = c == d"],
  ["b = c ? d : e", "9 cdr/syntax-operator", "b = if c then d else e"],
  ["b = c if d else e", "9 cdr/syntax-condition", "b = if d then c else e"],
  ["b = 4 not in [1]", "9 cdr/syntax-not-in", "b = not 4 in [1]"],
  ["assert !c", "10 cdr/syntax-operator", "assert not c"],
  ["b = c not in d", "9 cdr/syntax-not-in", "b = not c in d"],
  ["b = match c { d -> 1, else => 2 }", "19 cdr/syntax-operator", "b = match c { d => 1, else => 2 }"],
  ["b = c -> d", "9 cdr/syntax-operator", null],
  ["b = 1 < c < 3", "13 cdr/syntax-chained", "b = 1 < c and c < 3"],
  ["b = (0.9, 0.95)", "7 cdr/syntax-tuple", "b = [0.9, 0.95]"],
  ["b = [x for x in xs, 3]", "10 cdr/syntax-comprehension", null],
  ["tasks:\n    - web\n    - books", "+1:5 cdr/syntax-list-item", "tasks = [\n    web\n    books]"],
  ["tasks:\n    - name: web\n      weight: 3\n    - name: books", "+1:5 cdr/syntax-list-item", null],
  ["- web\n  - books", "3 cdr/syntax-list-item", null],
  ['b = [\n    - "a"\n    - "b"\n  ]', "+1:5 cdr/syntax-list-item", 'b = [\n    "a"\n    "b"\n  ]'],
  ["b = c\n    - d", "+1:5 cdr/syntax-minus", "b = c -\n    d"],
  ["b = 1\n<<<<<<< a\nc = 2\n=======\nc = 3\n>>>>>>> b", "+1:1 cdr/syntax-conflict", "b = 1\nc = 2"],
  ["b = 1\n>>>>>>> b", "+1:1 cdr/syntax-conflict", "b = 1\n"],
  ["b = 1;", "8 cdr/syntax-semicolon", "b = 1"],
  ["b = 1; c = 2", "8 cdr/syntax-semicolon", "b = 1\n  c = 2"],
  ["b = 1 c = 2", "9 cdr/syntax-separator", "b = 1, c = 2"],
  ["b = 1 # c", "9 cdr/syntax-comment", "b = 1 // c"],
  ["/* b\n   c */", "3 cdr/syntax-comment", "// b\n   // c"],
  ["b =", "6 cdr/syntax-value-missing", null],
  ["b <=", "7 cdr/syntax-value-missing", null],
  ["b = 1 +", "10 cdr/syntax-value-missing", null],
  ["b = f(c = )", "12 cdr/syntax-value-missing", null],
  ["b = c.", "9 cdr/syntax-value-missing", null],
  ["b = c = 1", "9 cdr/syntax-unexpected", null],
  ["web", "3 cdr/syntax-member", null],
  ["f(1)", "3 cdr/syntax-member", null],
  ["3", "3 cdr/syntax-unexpected", null],
  ["b extends dgx-a100 { }", "13 cdr/syntax-hyphen", "b extends dgx_a100 { }"],
  ["model my-run { }", "9 cdr/syntax-hyphen", "model my_run { }"],
  ["launch a on b extends c { }", "17 cdr/syntax-header", "launch a extends c on b { }"],
  ["if (b) {\n    c = 1\n  } else {\n    d = 2\n  }", "3 cdr/syntax-control-flow", null],
  ["if b {\n    c = 1\n  }\n  elif d {\n    e = 2\n  }\n  else {\n    e = 3\n  }", "3 cdr/syntax-control-flow", null],
  ["for x in xs {\n    c = 1\n  }", "3 cdr/syntax-control-flow", null],
  ["while b {\n    c = 1\n  }", "3 cdr/syntax-control-flow", null],
  ["def f(x) {\n    return x\n  }", "3 cdr/syntax-function", null],
  ["b = modèle", "10 cdr/syntax-character", null],
  ["b ≤ 3", "5 cdr/syntax-character", "b <= 3"],
  ["b = “x”", "7 cdr/syntax-string-quotes", 'b = "x"'],
  ["b = `x`", "7 cdr/syntax-string-quotes", 'b = "x"'],
  ["@dec", "3 cdr/syntax-character", null],
  ["b = f(c", "10 cdr/syntax-bracket-unclosed", "b = f(c)"],
  ["b = [1, 2", "12 cdr/syntax-bracket-unclosed", "b = [1, 2]"],
  ["b = [\n    1\n    2", "+2:6 cdr/syntax-bracket-unclosed", "b = [\n    1\n    2]"],
  ["layout { c = 1", "17 cdr/syntax-bracket-unclosed", "layout { c = 1}"],
  ["layout {\n    c = 1", "+1:10 cdr/syntax-bracket-unclosed", "layout {\n    c = 1}"],
  ["layout\n    c = 1\n  }", "9 cdr/syntax-bracket-missing", "layout {\n    c = 1\n  }"],
  ["b = f(1]", "10 cdr/syntax-bracket-mismatched", "b = f(1)"],
  ["b = f(1))", "11 cdr/syntax-bracket-unopened", "b = f(1)"],
];

/** `+1:5 code` is one line below the third, column 5; `5 code` is on the third. */
function expectedPlace(place: string): string {
  const [, down, column, code] = /^(?:\+(\d+):)?(\d+) (.*)$/.exec(place) ?? [];
  return `${3 + Number(down ?? 0)}:${column} ${code}`;
}

describe("one mistake in a block: one message, its neighbours stay", () => {
  it.each(lines)("%j", (line, place, mended) => {
    const { file, diagnostics } = parseText(inBlock(line));
    expect(places(diagnostics)).toEqual([expectedPlace(place)]);
    const [block] = file.statements;
    const names =
      block?.kind === "block" ? block.body?.map((member) => "target" in member && member.target[0].text) : [];
    expect(names?.at(0)).toBe("a");
    expect(names?.at(-1)).toBe("z");

    const [fix] = diagnostics[0]?.fixes ?? [];
    expect(fix === undefined ? null : applyFixes(inBlock(line), [fix])).toBe(
      mended === null ? null : inBlock(mended),
    );
    if (mended !== null) expect(places(parseText(inBlock(mended)).diagnostics)).toEqual([]);
  });
});

const files: readonly Case[] = [
  ['import "std/clusters" { dgx-a100 }', "1:25 cdr/syntax-hyphen", 'import "std/clusters" { dgx_a100 }'],
  ["cluster c extends dgx-a100 { }", "1:19 cdr/syntax-hyphen", "cluster c extends dgx_a100 { }"],
  ["import std/clusters { a }\nlet b = 1", "1:8 cdr/syntax-import", 'import "std/clusters" { a }\nlet b = 1'],
  ["import clusters as a", "1:8 cdr/syntax-import", 'import "clusters" as a'],
  ["fn f(a: Int) -> Int = a", "1:14 cdr/syntax-operator", "fn f(a: Int): Int = a"],
  ["param a: Int = = 1", "1:16 cdr/syntax-value-missing", null],
  ["let a 1", "1:7 cdr/syntax-unexpected", null],
  ["enum E { a, b c }", "1:15 cdr/syntax-separator", "enum E { a, b, c }"],
  [
    "stage s {\n  b = 1\n\ndata d { x = 1 }",
    "2:8 cdr/syntax-bracket-unclosed",
    "stage s {\n  b = 1}\n\ndata d { x = 1 }",
  ],
  ["stage s\n  b = 1\n}\ndata d { }", "1:8 cdr/syntax-bracket-missing", "stage s {\n  b = 1\n}\ndata d { }"],
  ["stage s {\n  b = f(1,\n    2\n\n  c = [1,\n", "5:10 cdr/syntax-bracket-unclosed", null],
  ["stage s { }\n}", "2:1 cdr/syntax-bracket-unopened", "stage s { }\n"],
  ["stage s {\n  b = 1\n)", "3:1 cdr/syntax-bracket-mismatched", "stage s {\n  b = 1\n}"],
  ["# a\nlet b = 1", "1:1 cdr/syntax-comment", "// a\nlet b = 1"],
  ["/* c */ let b = 1", "1:1 cdr/syntax-comment", "// c\nlet b = 1"],
  ["let a = [\n  /* c\n   d */ 1\n]", "2:3 cdr/syntax-comment", "let a = [\n  // c\n   // d\n  1\n]"],
  ["let b = /* c */ 1", "1:9 cdr/syntax-comment", null],
  ["let b = 1 /* c */", "1:11 cdr/syntax-comment", "let b = 1 // c"],
  ["let a = (1 + 2", "1:15 cdr/syntax-bracket-unclosed", "let a = (1 + 2)"],
  ["a = {", "1:6 cdr/syntax-bracket-unclosed", "a = {}"],
];

describe("one mistake in a file", () => {
  it.each(files)("%j", (text, place, mended) => {
    const { diagnostics } = parseText(text);
    expect(places(diagnostics).slice(0, 1)).toEqual([place]);
    if (mended === null) return;
    expect(diagnostics).toHaveLength(1);
    expect(applyFixes(text, diagnostics[0]?.fixes.slice(0, 1) ?? [])).toBe(mended);
    expect(places(parseText(mended).diagnostics)).toEqual([]);
  });
});

it.each([
  ["brackets", `${"(".repeat(300)}1${")".repeat(300)}`],
  ["signs", `${"- ".repeat(900)}1`],
  ["operands", `1${" + 1".repeat(9000)}`],
  ["conditions", `${"if c then 1 else ".repeat(390)}2`],
  ["blocks", "{ a ".repeat(10_000)],
  ["blocks that are closed", `${"{ a ".repeat(10_000)}${"}".repeat(10_000)}`],
  ["lists", "[".repeat(10_000)],
])("too many %s are one message", (_, value) => {
  expect(parseText(`a = 1\nb = ${value}\nc = 3`).diagnostics.map((diagnostic) => diagnostic.code)).toEqual([
    "cdr/syntax-depth",
  ]);
});

it("many operands side by side are not deep", () => {
  expect(places(parseText(`a = 1${" + 1".repeat(1900)}`).diagnostics)).toEqual([]);
});

it("what is too deep for a small stack is one message, not an overflow", () => {
  const text = JSON.stringify(`a = 1\nb = ${"if c then 1 else ".repeat(390)}2\nc = 3`);
  const program = `
    const { parse } = await import(${JSON.stringify(new URL("../../dsl/syntax/parse.ts", import.meta.url).href)});
    const { file, diagnostics } = parse({ path: "deep.cdr", text: ${text} });
    console.log(file.statements.length, diagnostics.map((each) => each.code).join());`;
  const words = ["--stack-size=300", "--input-type=module", "-e", program];
  expect(execFileSync(process.execPath, words, { encoding: "utf8" })).toBe("2 cdr/syntax-depth\n");
});

it("a comment that stands within a line has no fix, which would make a comment of the rest", () => {
  expect(parseText("let b = /* c */ 1").diagnostics.flatMap(({ fixes }) => fixes)).toEqual([]);
});

it("what is legal stays silent", () => {
  const text = "checkpoint = { every = 3 }\nmem = 64Gi\nb = dgx - a100\nc = yes\nd = True\ne = null,,\n,\nf = 1\n";
  expect(places(parseText(text).diagnostics)).toEqual([]);
});

/** A compiled file that is right but for what stands in its stage, in the file, in a `--set` or in the environment. */
function complaints(line: string, top = "", set?: string): readonly string[] {
  const text = `${top}
model gpt { family = llama, d_model = 64, layers = 2, heads = 2, context = 1Ki tokens, vocab = 1000 }
data corpus { source web { from = "hf://a/b" } }
stage s {
  model = gpt
  data = corpus
  length = 10 steps
  optimizer = adamw(lr = 1e-3)
  batch = 16 samples
  ${line}
}`;
  const { diagnostics } = compile(
    { path: "main.cdr", text },
    {
      on: null,
      target: null,
      preset: null,
      overlays: [],
      overlayFiles: [],
      sets: set === undefined ? [] : [{ name: "n", text: set }],
      read: () => undefined,
      environment: () => undefined,
      host: () => undefined,
    },
  );
  return diagnostics.map(({ code, fixes }) => [code, ...fixes.map((fix) => fix.title)].join(" | "));
}

it.each([
  ["context = 4k", "cdr/syntax-number-suffix | write `4K`"],
  ["context = 4k tokens", "cdr/syntax-number-suffix | write `4K`"],
  ["context = 1K", "cdr/unit-missing | write `1K tokens`"],
  ["eval { every = 30m }", "cdr/syntax-number-suffix | write `30 min`"],
  ["eval { every = 2 hours }", "cdr/unit-unknown | write `h`"],
  ["assert 12 % 5 == 2", "cdr/syntax-operator | write `mod(12, 5)`"],
  ["assert 5 % == 1", "cdr/syntax-percent | write it directly after the number"],
  ["assert 4 not in [1]", "cdr/syntax-not-in | put `not` first"],
  ["assert 1 < 2 < 3", "cdr/syntax-chained | join two comparisons with `and`"],
  ["assert 2 ** 3 == 8", "cdr/syntax-operator | write `pow(2, 3)`"],
  ["assert !true", "cdr/syntax-operator | write `not`"],
  ["schedule = cosine { warmup = 3% }", "cdr/syntax-block | write `( )`"],
  ["eval = None", "cdr/name-unknown | write `none`"],
  ["eval = no", "cdr/name-unknown | write `none`"],
  ["clip = None", "cdr/name-unknown | write `none`"],
  ["compile = yes", "cdr/name-unknown | write `true`"],
  ["gradient_accumulation_steps = 4", "cdr/property-foreign | remove this line"],
  ["depends_on = corpus", "cdr/property-unknown | move it there"],
  ["max_steps = 10", "cdr/property-foreign | remove this line"],
  ["lenght = 10 steps", "cdr/property-unknown | remove this line"],
  ['context = "x', "cdr/syntax-string-unterminated | close the string"],
])("a compiled file: %j is one message", (line, said) => {
  expect(complaints(line)).toEqual([said]);
});

it("what comes from outside is a type mismatch, what is missing there says how to give it", () => {
  expect(complaints("", "param n: Int in 1..8 = 2", "abc")).toEqual(["cdr/type-mismatch"]);
  expect(complaints("", 'param n: Int = env("N")')).toEqual(["cdr/param-missing"]);
});

it("a required property under another name is not missing as well", () => {
  const model = "familly = llama, d_model = 64, layers = 2, heads = 2, context = 1Ki tokens, vocab = 1000";
  expect(complaints("", `model other { ${model} }`)).toEqual(["cdr/property-unknown | write `family`"]);
});

it("a time in quotes is written with its unit", () => {
  expect(complaints("", 'let t: Duration = "36:00:00"')).toEqual(["cdr/type-mismatch | write `36 h`"]);
});

it("control characters are seen", () => {
  const source = { path: "test.cdr", text: "a = \0\u001b\u007f" };
  expect(excerpt({ source, start: 4, end: 5 }, 80).map((line) => line.text)).toEqual(["a = ␀␛␡"]);
});

it("a short word is near only to what shares a letter with it", () => {
  expect(nearest("a", ["d"])).toBe(null);
  expect(nearest("lr_", ["lr"])).toBe("lr");
});

it("a secret is not called unused where what uses it cannot be read", () => {
  const codes = (head: string): readonly string[] => {
    const text = `secret k = env("K")\n${head} { track = [wandb(key = k)] }\nstage t {}\n`;
    return compile({ path: "main.cdr", text }, alone).diagnostics.map(({ code }) => code);
  };
  expect(codes("stge s")).not.toContain("cdr/secret-unused");
  const unused = compile({ path: "main.cdr", text: 'secret k = env("K")\nstage t {}\n' }, alone).diagnostics;
  expect(unused.map(({ code }) => code)).toContain("cdr/secret-unused");
});

it("a stage is not said to save nothing where its text cannot be read", () => {
  const codes = (line: string): readonly string[] => {
    const text = `import "std/clusters" { dgx_h100 }
model m { family = gpt2, layers = 4, d_model = 128, heads = 4, vocab = 300, context = 128 tokens }
data corpus { from = "x.txt" }
stage s {
  model = m
  data = corpus
  length = 500 steps
  batch = 16 samples
  optimizer = adamw(lr = 1e-3)
  ${line}
}
launch l on dgx_h100 { target = slurm(partition = "g", time = 1 h, requeue = true) }
`;
    return compile({ path: "main.cdr", text }, alone).diagnostics.map(({ code }) => code);
  };
  expect(codes("checkpoint = none")).toContain("cdr/slurm-requeue");
  expect(codes("checkpoint { every = 30 min")).not.toContain("cdr/slurm-requeue");
});
