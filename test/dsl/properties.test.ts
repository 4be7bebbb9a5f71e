import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Source } from "../../dsl/source/source.ts";
import { parse, parseExpression } from "../../dsl/syntax/parse.ts";
import { realFiles } from "../../bench/mutate.ts";
import { parseText } from "../support/syntax.ts";

const words = [
  ..."model data stage preset gpt lr x y web a.b 1 20B 0.05% tokens steps min 3e-4 .5 1. 80G 36:00:00 -".split(" "),
  ..."= == != <= >= < > : , ; . .. + - * / % ^ ** && || ! => -> | { } ( ) [ ] ${ $RUN # // /// /* */ \\ @ ?".split(
    " ",
  ),
  ..."import param secret let fn enum abstract assert expect test extends after on as in and or not divides of".split(
    " ",
  ),
  ..."with if then else for match true false none auto elif def const".split(" "),
  ...['"x"', '"a ${b} c"', '"', '"""', "'x'", "`", "\n", "\n  ", "\n", " ", "\t", "é", "≤", "“", "\u0000", "😀"],
];
const soup = fc
  .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom("", " ", "\n")), { maxLength: 60 })
  .map((pairs) => pairs.map(([word, glue]) => word + glue).join(""));

/** What is not bounded takes hours on so much text. */
const patience = 300_000;

/** Every diagnostic stays inside of its text. */
function check(source: Source): void {
  const { diagnostics } = parse(source);
  for (const { span, related, fixes } of diagnostics) {
    const edits = fixes.flatMap((fix) => fix.edits.map((edit) => edit.span));
    for (const each of [span, ...related.map((note) => note.span), ...edits]) {
      expect(each.start).toBeGreaterThanOrEqual(0);
      expect(each.end).toBeGreaterThanOrEqual(each.start);
      expect(each.end).toBeLessThanOrEqual(source.text.length);
    }
  }
}

describe("whatever the text, the parser reads it", () => {
  // A sample, another one in each file; the bench `fuzz` does the rest.
  const files = realFiles();

  it("every prefix of a file", () => {
    for (const { path, text } of files) {
      for (let end = 0; end < text.length; end += 11 + (end % 29)) check({ path, text: text.slice(0, end) });
    }
  });

  it.each([
    ["without one of its tokens", () => ""],
    ["with one of its tokens twice", (token: string) => token + token],
    ["with one of its tokens twice, apart", (token: string) => `${token} ${token}`],
  ])("every file %s", (_, mutated) => {
    for (const { path, text, tokens } of files) {
      for (const [index, [start, end]] of tokens.entries()) {
        if (index % 23 !== path.length % 23) continue;
        check({ path, text: text.slice(0, start) + mutated(text.slice(start, end)) + text.slice(end) });
      }
    }
  });

  it("tokens in any order", () => {
    fc.assert(
      fc.property(soup, (text) => {
        check({ path: "soup.cdr", text });
        parseExpression({ path: "--set", text });
      }),
      { numRuns: 3000 },
    );
  });

  it("any characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        check({ path: "noise.cdr", text });
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["open round brackets", "(", ""],
    ["open square brackets", "[", ""],
    ["open blocks", "a {\n", ""],
    ["open calls", "x = f(", ""],
    ["open interpolations", '"${', ""],
    ["signs", "- ", "let a = "],
    ["negations", "not ", "let a = "],
    ["conditions", "if b then ", "let a = "],
    ["choices", "if b then c else ", "let a = "],
    ["matches", "match b { c => ", "let a = "],
    ["sums", " + b", "let a = b"],
    ["members", ".b", "let a = b"],
    ["amendments", " with { }", "let a = b"],
    ["closed blocks", "a }", ""],
    ["closed brackets", ")", ""],
    ["crossed brackets", "(}", ""],
    ["ratios", "/Y", "param x: Y"],
    ["list types", "[", "param x: "],
    ["foreign letters", "é", ""],
    ["semicolons", "a;", ""],
    ["arrows", "a -> ", ""],
    ["dashes", "- a\n", ""],
    ["units before =", "1 steps = ", ""],
    ["single quotes", "'", ""],
    ["block comments", "/*", ""],
    ["escapes", '"\\', ""],
    ["dollars", "$A", ""],
  ])("ten thousand %s", (_, piece, before) => {
    const text = before + piece.repeat(10_000);
    check({ path: "deep.cdr", text });
    expect(parseText(text).diagnostics.length).toBeGreaterThan(0);
  });

  it.each([
    ["semicolons", "a;"],
    ["question marks", "x ? "],
    ["braces", "(} "],
    ["open brackets", "( "],
  ])(
    "more %s on one line than a call takes arguments",
    (_, piece) => {
      expect(parse({ path: "long.cdr", text: piece.repeat(130_000) }).diagnostics).not.toEqual([]);
    },
    patience,
  );
});
