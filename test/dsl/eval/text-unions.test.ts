/** A value of `"a" | "b"` is a text wherever one is taken, and one of these words wherever they are held against it. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const told = (text: string, options: object = {}): readonly string[] =>
  compile({ path: "main.cdr", text: `param lang: "de" | "en" = "de"\n${text}` }, { ...alone, ...options })
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, span }) => `${code} at ${span.source.text.slice(span.start, span.end)}`);

it.each([
  'import "std/clusters" { dgx_h100 }\nlaunch l on dgx_h100 { target = slurm(partition = lang, time = 1 h) }',
  'store lake { at = "s3://lake" }\ndata d { from = lake / lang, tokenizer = bytes }',
  "data d { from = lang, tokenizer = bytes, column = lang }",
  'let j = join([lang, "x"], "-")\nassert j == "de-x"',
  'assert lang + "x" == "dex"\nassert len(lang) == 2',
  'fn f(s: String) = "p-${s}"\nassert f(lang) == "p-de"',
  "param other: String = lang",
  'param other: "de" | "fr" = lang',
  "param other: Path = lang",
  "let n = if lang == de or lang in [en] then 1 else 2",
  'let n = match lang { "de" => 1, en => 2 }',
])("%s", (text) => {
  expect(told(text)).toEqual([]);
  expect(told(text, { sets: [{ name: "lang", text: "de" }] })).toEqual([]);
});

it("a text that is none of them is refused, by whatever way it comes", () => {
  expect(told("", { sets: [{ name: "lang", text: "fr" }] })).toEqual(["cdr/type-mismatch at fr"]);
  expect(told('preset p { lang = "fr" }', { preset: "p" })).toEqual(['cdr/value-choice at "fr"']);
  expect(told("let n = match lang { de => 1 }")).toEqual(["cdr/match-incomplete at match lang"]);
  expect(told("let n = if lang == dee then 1 else 2")).toEqual(["cdr/name-unknown at dee"]);
});

it("a member of an enum that is declared is no text", () => {
  expect(told("enum E { a, b }\nparam e: E = a\nparam s: String = e")).toEqual(["cdr/type-mismatch at e"]);
});
