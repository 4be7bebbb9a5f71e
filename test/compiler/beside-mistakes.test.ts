/** A mistake hides nothing that does not follow from it. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const head = `data d { from = "x.txt", tokenizer = bytes }
model m { family = llama, layers = 4, d_model = 128, heads = 4, context = 256 tokens }
abstract stage b { model = m, data = d, length = 1000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
`;
const told = (text: string): readonly string[] =>
  compile({ path: "main.cdr", text: head + text }, alone).diagnostics.map(({ code }) => code.slice(4));

const late = "stage s extends b { time <= 1 ms }";

it.each([
  ["let x = nosuch", "name-unknown"],
  ["let u = 3 steps + 2 tokens", "operator-operands"],
  ['import "std/models" { nosuch }', "import-unknown"],
  ['import "./nowhere.cdr" { thing }', "import-missing"],
  ["model other { family = llama, layers = 4, d_model = 128 }\nother.hedas = 3", "property-unknown"],
  ["let z = 3 +", "syntax-value-missing"],
])("%j stands alone: a budget is told beside it", (wrong, code) => {
  expect(told(`${wrong}\n${late}`).toSorted()).toEqual(["budget-exceeded", code].toSorted());
});

it.each([
  ["let x = nosuch\nlet y = x + 1", "batch = y * 8 samples", "name-unknown"],
  ['import "std/models" { nosuch as mine }', "model = mine", "import-unknown"],
  ["s { shedule = nosuch }", "", "property-unknown"],
  ["m.hedas = 3", "", "property-unknown"],
  ["fn f(n: Int): Int = n + nosuch", "seed = f(3)", "name-unknown"],
])("%j is what the stage follows from", (wrong, member, code) => {
  expect(told(`${wrong}\nstage s extends b { time <= 1 ms, ${member} }`)).toEqual([code]);
});

it("the steps of a stage are judged beside a line that cannot be read, unless that may hold any text", () => {
  const stage = "stage s extends b { schedule = cosine(warmup = 9000 steps) }";
  expect(told(`let z = 3 +\n${stage}`)).toEqual(["syntax-value-missing", "batch-warmup"]);
  expect(told(`let z = "3\n${stage}`)).toEqual(["syntax-string-unterminated"]);
});

it("what is named in a value that breaks off is not declared there", () => {
  const scale = `enum S { "1b", "4b" }\nparam s: S = "1b"\nlet l = match s { "1b" => 1, "4b" => 2, "5b" => 3 }`;
  expect(told(`${scale}\nlet p = if s == "1b" then 1`)).toContain("match-dead");
});

it("each item of a list is judged", () => {
  const wrong = (text: string) => {
    const { diagnostics } = compile({ path: "main.cdr", text }, alone);
    return diagnostics.map(({ span }) => span.source.text.slice(span.start, span.end));
  };
  expect(wrong('python p { packages = ["torch==2.8.0", "", "nu mpy", "torch=="] }')).toEqual([
    '""',
    '"nu mpy"',
    '"torch=="',
  ]);
  expect(wrong('image i { from = "debian:12", ports = [0, 99999, 80] }')).toEqual(["0", "99999"]);
  expect(wrong('job j { command = ["ls", 3, ""] }')).toEqual(["3", '""']);
});

it("a vocabulary that is too small hides nothing that does not depend on it", () => {
  const text = `data v extends d { tokenizer = tiktoken("gpt2") }
model narrow extends m { vocab = 1000 }
stage s extends b { model = narrow, data = v, context = 512 tokens, batch = 9 samples, layout { micro_batch = 2 samples } }`;
  expect(told(text).toSorted()).toEqual(["batch-divisibility", "size-context", "size-vocabulary"]);
});
