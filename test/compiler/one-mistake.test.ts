/** One mistake is one message, and every mistake is told at once. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
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
  ["stage a extends r {\n  schedule:\n    cosine\n}", "`=` gives"],
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

it("a share has no unit", () => {
  const found = told(`${used}stage a extends r { batch = 8% samples }`);
  expect(found.map(({ code }) => code)).toEqual(["cdr/syntax-foreign"]);
  expect(found[0]?.message).toContain("`8 samples`");
});

it("says what a course is and where one stands", () => {
  const found = told(`${used}stage a extends r { seed = ramp(1, 2, over = 5 steps) }`);
  expect(found.map(({ code }) => code)).toEqual(["cdr/type-mismatch"]);
  expect(found[0]?.fix).toContain("a course of a number, which stands at `clip` or `momentum of muon`");
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

it("says what a plan does not count of a teacher, in figures of the teacher's own model", () => {
  const big = `model big extends m { layers = 8 }
stage teaches extends r { model = big, track = wandb(key = k) }
stage learns extends r { objective = distill(teacher = teaches.last), loss = cross_entropy + distill }`;
  const [found, ...more] = told(big);
  expect([found?.code, found?.severity, more.length]).toEqual(["cdr/distill-uncounted", "info", 0]);
  const small = told(big.replace("layers = 8", "layers = 2")).at(0);
  expect(small?.message).toMatch(/adds 33 %/);
  expect(found?.message).not.toEqual(small?.message);
});
