import { describe, expect, it } from "vitest";
import { lex } from "../../dsl/lexer/lex.ts";
import { places } from "../support/syntax.ts";

const read = (text: string) => {
  const { tokens, diagnostics } = lex({ path: "test.cdr", text });
  return {
    tokens: tokens.map((token) => `${token.tokenType.name}:${token.image.replaceAll("\n", "⏎")}`),
    payloads: tokens.map((token) => token.payload).filter((payload) => payload !== undefined),
    diagnostics: places(diagnostics),
  };
};

describe("numbers", () => {
  it("keep their scale, their percent sign and their exponent", () => {
    expect(read("20B 4Ki 1.5K 0.05% 1e-4 10_000").tokens).toEqual([
      "Number:20B",
      "Number:4Ki",
      "Number:1.5K",
      "Number:0.05%",
      "Number:1e-4",
      "Number:10_000",
    ]);
  });

  it("leave the points of a range alone", () => {
    expect(read("1..64 0..0.5 4Ki..128Ki a.b").tokens).toEqual([
      ..."Number:1 DotDot:.. Number:64 Number:0 DotDot:.. Number:0.5 Number:4Ki DotDot:.. Number:128Ki".split(" "),
      ..."Identifier:a Dot:. Identifier:b".split(" "),
    ]);
  });
});

describe("strings", () => {
  it("resolve escapes", () => {
    expect(read(String.raw`"a\n\t\"\\\$ \u{1F600}\u00e9"`).payloads).toEqual(['a\n\t"\\$ 😀é']);
  });

  it("open up at interpolations, with offsets in the file", () => {
    const { tokens, diagnostics } = lex({ path: "test.cdr", text: 'x = "a ${b + "c ${d}"} e"' });
    expect(diagnostics).toEqual([]);
    expect(tokens.map((token) => `${token.startOffset}:${token.tokenType.name}`)).toEqual([
      ..."0:Identifier 2:Equal 4:StringOpen 5:StringText 7:InterpolationOpen 9:Identifier 11:Plus".split(" "),
      ..."13:StringOpen 14:StringText 16:InterpolationOpen 18:Identifier 19:InterpolationClose 20:StringClose".split(
        " ",
      ),
      ..."21:InterpolationClose 22:StringText 24:StringClose".split(" "),
    ]);
  });

  it("of several lines lose the indentation of their closing quotes", () => {
    expect(read('"""\n    a\n      b\n\n    c\n    """').payloads).toEqual(["a\n  b\n\nc\n"]);
    expect(read('"""\r\n  a\r\n  b"""').payloads).toEqual(["a\nb"]);
    expect(read('"""a\nb"""').payloads).toEqual(["a\nb"]);
  });

  it("keep braces that no dollar sign stands before", () => {
    expect(read('"./**/*.{txt,jsonl}"').payloads).toEqual(["./**/*.{txt,jsonl}"]);
  });

  it("end with their line when they are not closed", () => {
    expect(read('a = "b\nc = 1')).toMatchObject({ diagnostics: ["1:5 cdr/syntax-string-unterminated"] });
    expect(read('a = "b\nc = 1').tokens).toContain("Identifier:c");
  });

  it("may stand in foreign quotes, with a message", () => {
    expect(read("'a' ‘b’ “c” `d`")).toMatchObject({
      payloads: ["a", "b", "c", "d"],
      diagnostics: [
        "1:1 cdr/syntax-string-quotes",
        "1:5 cdr/syntax-string-quotes",
        "1:9 cdr/syntax-string-quotes",
        "1:13 cdr/syntax-string-quotes",
      ],
    });
  });
});

describe("the rest", () => {
  it("comments are no tokens, doc comments are", () => {
    const { tokens, comments } = lex({ path: "test.cdr", text: "// a\n/// b\n//// c\nx" });
    expect(tokens.map((token) => token.tokenType.name)).toEqual([
      "Newline",
      "Doc",
      "Newline",
      "Newline",
      "Identifier",
    ]);
    expect(comments.map((token) => token.image)).toEqual(["// a", "/// b", "//// c"]);
  });

  it("tabs, carriage returns and a byte order mark are blanks", () => {
    expect(read("\ufeffa\t=\r\n1").tokens).toEqual(["Identifier:a", "Equal:=", "Newline:\r⏎", "Number:1"]);
  });

  it("a foreign character costs one message and no neighbour", () => {
    expect(read("modèle = 1\nb § c")).toMatchObject({
      diagnostics: ["1:4 cdr/syntax-character", "2:3 cdr/syntax-character"],
    });
    expect(read("modèle").tokens).toEqual(["Mistake:modèle"]);
  });
});
