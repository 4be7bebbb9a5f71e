/** A figure of one's own against one of the standard library is told where it was written: nobody edits the library. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const told = (text: string) =>
  compile({ path: "main.cdr", text }, alone)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, span, fix, fixes, related }) => ({
      code,
      at: `${span.source.path}: ${span.source.text.slice(span.start, span.end)}`,
      fix,
      edits: fixes.flatMap(({ edits }) => edits.map((edit) => edit.span.source.path)),
      related: related.map((each) => each.span.source.path),
    }));

it.each([
  ["a width", "", "d_model = 4100", "4100", "cdr/size-divisibility", "heads = 25"],
  [
    "a tokenizer",
    'import "std/tokenizers" { o200k }\n',
    "tokenizer = o200k",
    "o200k",
    "cdr/size-vocabulary",
    "vocab = 200019",
  ],
])("%s", (_, imports, property, at, code, fix) => {
  expect(told(`import "std/models" { llama3_8b }\n${imports}model x extends llama3_8b { ${property} }\n`)).toEqual([
    {
      code,
      at: `main.cdr: ${at}`,
      fix: `In your own block, use ${fix}; or change the marked one.`,
      edits: [],
      related: ["std/models"],
    },
  ]);
});

it("an amendment of a block of the library is held against it, used or not", () => {
  const codes = (amendment: string) =>
    told(`import "std/models" { llama3_8b }\n${amendment}\n`).map(({ code, at }) => [code, at]);
  expect(codes("llama3_8b.contxt = 3 tokens")).toEqual([["cdr/property-unknown", "main.cdr: contxt"]]);
  expect(codes("llama3_8b.layers = 3 tokens")).toEqual([["cdr/unit-mismatch", "main.cdr: 3 tokens"]]);
  expect(codes("llama3_8b.context = 4096 tokens")).toEqual([]);
});
