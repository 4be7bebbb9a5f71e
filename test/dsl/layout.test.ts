import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { lex } from "../../dsl/lexer/lex.ts";
import { balance } from "../../dsl/syntax/brackets/balance.ts";
import { layOut } from "../../dsl/syntax/layout.ts";
import { readNumbers } from "../../dsl/syntax/numbers/numbers.ts";

/** The tokens as the parser sees them: `;` for a separator, keywords in capitals. */
const shown = (text: string): string => {
  const source = { path: "test.cdr", text };
  const diagnostics: Diagnostic[] = [];
  const numbered = readNumbers(source, lex(source).tokens, diagnostics);
  const layout = layOut(source, balance(source, numbered).tokens, diagnostics);
  return layout.tokens
    .map((token) => {
      if (token.tokenType.name === "Separator") return ";";
      return token.tokenType.name.startsWith("Word_") ? token.image.toUpperCase() : token.image;
    })
    .join(" ");
};

describe("separators", () => {
  it.each([
    ["newlines and commas separate alike", "a = 1, b = 2\nc = 3", "a = 1 ; b = 2 ; c = 3 ;"],
    ["several make one", "a = 1,,\n\n,\nb = 2\n", "a = 1 ; b = 2 ;"],
    ["none after an opening bracket, one before a closing one", "x {\n a = [\n1\n]\n}", "x { a = [ 1 ; ] ; } ;"],
    ["none in an empty bracket", "x { }\ny = f()", "x { } ; y = f ( ) ;"],
    ["none where a header goes on", "x y\nextends z\n on w {\n}", "x y EXTENDS z ON w { } ;"],
    ["one before a name that a header could go on with", "x = y\non = z\nafter { }", "x = y ; on = z ; after { } ;"],
    ["an interpolation has none", '"""a ${\nb\n} c"""', '""" a  ${ b }  c """ ;'],
  ])("%s", (_, text, result) => {
    expect(shown(text)).toBe(result);
  });
});

describe("a line goes on", () => {
  it.each([
    ["after an operator", "a = 1 +\n2", "a = 1 + 2 ;"],
    ["after `=`", "a =\n  1", "a = 1 ;"],
    ["before an operator", "a = 1\n  + 2", "a = 1 + 2 ;"],
    ["before a point", "a = b\n  .c", "a = b . c ;"],
    ["before `with`", "a = b\n  with { c = 1 }", "a = b WITH { c = 1 ; } ;"],
    ["before `then` and `else`", "a = if b\n then c\n else d", "a = IF b THEN c ELSE d ;"],
    [
      "before `and`, `or`, `of`, `divides`",
      "a = b\nand c\nor 1%\nof d\ndivides e",
      "a = b AND c OR 1% OF d DIVIDES e ;",
    ],
    ["before `|`", "match a {\n 1\n | 2 => 3\n}", "MATCH a { 1 | 2 => 3 ; } ;"],
    ["before `{`", "stage a\n{ }", "stage a { } ;"],
    ["before the `for` of a list", "a = [b\n for b in c]", "a = [ b FOR b IN c ; ] ;"],
  ])("%s", (_, text, result) => {
    expect(shown(text)).toBe(result);
  });

  it.each([
    ["before `-`", "a = [1\n -1]", "a = [ 1 ; - 1 ; ] ;"],
    ["before the `else` of a match", "match a {\n 1 => 2\n else => 3\n}", "MATCH a { 1 => 2 ; ELSE => 3 ; } ;"],
    ["before a name that is like a word", "a = 1\nwith = 2\nof = 3", "a = 1 ; with = 2 ; of = 3 ;"],
    ["where a value is missing", "a =\nb = 1", "a = ; b = 1 ;"],
  ])("but not %s", (_, text, result) => {
    expect(shown(text)).toBe(result);
  });
});

describe("words are names", () => {
  it.each([
    ["before `=`, `{`, `:`", "test = 1\non { }\nx { in: 2 }", "test = 1 ; on { } ; x { in : 2 ; } ;"],
    ["after a point", "a = b.with.in", "a = b . with . in ;"],
    ["as a value where nothing follows", "a = [test, on, after, import]", "a = [ test ; on ; after ; import ; ] ;"],
    [
      "as the name of a block",
      "preset test { }\nlaunch on extends b { }",
      "preset test { } ; launch on EXTENDS b { } ;",
    ],
    ["among the members of an enum", "enum A { none, auto, in }", "ENUM A { none ; auto ; in ; } ;"],
    ["when they are called", "size = auto(active = 1)", "size = auto ( active = 1 ; ) ;"],
    ["when they have a bound", "expect <= 3", "expect <= 3 ;"],
  ])("%s", (_, text, result) => {
    expect(shown(text)).toBe(result);
  });

  it.each([
    ["statements", 'param a: B = 1\ntest "t" { assert not a }', 'PARAM a : B = 1 ; TEST "t" { ASSERT NOT a ; } ;'],
    ["headers", "abstract a b extends c after d, e on f { }", "ABSTRACT a b EXTENDS c AFTER d , e ON f { } ;"],
    ["a header without a name", "repeat after smoke { }", "repeat AFTER smoke { } ;"],
    ["imports", 'import "a" { b as c }\nimport "d" as e', 'IMPORT "a" { b AS c ; } ; IMPORT "d" AS e ;'],
    ["aliases", "param a as [b, c]: D", "PARAM a AS [ b ; c ; ] : D ;"],
    ["values", "a = [true, false, none, auto]", "a = [ TRUE ; FALSE ; NONE ; AUTO ; ] ;"],
  ])("and keywords in %s", (_, text, result) => {
    expect(shown(text)).toBe(result);
  });
});

describe("numbers with their units are one token", () => {
  it.each([
    ["20B tokens", "20B tokens ;"],
    ["1000 tokens/s/gpu", "1000 tokens/s/gpu ;"],
    ["1000 tokens / s", "1000 tokens / s ;"],
    ["1..64 samples", "1 .. 64 samples ;"],
    ["90% of a", "90% OF a ;"],
    ["4 in b", "4 IN b ;"],
    ["a <= 3 else warn", "a <= 3 ELSE warn ;"],
    ["a = 1 b = 2", "a = 1 b = 2 ;"],
    ["20\ntokens", "20 ; tokens ;"],
  ])("%s", (text, result) => {
    expect(shown(text)).toBe(result);
  });
});
