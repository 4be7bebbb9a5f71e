/** A name at the wrong place, or another tool's, is one mistake; what depends on no wrong name is told beside it. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const head = `data c { from = "x.txt", tokenizer = bytes }
model m { family = llama, layers = 4, d_model = 128, heads = 4, context = 256 tokens }
abstract stage b { model = m, data = c, length = 1000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
`;
const told = (text: string) => compile({ path: "main.cdr", text }, alone).diagnostics;
const codes = (text: string): readonly string[] =>
  told(text).flatMap(({ code, severity }) => (severity === "error" ? [code.slice(4)] : []));

it.each([
  ["an argument", "stage s extends b { freeze = lower(layers = 10) }", ["argument-unknown"]],
  ["an argument beside its call", "tokenizer v { learn = bpe(vocab = 32_000), data = c }", ["property-foreign"]],
  [
    "a property of the block around it",
    "cluster q { nodes = 2, node { gpus = 8, gpu = h100 } }",
    ["property-unknown"],
  ],
  ["a word with a hyphen", "stage s extends b { loss = cross-entropy }", ["formula-term"]],
  [
    "settings behind a call",
    "stage s extends b { optimizer = adamw(lr = 1e-3) { betas = [0.9, 0.9] } }",
    ["syntax-block"],
  ],
  ["another tool's name of steps", "stage s extends b { num_steps = 30 }", ["property-foreign"]],
  ["another tool's name of a family", "model n { type = llama }", ["property-foreign"]],
])("%s", (_, text, expected) => {
  expect(codes(head + text)).toEqual(expected);
});

it("an import that brings nothing does not leave a file without steps as well", () => {
  expect(codes('import "./nolib.cdr" { x }\n')).toEqual(["import-missing"]);
  expect(codes('import "" { x }\n')).toEqual(["import-missing"]);
});

it("a name is imported once, on however many lines", () => {
  const line = 'import "std/clusters" { dgx_h100 }\n';
  expect(codes(`${line}${line}${head}stage s extends b { }\n`)).toEqual(["name-duplicate"]);
});

it("the model of a name that lacks a part of it is offered", () => {
  const [found] = told('import "std/models" { llama_3_70b }\n');
  expect(found?.fixes.map(({ title }) => title)).toEqual(["write `llama3_1_70b`"]);
});

it("what does not fit is not told to save more often", () => {
  const huge = 'import "std/models" { llama3_1_70b }\nimport "std/gpus" { rtx_3080 }\n';
  const on = "cluster q { nodes = 1, gpu = rtx_3080, node { gpus = 1 } }\nlaunch l on q { target = local }\n";
  const data = 'data d { from = "x.txt", tokenizer = hf("a/b", vocab = 128_256) }\n';
  const stage =
    "stage s { model = llama3_1_70b, data = d, length = 1M steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }\n";
  expect(told(huge + data + on + stage).map(({ code }) => code)).toEqual(["cdr/memory-exceeded"]);
});

describe("a raw block with a wrong key", () => {
  const raw = (value: string): string => `import "std/clusters" { dgx_h100 }
${head}cluster pod extends dgx_h100 { nodes = 1 }
stage s extends b {
  engine = megatron
  layout { tensor_parallel = 2 }
  raw megatron { tensor_model_parallel_size = 4, num_layers = 7, foo_bar = 3, "lr-decay-style" = ${value}, seq_length = 100 }
}
launch l on pod { target = local }
`;
  it("is judged by its other keys", () => {
    const others = ["engine-raw-conflict", "engine-raw-conflict", "engine-raw-unknown", "engine-raw-conflict"];
    expect(codes(raw('"linear"'))).toEqual(others);
    expect(codes(raw("linear")).toSorted()).toEqual([...others, "name-unknown"].toSorted());
  });
});

describe("arguments of a call beside a line that cannot be read", () => {
  const lost = "fn f(x: Int, = x + 1\n";
  it("follow from the function that is called", () => {
    expect(codes(`${lost}let a = f(1, 2)\n`)).toHaveLength(1);
  });
  it("and from no other name in them", () => {
    const found = codes(`let x = )\nfn g(y: Int) = y + 1\nlet b = g(1, 2, x)\n`);
    expect(found).toContain("argument-excess");
  });
});
