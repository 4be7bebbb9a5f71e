/** Mistakes in what is computed and declared: each has one true message. */
import { describe, expect, it } from "vitest";
import { told } from "../../support/language.ts";

describe("what is said twice", () => {
  it.each([
    ["let r = { a = 1, a = 2 }", "property-twice 1: `a` is set twice in this record"],
    ["let r = { a = 1 } with { a = 2, a = 3 }", "property-twice 1: `a` is set twice in this record"],
    ["thing a { settings = { depth = 1, depth = 2 } }", "property-twice 1: `depth` is set twice in this block"],
    ["enum E { a, b, a }", "name-duplicate 1: `a` is declared twice"],
    ['test "x" { assert true }\ntest "x" { assert true }', "name-duplicate 2: `x` is declared twice"],
    ["maker m { role = bending, param a: Int = 1\nparam a: Int = 2 }", "name-duplicate 2: `a` is declared twice"],
    [
      "maker m { role = bending, param a as x: Int = 1\nparam b as x: Int = 2 }",
      "name-duplicate 2: `x` is declared twice",
    ],
    [
      "maker m { role = bending, param a: Int = 1\nparam b as a: Int = 2 }",
      "name-duplicate 2: `a` is declared twice",
    ],
  ])("%s", (text, message) => {
    expect(told(text)).toContain(`cdr/${message}`);
  });
  it("is not what a block inherits and says anew", () => {
    const base = "maker m { role = bending, param a as x: Int = 1 }\n";
    expect(told(`${base}maker n extends m { param a as x: Int = 2 }`)).toEqual([]);
  });
});

describe("names of built-in functions", () => {
  it.each(["fn max(a: Int) = a", "let sum = 3\nlet z = sum([1, 2])"])("are not declared anew: %s", (text) => {
    expect(told(text)).toEqual([expect.stringMatching(/^cdr\/name-ambiguous/)]);
  });
  it.each(["let true = 4", "param auto: Int = 3", "let if = 3", "let match = 3"])("nor are words: %s", (text) => {
    expect(told(text)).toEqual([expect.stringMatching(/^cdr\/name-ambiguous 1: `\w+` is a word of the language/)]);
  });
  it("may name what is not called", () => {
    expect(told("param count: Int = 2\nlet z = count * 2")).toEqual([]);
  });
});

describe("a match covers what could be given", () => {
  it.each(["param n: Int = 2\nlet m = match n { 1 => 2, 2 => 3 }", 'let m = match "a" { "a" => 1 }'])(
    "%s",
    (text) => {
      expect(told(text)).toEqual([expect.stringMatching(/^cdr\/match-incomplete .* any other value$/)]);
    },
  );
  it.each([
    "param n: Int = 2\nlet m = match n { 1 => 2, 2 => 3, else => 4 }",
    'param n: "a" | "b" = "a"\nlet m = match n { "a" => 2, "b" => 3 }',
    "let m = match true { true => 2, false => 3 }",
  ])("%s", (text) => {
    expect(told(text)).toEqual([]);
  });
});

describe("a type that nobody knows", () => {
  it.each(["param m: Modee = fast", "let m: Modee = fast", "let m: [Modee] = [fast, slow]"])(
    "leaves nothing to say of its words: %s",
    (text) => {
      expect(told(`enum Mode { fast, slow }\n${text}`)).toEqual([expect.stringContaining("`Modee`")]);
    },
  );
  it("hides no other mistake of the value", () => {
    expect(told("let m: Modee = nobody + 1")).toHaveLength(2);
  });
});

describe("built-in functions", () => {
  it.each([
    ["sqrt(-1)", "the argument of `sqrt` must be a number of at least 0, plain or of a squared unit, not -1"],
    [
      "sqrt(16 tokens)",
      "the argument of `sqrt` must be a number of at least 0, plain or of a squared unit, not 16 tokens",
    ],
    ["log2(8 tokens)", "the argument of `log2` must be a plain number above zero, not 8 tokens"],
    ["mod(3, 0)", "the arguments of `mod` must be two numbers, the second not zero, not 3, 0"],
    ["max([])", "the argument of `max` must be one or more numbers of the same dimension, not []"],
    ["max(1, 2 tokens)", "the arguments of `max` must be one or more numbers of the same dimension, not 1, 2 tokens"],
    ['env("NOPE")', 'the argument of `env` must be a variable that is set, or a variable and a default, not "NOPE"'],
  ])("%s", (text, message) => {
    expect(told(`let a = ${text}`)).toEqual([`cdr/type-mismatch 1: ${message}`]);
  });
  it("keep their units", () => {
    expect(told("assert sqrt(4 tokens * 4 tokens) == 4 tokens\nassert sqrt(16) == 4\nassert log2(8) == 3")).toEqual(
      [],
    );
  });
});

it.each(["1 / 0", "10 tokens / (1 step - 1 step)"])("nothing is divided by zero: %s", (text) => {
  expect(told(`let a = ${text}`)).toEqual([
    expect.stringMatching(/^cdr\/value-infinite 1: .* \/ 0.* is a division by 0/),
  ]);
});

it("a record is named, not poured out", () => {
  expect(told("let table = { a = 1, b = { c = 2 } }\nlet x = table.d\nlet y = table.b.d")).toEqual([
    "cdr/member-unknown 2: `table` has no `d`",
    "cdr/member-unknown 3: `table.b` has no `d`",
  ]);
});

it("a group that nobody wrote is not there, and has no condition that is false", () => {
  expect(told("thing a { }\nassert a.settings.depth > 2")).toEqual([
    "cdr/member-unknown 2: thing `a` has no `settings`",
  ]);
});

describe("a word for true or false from elsewhere", () => {
  it("is told of by its type where no truth belongs", () => {
    expect(told("thing a { size = no }")).toEqual(["cdr/type-mismatch 1: `size` must be a whole number, not false"]);
  });
});
