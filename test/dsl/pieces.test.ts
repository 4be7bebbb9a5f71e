import { describe, expect, it } from "vitest";
import { realFiles } from "../../bench/mutate.ts";
import { sourceOf } from "../../bench/sources.ts";
import { parse } from "../../dsl/syntax/parse.ts";
import { piecesOf } from "../../dsl/syntax/pieces.ts";

const atOnce = (text: string) => parse({ path: "long.cdr", text }, Infinity);
const inPieces = (text: string, piece = 100) => parse({ path: "long.cdr", text }, piece);

describe("a long file that is read in pieces", () => {
  it("is cut between blocks alone", () => {
    const text = `model a {\n  layers = 2\n}\n\n/// The next.\nmodel b {\n}\n\n  x = 1\n\nlet y = 1\n`;
    const cuts = piecesOf(text, 5);
    expect(cuts.map((end, at) => text.slice(cuts[at - 1] ?? 0, end))).toEqual([
      "model a {\n  layers = 2\n}\n\n",
      "/// The next.\nmodel b {\n}\n\n  x = 1\n\nlet y = 1\n",
    ]);
  });

  it.each(realFiles().map(({ path, text }) => [path, text] as const))(
    "holds what it holds at once: %s",
    (_, text) => {
      expect(inPieces(text)).toEqual(atOnce(text));
    },
  );

  it("holds what it holds at once, whatever its length", () => {
    const text = sourceOf(2000, 3);
    expect(piecesOf(text, 100).length).toBeGreaterThan(50);
    expect(inPieces(text)).toEqual(atOnce(text));
  });

  it.each([
    ["a string of many lines", 'let s = """\n}\n\nmodel x {\n"""\n\n'],
    ["a bracket that is not closed", "model a {\n  x { y = 1\n}\n\n"],
    ["a value that is missing", "model a {\n  layers =\n}\n\nlet x =\n}\n\n"],
    ["a doc comment behind the cut", "/// Of the file.\nmodel a {\n}\n\n/// Of b.\nmodel b {\n}\n\n"],
    ["a word that goes on", "let c = a with {\n}\n\nof = 3\n\n"],
    ["another language's comment", "model a {\n}\n\n/* model b {\n}\n\nmodel c { */\n"],
    ["what a merge has left", "model a {\n<<<<<<< ours\n}\n\n=======\n>>>>>>> theirs\n}\n\n"],
  ])("is read as a whole where a piece cannot be read alone: %s", (_, part) => {
    const filler = "model filler {\n  layers = 2\n}\n\n".repeat(8);
    for (const text of [part + filler, filler + part + filler, filler + part])
      expect(inPieces(text, 20)).toEqual(atOnce(text));
  });
});
