/** One mistake is one message, and every mistake is told at once. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { describeDimension } from "../../dsl/types/units.ts";
import { alone } from "../support/alone.ts";

const head = `secret k = env("KEY")
data d { from = "x.txt", tokenizer = bytes }
data other { from = "y.txt", tokenizer = tiktoken("gpt2"), split { val = 10% } }
model m { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
abstract stage c { model = m, data = d, length = 10 steps, batch = 4 samples }
abstract stage r extends c { optimizer = adamw(lr = 1e-3) }
`;
const told = (text: string) => compile({ path: "main.cdr", text: head + text }, alone).diagnostics;
const used = "stage u extends r { track = wandb(key = k) }\n";

it.each([
  ["stage a extends c { optimizer = adamw(learning_rate = 1e-3) }", "cdr/argument-unknown", "lr"],
  ["stage a extends c { optimizer = adamw(lr = 1e-3, epsilon = 1e-6) }", "cdr/argument-unknown", "eps"],
  ["stage a extends r { schedule = cosine(warmup_steps = 2 steps) }", "cdr/argument-unknown", "warmup"],
  ["tokenizer t { learn = bpe(vocab_size = 512, from = d.text) }", "cdr/argument-unknown", "vocab"],
  ["stage a extends c { optimizer = adamw(1e-3, 0.9, 0.95) }", "cdr/argument-unnamed", "lr = "],
  ['stage a extends r { track = wandb(key = env("HOME")) }', "cdr/secret-written", undefined],
  ["stage a extends r { }\nlet t = a.length.tokens", "cdr/member-unknown", "a.tokens"],
  ["let bits = 400 Gb/s", "cdr/unit-unknown", "Gbps"],
  ["let bits = 10 Mbit/s", "cdr/unit-unknown", "Mbps"],
  ["let rate = 10 GFLOPs/s", "cdr/unit-unknown", "GFLOPS"],
  ["let time = 3 secnds", "cdr/unit-unknown", "s"],
  ["let size = 80 gigabytes", "cdr/unit-unknown", "GB"],
  ["stage a extends r { length = 3 epoches }", "cdr/unit-unknown", "epochs"],
  ["stage a extends r { batch = 8 smaples }", "cdr/unit-unknown", "samples"],
  ['import "std/clusters" dgx_h100', "cdr/syntax-unexpected", "{ dgx_h100 }"],
  [
    'from "std/clusters" import dgx_h100, dgx_a100',
    "cdr/syntax-import-form",
    'import "std/clusters" { dgx_h100, dgx_a100 }',
  ],
  ["from std.clusters import dgx_h100 as h", "cdr/syntax-import-form", 'import "std/clusters" { dgx_h100 as h }'],
  ["from std.clusters import *", "cdr/syntax-import-form", 'import "std/clusters" as clusters'],
  ["from std.clusters import (\n  dgx_h100,\n)", "cdr/syntax-import-form", 'import "std/clusters" { dgx_h100 }'],
  ['import { dgx_h100 } from "std/clusters"', "cdr/syntax-import-form", 'import "std/clusters" { dgx_h100 }'],
  ['import * as c from "std/clusters"', "cdr/syntax-import-form", 'import "std/clusters" as c'],
  ['import clusters from "std/clusters"', "cdr/syntax-import-form", 'import "std/clusters" as clusters'],
  ['import dgx_h100 from "std/clusters"', "cdr/syntax-import-form", 'import "std/clusters" { dgx_h100 }'],
  ['import "std/clusters"::dgx_h100', "cdr/syntax-import-form", 'import "std/clusters" { dgx_h100 }'],
  ['import "std/clusters" { * }', "cdr/syntax-import-form", 'import "std/clusters" as clusters'],
  ['import "std/clusters" [dgx_h100]', "cdr/syntax-import-form", 'import "std/clusters" { dgx_h100 }'],
  ['import "std/clusters"', "cdr/syntax-unexpected", " as clusters"],
  ["import std.clusters", "cdr/syntax-import", '"std/clusters" as clusters'],
  ["use std::clusters::dgx_h100;", "cdr/syntax-import-form", 'import "std/clusters" { dgx_h100 }'],
  [
    "use std::clusters::{dgx_h100, dgx_a100}",
    "cdr/syntax-import-form",
    'import "std/clusters" { dgx_h100, dgx_a100 }',
  ],
  ["use std::clusters as c", "cdr/syntax-import-form", 'import "std/clusters" as c'],
  [
    'load("std/clusters", "dgx_h100", "dgx_a100")',
    "cdr/syntax-import-form",
    'import "std/clusters" { dgx_h100, dgx_a100 }',
  ],
  ['const { dgx_h100 } = require("std/clusters")', "cdr/syntax-import-form", 'import "std/clusters" { dgx_h100 }'],
  ['include "std/clusters"', "cdr/syntax-import-form", 'import "std/clusters" as clusters'],
  ["stage a extends r { loss = dpo(beta = 0.1) }", "cdr/formula-term", undefined],
  ["stage a extends r { reward = 1 }", "cdr/property-foreign", ""],
  ["data a { from = [d, d], tokenizer = bytes }", "cdr/type-mismatch", undefined],
  ['data a { from = "a.jsonl", tokenizer = bytes, format = preference }', "cdr/name-unknown", "preferences"],
  ["resource stage a extends r { }", "cdr/syntax-header-word", ""],
  ["let some = [x for x in [1, 2] where x > 1]", "cdr/syntax-foreign", "if"],
  ["stage a extends r { eval = every(2 steps) }", "cdr/block-assigned", "eval { every = 2 steps }"],
  ["stage a extends r { eval = 2 steps }", "cdr/block-assigned", "eval { every = 2 steps }"],
  ["param wide: Int = 8 in 1..64", "cdr/type-mismatch", " in 1..64 = 8"],
  ["stage a extends r { layout { micro_batch in 4..1 samples } }", "cdr/bounds-contradict", "1..4 samples"],
  ["stage a extends r { expect loss at 5 steps <= 3 }", "cdr/syntax-foreign", ".at(5 steps)"],
  ['enum Mode { "fast", slow }', "cdr/syntax-quoted-name", "fast"],
  ["enum Mode { fast = 1, slow = 2 }", "cdr/syntax-foreign", undefined],
  ['let rates = { a = 1 }\nlet one = rates["a"]', "cdr/member-unknown", "rates.a"],
  ["let one = [1, 2][1.5]", "cdr/type-mismatch", undefined],
  ["let one = [1, 2][2]", "cdr/member-unknown", undefined],
  ["sweep s { stage = u, vary { u.seed in 1..3 } }", "cdr/vary-unknown", "seed"],
  ["sweep s { stage = u, vary { seed = 3 } }", "cdr/property-unknown", "seed in [3]"],
  ["sweep s { stage = u, vary { seed = 1..3 } }", "cdr/property-unknown", "seed in 1..3"],
  ["sweep s { stage = nope, vary { seed in 1..3 } }", "cdr/name-unknown", undefined],
  [
    "stage a extends c { optimizer = adamw(lr = 1e-3, beta1 = 0.9, beta2 = 0.95) }",
    "cdr/argument-unknown",
    undefined,
  ],
  ["stage a extends c { optimizer = adamw(lr = 1e9) }", "cdr/value-range", undefined],
  ["stage a extends r { length = 1e30 tokens }", "cdr/value-range", undefined],
  ['data a { from = "" }', "cdr/type-mismatch", undefined],
  ["let n = 1 Ki", "cdr/syntax-scale", "Ki"],
  ["stage a extends r { length = 20 B }", "cdr/syntax-scale", "B"],
  ["stage a extends r { length = 20 billion }", "cdr/syntax-scale", "B"],
  ["param v: Itn = 3", "cdr/name-unknown", "Int"],
  ["fn f(x: Flaot) = x", "cdr/name-unknown", "Float"],
  ["fn f(x: Tokens = 3) = x", "cdr/unit-missing", "3 tokens"],
  ["python stack { packages = [] }\nlaunch l { python   stack }", "cdr/syntax-equal", " = "],
  ['launch l { target slurm { partition = "gpu" } }', "cdr/syntax-equal", ' = slurm(partition = "gpu")'],
  ["stage a extends r {\n  batch is 8 samples\n}", "cdr/syntax-equal", "="],
  ["stage a extends r { data other // or web\n}", "cdr/syntax-equal", " = "],
  ["stage a extends r { eval often { every = 2 steps } }", "cdr/misplaced", ""],
  ["stage.seed = 3", "cdr/misplaced", undefined],
  ["stage a extends r { expect 3 < 4 }", "cdr/misplaced", "assert"],
  ["stage a extends r { expect stage.batch == 4 samples else warn }", "cdr/misplaced", "assert"],
  ["stage a extends r { expect plan.memory.peak < 3 GB else stop }", "cdr/misplaced", undefined],
  ["import std.clusters { dgx_h100 }", "cdr/syntax-import", '"std/clusters"'],
  ["overlay o { optimizer = adamw(lr = 1e-3) }", "cdr/amend-undeclared", "stage { optimizer = adamw(lr = 1e-3) }"],
  ["overlay o { batch = 8 samples }", "cdr/amend-undeclared", "stage { batch = 8 samples }"],
  ["overlay o { zero_stage = 2 }", "cdr/amend-undeclared", undefined],
  ["sweep s { stage = u, vary { optimizer.lr = [1e-3] } }", "cdr/property-unknown", "optimizer.lr in [1e-3]"],
  ['launch l { target = slurm, raw sbatch { mail-type = "END" } }', "cdr/syntax-hyphen", "mail_type"],
  ["launch l { target = slurm, raw sbatch { // nothing\n} }", "cdr/raw-empty", undefined],
  ["model.heads = 8", "cdr/misplaced", "m"],
  ["model.moe { experts = 8 }", "cdr/misplaced", "m"],
  ["tokenizer t { learn = bpe(vocab = 1e12, from = d.text) }", "cdr/value-range", undefined],
])("one message, with what is meant: %s", (text, code, fix) => {
  const found = told(used + text);
  expect(found.map((each) => each.code)).toEqual([code]);
  expect(found[0]?.fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText))).toEqual(
    fix === undefined ? [] : [fix],
  );
});

it.each([
  ["stage a extends r {\n  checkpoint:\n    every = 5 steps\n}", "`checkpoint { … }`"],
  ["stage a extends r {\n  eval:  // often\n\n    every: 5 steps\n}", "`eval { … }`"],
  ["stage a extends r {\n  schedule:\n    cosine\n}", "gets its value with `=`"],
])("what is indented below a colon is a block, unless it is a value: %s", (text, message) => {
  const found = told(used + text);
  expect(found.map(({ code }) => code)).toEqual(["cdr/syntax-colon"]);
  expect(found[0]?.message).toContain(message);
});

it.each([
  "{a,b}/*.txt",
  "corpus/{train,val}-?.jsonl",
  "*.jsonl",
  "**/*.txt",
  "corpus/{a,b}.txt",
  "corpus/*.{txt,md}",
])("a glob without quotes is one message that puts it in quotes: %s", (glob) => {
  for (const list of [glob, `[${glob}]`, `["x.txt", ${glob}]`]) {
    const found = told(`${used}data g { from = ${list}, tokenizer = bytes }`);
    expect(found.map(({ code }) => code)).toEqual(["cdr/syntax-quotes"]);
    expect(found[0]?.fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText))).toEqual([`"${glob}"`]);
  }
});

it.each(["[*xs]", "{a, b}", "2 ** 3"])("what is no glob is told as before: %s", (value) => {
  expect(told(`${used}let g = ${value}`).map(({ code }) => code)).not.toContain("cdr/syntax-quotes");
});

it("every mistake of several stages is told, each at its stage", () => {
  const found = told(`${used}stage a extends r { context = 128 tokens }
stage b extends r { batch = 3 samples, layout { micro_batch = 2 samples } }
stage e extends r { length = 0 steps, batch = -3 samples }`);
  expect(found.map(({ code }) => code)).toEqual([
    "cdr/size-context",
    "cdr/batch-divisibility",
    "cdr/batch-length",
    "cdr/value-range",
  ]);
});

it("an assertion that cannot be read hides no other one", () => {
  const found = told(`${used}assert u.batch < 8 samples "too much"\nassert u.batch == 4`);
  expect(found.map(({ code }) => code)).toEqual(["cdr/syntax-separator", "cdr/operator-operands"]);
});

it("a period that never comes names the stage that is too short for it, which may have inherited it", () => {
  const found = told(`${used}stage long extends r { length = 1000 steps, log { every = 200 steps } }
stage short extends long { length = 20 steps }`);
  expect(found.map(({ code, message }) => [code, /stage `(\w+)`/.exec(message)?.[1]])).toEqual([
    ["cdr/period-never", "short"],
  ]);
});

it("counts characters as people do", () => {
  expect(told(`${used}assert len("héllo👋") == 6`)).toEqual([]);
});

it("a variable of the environment that is no number is told as such", () => {
  const text = `${head}${used}param n: Int = env("N")`;
  const { diagnostics } = compile({ path: "main.cdr", text }, { ...alone, environment: () => "/root" });
  expect(diagnostics.map(({ message }) => message)).toEqual(['param `n` must be a whole number, not "/root"']);
});

it("a share has no unit", () => {
  const found = told(`${used}stage a extends r { batch = 8% samples }`);
  expect(found.map(({ code }) => code)).toEqual(["cdr/syntax-foreign"]);
  expect(found[0]?.message).toContain("`8 samples`");
});

it("says what a course is and where one stands", () => {
  const found = told(`${used}stage a extends r { seed = ramp(1, 2, over = 5 steps) }`);
  expect(found.map(({ code }) => code)).toEqual(["cdr/type-mismatch"]);
  expect(found[0]?.fix).toContain("a largest norm that changes with the step, a value of `clip`");
});

it("tells everything that is wrong in a text", () => {
  const found = told(`${used}job j { command = "echo \${m.layrs} \${u.lenth} \${d.nope}" }`);
  expect(found.map(({ code }) => code)).toEqual(["cdr/member-unknown", "cdr/member-unknown", "cdr/member-unknown"]);
});

it("an eval's tasks read tokens that its model was trained on", () => {
  expect(told(`${used}eval e { model = u.last, tasks = [perplexity(d.val)] }`)).toEqual([]);
  const wrong = "tasks = [perplexity(other.val)]";
  const codes = (text: string) => told(used + text).map(({ code }) => code);
  expect(codes(`eval e { model = u.last, ${wrong} }`)).toEqual(["cdr/eval-tokenizer"]);
  expect(codes(`eval e { every = 5 steps, ${wrong} }\nstage v extends r { evals = [e] }`)).toEqual([
    "cdr/eval-tokenizer",
  ]);
});

it("says nothing of a secret that nobody uses while something is broken", () => {
  const codes = (text: string) => told(text).map(({ code }) => code);
  expect(codes("stage a extends r { }")).toEqual(["cdr/secret-unused"]);
  expect(codes("stage a extends r { track = wandb(key = kk) }")).toEqual(["cdr/name-unknown"]);
  expect(codes("stage a extends r { track = }")).toEqual(["cdr/syntax-value-missing"]);
});

it("a secret that only gets another name is used by nobody", () => {
  const named = 'secret j = env("J")\nlet a = j\nlet b = a\n';
  const stage = (key: string): string => `${used}stage v extends r { track = wandb(key = ${key}) }`;
  expect(told(named + stage("k")).map(({ message }) => message)).toEqual(["secret `j` is never used"]);
  expect(told(named + stage("b"))).toEqual([]);
  expect(told(`${named}let t = { key = j }\n${used}`)).toEqual([]);
});

it("arguments of a choice are said anew in a `let` as well", () => {
  const stage = (value: string): string => `${used}let y = ${value}\nstage v extends u { optimizer = y }\n`;
  expect(told(`${stage("u.optimizer with { lr = 1e-4 }")}assert v.optimizer.lr == 1e-4`)).toEqual([]);
  const [found, ...others] = told(stage("u.optimizer with { lx = 1e-4 }"));
  expect(others).toEqual([]);
  expect(found).toMatchObject({ code: "cdr/argument-unknown", valid: ["betas", "eps", "lr", "weight_decay"] });
});

it("says what a plan counts of a teacher, in figures of the teacher's own model", () => {
  const big = `model big extends m { layers = 8 }
stage teaches extends r { model = big, track = wandb(key = k) }
stage learns extends r { objective = distill(teacher = teaches.last), loss = cross_entropy + distill }`;
  const [found, ...more] = told(big);
  expect([found?.code, found?.severity, more.length]).toEqual(["cdr/distill-teacher", "info", 0]);
  const small = told(big.replace("layers = 8", "layers = 2")).at(0);
  const shareOf = (one: typeof found): number => Number(/takes (\d+) % of a step/.exec(one?.message ?? "")?.[1]);
  expect(shareOf(small)).toBeGreaterThan(5);
  expect(shareOf(found)).toBeGreaterThan(shareOf(small));
});

it("counts nothing of a teacher that nobody can learn from", () => {
  const found = told(`model big extends m { layers = 8 }
stage learns extends r { objective = distill(teacher = big), loss = cross_entropy + distill, track = wandb(key = k) }`);
  expect(found.map(({ code }) => code)).toEqual(["cdr/distill-unfit"]);
});

it.each([
  ["loss = dpo", "policy"],
  ["loss = ce", "cross_entropy"],
])("a term of a loss by another tool's name: %s", (written, term) => {
  const [found, ...more] = told(`stage v extends r { ${written}, track = wandb(key = k) }`);
  expect([found?.code, found?.fixes[0]?.edits[0]?.newText, more.length]).toEqual(["cdr/formula-term", term, 0]);
});

it("a field of a row is offered where it is said without its row", () => {
  const [found] = told(
    `${used}data p { from = "x.jsonl", tokenizer = bytes, format = pairs(prompt = question, answer = row.answer) }`,
  );
  expect([found?.code, found?.fixes[0]?.edits[0]?.newText]).toEqual(["cdr/formula-term", "row.question"]);
});

it("a value of several properties is told with all of them", () => {
  const [found] = told("stage v extends r { batch = ramp(4, 8, over = 100 steps), track = wandb(key = k) }");
  expect(found?.fix).toMatch(/a value of `clip`, or .*a value of `momentum of muon`/);
});

it("a price is told by the hour, and written to JSON in base units", () => {
  const text = `import "std/clusters" { dgx_h100 }\ncluster p extends dgx_h100 { price = 3 usd }\nlet cheap = 3.6 usd/gpu/h\nlet said = "\${cheap}"\n`;
  const found = told(`${used}${text}assert said == "3.6 usd/gpu/h"`).filter(({ severity }) => severity === "error");
  expect(found.map(({ message }) => message)).toEqual(["`price` is counted in usd/gpu/h, not in usd"]);
  expect(describeDimension({ usd: 1, gpu: -1, second: -1 })).toBe("usd/gpu/s");
});

it.each(['"hf://meta-llama/Llama-3.1-8B"', '"out/last"', 'hf("meta-llama/Llama-3.1-8B")'])(
  "published weights are those of a model: from = %s",
  (from) => {
    const found = told(`${used}stage a extends r { from = ${from} }`);
    expect(found.map(({ code, fix }) => [code, fix.includes("model mine extends")])).toEqual([
      ["cdr/type-mismatch", true],
    ]);
  },
);

it("a limit of 0 would stop all training: no limit is meant", () => {
  const found = told(`${used}stage a extends r { clip = 0 }`);
  expect(found.map(({ code }) => code)).toEqual(["cdr/value-range"]);
  expect(found[0]?.fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText))).toEqual(["none"]);
});

it("only a rate is multiplied by what it is per", () => {
  const [rate] = told(`${used}stage a extends r { length = 20 tokens/param }`);
  const [other] = told(`${used}stage a extends r { length = 20 GB }`);
  expect([rate?.fix, other?.fix].map((fix) => fix?.includes("Multiply"))).toEqual([true, false]);
});

it.each([
  ['job j { command = "true", depends_on = [d] }', " after d"],
  ['job j { command = "true", needs = d }', " after d"],
  ["stage a extends r { }\neval v { model = a.last, data = d, requires = a }", " after a"],
])("what stands in a header is moved there: %s", (text, clause) => {
  const found = told(used + text);
  expect(found.map(({ code }) => code)).toEqual(["cdr/property-unknown"]);
  expect(found[0]?.fixes[0]?.edits.map(({ newText }) => newText)).toEqual([clause, ""]);
});
