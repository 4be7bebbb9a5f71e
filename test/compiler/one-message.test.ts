/** One mistake is one message, where it was made. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";
import { messagesOf } from "../support/broken.ts";

const lines = (...text: readonly string[]): string => `${text.join("\n")}\n`;

const data = 'data web { from = "corpus/*.txt" }';
const model = "model small { family = llama, layers = 4, d_model = 256, heads = 4, context = 256 tokens }";
const stage = (...more: readonly string[]): string =>
  lines(
    'import "std/gpus" { cpu, h100_sxm, v100_32gb }',
    "cluster new { gpu = h100_sxm, link = 450 GB/s, node { gpus = 8 } }",
    "cluster old { gpu = v100_32gb, link = 150 GB/s, node { gpus = 8 } }",
    "cluster desk { gpu = cpu }",
    data,
    model,
    "stage pretrain {",
    "  model = small, data = web, length = 100 steps, batch = 64 samples, optimizer = adamw(lr = 1e-3)",
    ...more,
  );

describe("of a part that is declared twice", () => {
  it("its block's sum says nothing", () => {
    const shares = (second: string): string =>
      lines("data web {", '  source a { from = "a/*", weight = 60% }', `  source ${second}`, "}");
    expect(messagesOf(shares('b { from = "b/*", weight = 50% }'))).toEqual(["1 cdr/data-weights"]);
    expect(messagesOf(shares('a { from = "b/*", weight = 40% }'))).toEqual(["3 cdr/name-duplicate"]);
    expect(
      messagesOf('data web { source a { from = "a", weight = 60% }, source a { from = "b", weight = 40% } }'),
    ).toEqual(["1 cdr/name-duplicate"]);
  });
  it("other mistakes stay", () => {
    const text = lines("data web {", '  source a { from = "a/*" }', '  source a { from = "b/*" }', "  form = 1", "}");
    expect(messagesOf(text)).toEqual(["3 cdr/name-duplicate", "4 cdr/property-unknown"]);
    expect(messagesOf(lines(data, "data web { from = 3 }"))).toEqual(["2 cdr/name-duplicate"]);
  });
});

describe("of a secret", () => {
  it.each([
    ['secret key = "abc"', "1 cdr/secret-written"],
    ["secret key = 5", "1 cdr/secret-written"],
    [lines('let k = "abc"', "secret key = k"), "2 cdr/secret-written"],
    [lines('secret key = "abc"', 'store s { at = "s3://b", key = key }'), "1 cdr/secret-written"],
    ['store s { at = "s3://b", key = "abc" }', "1 cdr/secret-written"],
    ['secret key = envv("K")', "1 cdr/value-choice"],
  ])("that a file holds: %s", (text, message) => {
    expect(messagesOf(text)).toEqual([message]);
  });
  it("that is read on the target nothing is said where it is used", () => {
    expect(messagesOf(lines('secret key = env("K")', 'store s { at = "s3://b", key = key }'))).toEqual([]);
  });
});

describe("of `attention = flash`", () => {
  const told = (precision: string, on: string): readonly string[] =>
    messagesOf(
      stage(
        ...[precision, "  attention = flash", "}", `launch here on ${on} { target = local }`].filter((l) => l !== ""),
      ),
    );

  it.each([
    ["", "new", []],
    ["  precision = bf16", "new", []],
    ["  precision = fp16", "new", []],
    ["  precision = fp32", "new", ["10 cdr/stage-attention"]],
    ["", "old", ["9 cdr/stage-attention"]],
    ["  precision = fp16", "old", ["10 cdr/stage-attention"]],
    ["", "desk", ["9 cdr/stage-attention"]],
    ["  precision = bf16", "desk", ["10 cdr/stage-attention"]],
  ])("with `%s` on `%s`", (precision, on, messages) => {
    expect(told(precision, on)).toEqual(messages);
  });
});

describe("of a machine that is too small", () => {
  const on = (ram: string, layers: number): readonly string[] =>
    messagesOf(
      lines(
        'import "std/gpus" { cpu }',
        `cluster desk { gpu = cpu, node { ram = ${ram} } }`,
        "launch here on desk { target = local }",
        data,
        `model large { family = llama, layers = ${layers}, d_model = 4096, heads = 32, context = 256 tokens }`,
        "stage pretrain { model = large, data = web, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }",
      ),
    );
  it("the stage is to blame where a smaller one would fit", () => {
    expect(on("8 GB", 40)).toEqual(["6 cdr/memory-exceeded"]);
  });
  it("the figure is to blame where none would", () => {
    const small = data + "\n" + model;
    const text = (ram: string): string =>
      lines(
        'import "std/gpus" { cpu }',
        `cluster desk { gpu = cpu, node { ram = ${ram} } }`,
        "launch here on desk { target = local }",
        small,
        "stage pretrain { model = small, data = web, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }",
      );
    expect(messagesOf(text("16 GB"))).toEqual([]);
    expect(messagesOf(text("200 MB"))).toEqual(["2 cdr/memory-exceeded"]);
  });
});

describe("of a name that means two things", () => {
  it("nothing is said of either meaning", () => {
    const texts = (tokenizer: string): string =>
      lines(
        'tokenizer bpe { from = hf("openai-community/gpt2", vocab = 50_257) }',
        `data first { from = "a/*", tokenizer = ${tokenizer} }`,
        `data second { from = "b/*", tokenizer = ${tokenizer} }`,
        model,
        "abstract stage base { model = small, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }",
        "stage one extends base { data = first }",
        "stage two extends base { data = second, from = one.last }",
      );
    for (const tokenizer of ["bpe", "bpe(vocab = 500)"])
      expect(messagesOf(texts(tokenizer))).toEqual(["2 cdr/name-ambiguous", "3 cdr/name-ambiguous"]);
  });
});

describe("of a word in another place than its own", () => {
  it("says where a cluster is named, and how a file", () => {
    const read = (path: string) => (path === "lib.cdr" ? "param n: Int = 2" : undefined);
    const of = (text: string) => compile({ path: "main.cdr", text }, { ...alone, read }).diagnostics;
    const placed = of("abstract stage base { cluster = pod }").map(({ message }) => message);
    expect(placed).toContainEqual(expect.stringContaining("launch hpc on pod"));
    const offered = (name: string) =>
      of(`import "${name}" { n }`).flatMap(({ code, fixes }) =>
        code === "cdr/import-missing" ? [fixes.map(({ title }) => title)] : [],
      );
    expect(offered("lib")).toEqual([['write `"lib.cdr"`']]);
    expect(offered("other")).toEqual([[]]);
  });
});

describe("of a path without quotes", () => {
  it.each([
    "/data/{a,b}/*.txt",
    "./c/*.{txt,md}",
    "~/x/{a,b}.txt",
    "/data/part-[0-9]*.txt",
    "corpus/**/*.{txt,md}",
    "hf://a/{b,c}/*.txt",
  ])("%s is all of it", (path) => {
    expect(messagesOf(`data web { from = ${path}, tokenizer = bytes }`)).toEqual(["1 cdr/syntax-quotes"]);
    expect(messagesOf(`data web {\n  from = ${path}\n  tokenizer = bytes\n}`)).toEqual(["2 cdr/syntax-quotes"]);
  });
});
