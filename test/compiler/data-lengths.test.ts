/** Samples have one length, whoever says it: the data or the stages that read it. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const told = (data: string, ...stages: readonly string[]): readonly string[] =>
  compile(
    {
      path: "main.cdr",
      text: `data d { from = "x.txt", tokenizer = bytes${data} }
model m { family = llama, layers = 2, d_model = 64, heads = 4, context = 256 tokens }
abstract stage b { model = m, data = d, length = 10 steps, batch = 4 samples, optimizer = adamw(lr = 1e-3) }
${stages.join("\n")}`,
    },
    alone,
  )
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, span }) => `${code.slice(4)} ${span.source.text.slice(span.start, span.end)}`);

const reads = (name: string, context: string) => `stage ${name} extends b { context = ${context} }`;

it.each<[string, readonly string[], readonly string[]]>([
  [", sequence = 128 tokens", [reads("s", "256 tokens")], ["data-sequence 256 tokens"]],
  [", sequence = 128 tokens", [reads("s", "64 tokens")], ["data-sequence 64 tokens"]],
  [", sequence = 128 tokens", [reads("s", "128 tokens")], []],
  [", sequence = 128 tokens", ["stage s extends b {}"], []],
  [
    ", sequence = 128 tokens",
    [reads("s", "128 tokens"), reads("t", "64 tokens"), reads("u", "32 tokens")],
    ["data-sequence 64 tokens", "data-sequence 32 tokens"],
  ],
  [
    ", sequence = 512 tokens",
    [reads("s", "256 tokens"), "stage t extends b {}"],
    ["size-context 512 tokens", "data-sequence 256 tokens"],
  ],
  ["", [reads("s", "128 tokens"), reads("t", "64 tokens")], ["data-sequence 64 tokens"]],
])("data%s read by %j: %j", (data, stages, expected) => {
  expect(told(data, ...stages)).toEqual(expected);
});
