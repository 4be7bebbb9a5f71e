/** The rules of docs/language.md, one sentence at a time, with a registry that knows nothing of training. */
import { describe, expect, it } from "vitest";
import { check } from "../../../dsl/eval/judgement/check.ts";
import { show } from "../../../dsl/types/value.ts";
import { program, told, valueIn } from "../../support/language.ts";

const size = (text: string, options = {}) => show(valueIn(program(text, options), "a", "size"));

describe("declaring and amending", () => {
  it.each([
    ["a name alone amends", "thing a { size = 1 }\na { size = 2 }", "2"],
    ["a path amends one leaf", "thing a { size = 1 }\na.size = 3", "3"],
    ["order says nothing", "a.size = 3\nthing a { size = 1 }", "3"],
    ["inherited expressions see the new block", "thing b { size = len([1, 2]) }\nthing a extends b { }", "2"],
    [
      "kind words mean the block that inherits",
      "let n = 4\nthing b { size = n }\nthing a extends b { size = n + 1 }",
      "5",
    ],
    ["`= auto` gives the default back", "thing b { size = 7 }\nthing a extends b { size = auto }", "1"],
    [
      "with gives a copy",
      "thing b { size = 7, length = 2 steps }\nlet c = b with { size = 9 }\nthing a { size = c.size }",
      "9",
    ],
  ])("%s", (_, text, value) => {
    expect(told(text)).toEqual([]);
    expect(size(text)).toBe(value);
  });

  it.each([
    ["nothing to amend", "b { size = 1 }", /amend-undeclared/],
    ["nothing to amend in a block", "thing a { }\na.sise = 1", /property-unknown.*no `sise`/],
    ["said twice", "thing a { size = 1, size = 2 }", /property-twice/],
    ["said twice across amendments", "thing a { }\na.size = 1\na { size = 2 }", /property-twice/],
    ["declared twice", "thing a { }\nthing a { }", /name-duplicate/],
    ["extends another kind", 'store b { at = "/x" }\nthing a extends b { }', /extends-kind/],
    ["extends itself", "thing a extends a { }", /value-cycle/],
    ["extends in a circle", "thing a extends b { }\nthing b extends a { }", /value-cycle/],
    ["a template is used", "abstract thing b { }\nthing a { next = b }", /abstract-used/],
    ["absent by its condition", "thing b { when = false }\nthing a { next = b }", /when-false/],
    ["a value that depends on itself", "let x = y\nlet y = x\nthing a { size = x }", /value-cycle/],
    ["a function that calls itself", "fn f(x: Int) = f(x)\nthing a { size = f(1) }", /value-cycle/],
    ["a kind without a name", "thing { size = 1 }", /name-missing/],
  ])("%s is one message", (_, text, message) => {
    const found = told(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });
});

it.each([
  ["by interpolation", (last: string) => `"\${${last}}\${${last}}"`],
  ["by `+`", (last: string) => `${last} + ${last}`],
])("a text that doubles without end %s is one message", (_, doubled) => {
  const lines = Array.from({ length: 40 }, (_item, n) => `let s${n} = ${n === 0 ? '"ab"' : doubled(`s${n - 1}`)}`);
  const found = told(`${lines.join("\n")}\nthing a { size = len(s39) }`);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/value-limit.*longer than 1_000_000 characters/);
});

it("a condition may speak of its own block, and of blocks whose conditions speak of it", () => {
  expect(told("thing a { size = 3\n when = a.size == 3 }\nthing b { next = a }")).toEqual([]);
  expect(told("thing a { size = 3\n when = b.size == 4 }\nthing b { size = 4\n when = a.size == 3 }")).toEqual([]);
});

it("a param whose range goes from the larger end to the smaller is told that no value is in it", () => {
  const empty = /param `n` is 2, but must be in 8\.\.1, an empty range: write its smaller end first/;
  expect(told("param n: Int in 8..1 = 2")).toEqual([expect.stringMatching(empty)]);
  expect(told("param n: Int in 4..8 = 2")).toEqual([expect.stringMatching(/must be in 4\.\.8$/)]);
  expect(told("param n: Int in 2..2 = 2")).toEqual([]);
});

describe("a bound of a param", () => {
  it.each([
    ["param n: Int in 1-8 = 2", /type-mismatch 1: `in` of param `n` must be a list or a range, not -7/],
    ["param n: Int in 5 = 2", /type-mismatch.*a list or a range, not 5/],
    ['param n: Int >= "q" = 1', /type-mismatch.*whole number, not "q"/],
    ["param n: Tokens in 1..8 = 20 tokens", /unit-missing.*1\.\.8 of what/],
    ["param n: Tokens <= 5 steps = 2 tokens", /unit-mismatch.*tokens, not in steps/],
    ["param n: Int <= 3 steps = 9", /unit-mismatch.*plain numbers, not in steps/],
    ["param n: Int in 0.5..8 = 3", /value-range.*0\.5, but must be a whole number/],
    ['param n: String <= "z" = "x"', /operator-operands/],
    ['param n <= 3 = "x"', /operator-operands/],
    ["param n: Float <= 50% = 0.7", /value-range.*0\.7, but must be <= 50%/],
  ])("is held against the type: %s", (text, message) => {
    expect(told(text)).toEqual([expect.stringMatching(message)]);
  });
  it("is written as it was meant", () => {
    const fixes = (text: string) => check(program(text))[0]?.fixes.map(({ edits: [edit] }) => edit?.newText);
    expect(fixes("param n: Int in 1-8 = 2")).toEqual(["1..8"]);
    expect(fixes("param n: Int in 5 = 2")).toEqual(["[5]"]);
    expect(fixes('param n: Int in "x" = 2')).toEqual([]);
  });
  it("says nothing of `none`, and takes shares for fractions", () => {
    expect(told("param n: Int | none in 1..8 = none\nparam p: Float in 0..1 = 50%")).toEqual([]);
  });
});

describe("quantities", () => {
  it.each([
    ["20 tokens/param * 1B params == 20B tokens"],
    ["1 GB != 1 GiB"],
    ["1 token + 1 tokens == 2 tokens"],
    ["90 min == 1.5 h"],
    ["25% of 8 == 2"],
    ["3 divides 9 and mod(9, 4) == 1"],
    ["4Ki == 4096 and 4K == 4000"],
    ["2.10 usd/gpu/h * 8 gpus * 10 h == 168 usd"],
    ["min(3, 1 + 1) == 2"],
    ["2 in [1, 2] and 5 in 1..8 and not (9 in 1..8)"],
    ["0.1 + 0.2 == 0.3"],
    ['"a${1 + 1}" == "a2"'],
    ["[x * x for x in 1..3 if x != 2] == [1, 9]"],
    ["(match 3 { 1 | 2 => 10, else => 20 }) == 20"],
  ])("%s", (condition) => {
    expect(told(`assert ${condition}`)).toEqual([]);
  });

  it.each([
    ["1 step + 1 token", /operator-operands/],
    ["1 micro_step + 1 step", /operator-operands/],
    ["1 sample == 1 token", /operator-operands/],
    ["5 apples", /unit-unknown/],
    ["1 / 0", /value-infinite/],
    ["1e300 * 1e300", /value-infinite/],
    ["1e400", /value-infinite/],
    ["pow(10, 400)", /value-infinite/],
    ["true + 1", /operator-operands/],
    ["match true { true => 1 }", /match-incomplete/],
    ["[1, 2][5]", /member-unknown/],
    ["len(3)", /type-mismatch/],
    ["if 3 then 1 else 2", /the condition must be true or false, not 3/],
    ["[x for x in [3, 4] if x]", /the condition must be true or false, not 3/],
    ["[x for x in 1..3 if true and x in y]", /name-unknown/],
    ["x", /name-unknown/],
  ])("%s is one message", (expression, message) => {
    const found = told(`let v = ${expression}`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });

  it("names the units that may stand there", () => {
    const made = program("thing a { length = 5 apples }");
    valueIn(made, "a", "length");
    expect(made.diagnostics[0]?.valid).toEqual(expect.arrayContaining(["tokens", "steps"]));
    expect(made.diagnostics[0]?.valid).not.toContain("GB");
  });
});

describe("estimates", () => {
  const judged = (condition: string) => {
    // An estimate of 100 with an error of a tenth.
    const text = `thing a { assert ${condition} }`;
    return told(text, {
      host: () => ({ kind: "number", value: 100, dimension: {}, percent: false, interval: [90, 110] }),
    });
  };
  it.each([
    ["host.x < 120", []],
    ["host.x < 80", ["cdr/assert-failed"]],
    ["host.x < 105", ["cdr/assert-uncertain"]],
    ["host.x < 95", ["cdr/assert-uncertain"]],
    ["host.x * 2 < 180", ["cdr/assert-failed"]],
    ["host.x / 2 < 60 and host.x > 50", []],
    ["host.x > 105 or true", []],
    ["host.x in 50..150", []],
    ["host.x in 50..100", ["cdr/assert-uncertain"]],
    ["not (host.x < 80)", []],
    ["10 - host.x < -75", []],
  ])("assert %s", (condition, codes) => {
    expect(judged(condition).map((m) => m.split(" ")[0])).toEqual(codes);
  });
});

describe("names", () => {
  it("a member of a block is named behind its kind word", () => {
    const made = program("thing a { size = 2, assert size == 2 }");
    expect(told("thing a { size = 2, assert thing.size == 2 }")).toEqual([]);
    expect(told("thing a { size = 2, assert size == 2 }")).toHaveLength(1);
    expect(made.blocks).toHaveLength(1);
  });
  it("a word of an expected choice that is declared too must be renamed", () => {
    expect(told("let rest = 1\nthing a { bending = rest }")[0]).toMatch(/name-ambiguous/);
  });
});

describe("imports", () => {
  const files = { "b.cdr": "thing b { size = 3 }\nb.size = 4", "c.cdr": 'import "./b.cdr" { b }\nlet n = b.size' };
  it.each([
    ['import "./b.cdr" { b }\nthing a extends b { }', "4"],
    ['import "./b.cdr" { b as d }\nthing a extends d { }', "4"],
    ['import "./b.cdr" as lib\nthing a extends lib.b { }', "4"],
    ['import "./b.cdr" { b }\nb.size = 5\nthing a extends b { }', "5"],
    ['import "./c.cdr" { n }\nimport "b.cdr" { b }\nthing a { size = n }', "4"],
  ])("%s", (text, value) => {
    expect(told(text, { files })).toEqual([]);
    expect(size(text, { files })).toBe(value);
  });
  it("an enum of a file that is imported as a whole is a type, and the one that the file itself means", () => {
    const parts = "enum Mode { fast, slow }\nparam own: Mode = fast\n";
    const text =
      'import "./parts.cdr" as lib\nparam mode: lib.Mode = fast\nassert mode == lib.own\nassert mode == fast\n';
    expect(told(text, { files: { "parts.cdr": parts } })).toEqual([]);
    expect(told(text.replace("lib.Mode", "lib.Mod"), { files: { "parts.cdr": parts } })[0]).toMatch(
      /name-unknown.*lib\.Mod/,
    );
  });

  it.each([
    ['import "./no.cdr" { b }', /import-missing/],
    ['import "./b.cdr" { no }', /import-unknown/],
    ['import "./c.cdr" { b }', /import-unknown/],
    ['import "./b.cdr" { b }\nthing b { }', /name-duplicate/],
    ['import "./b.cdr" { b }\nimport "./b.cdr" { b as b2 }\nimport "./c.cdr" { n as b2 }', /name-duplicate/],
    ['import "./main.cdr" { a }\nthing a { }', /import-cycle/],
    ['import "./d.cdr" { d }', /import-cycle/],
    ['import "./b.cdr" { b }\nb.size = nosuch', /name-unknown/],
  ])("%s is one message", (text, message) => {
    const more = { ...files, "d.cdr": 'import "./main.cdr" { x }\nlet d = 1', "main.cdr": text };
    const found = told(text, { files: more });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });
});

describe("variants", () => {
  const text = `param n: Int in 1..9 = 1
thing a { size = n, length = 1 steps }
thing b { length = 2 steps }
abstract thing c { length = 3 steps }
preset p { n = 2, a.length = 5 steps }
preset q { when = n == 7, thing { length = 7 steps } }
overlay o { n = 3, thing { length = 9 steps } }
overlay r { b.length = 8 steps }`;
  const length = (name: string, options: Parameters<typeof program>[1]) =>
    show(valueIn(program(text, options), name, "length"));
  it("apply in the order file < preset < overlays < --set", () => {
    expect(size(text, { preset: "p" })).toBe("2");
    expect(size(text, { preset: "p", overlays: ["o"] })).toBe("3");
    expect(size(text, { preset: "p", overlays: ["o"], sets: [{ name: "n", text: "4" }] })).toBe("4");
  });
  it("a bare kind word amends every concrete block of that kind", () => {
    expect(["a", "b", "c"].map((name) => length(name, { overlays: ["o"] }))).toEqual([
      "9 steps",
      "9 steps",
      "3 steps",
    ]);
    const sets = [{ name: "thing.length", text: "6 steps" }];
    expect(["a", "b", "c"].map((name) => length(name, { sets }))).toEqual(["6 steps", "6 steps", "3 steps"]);
  });
  it("a preset holds by itself where its condition does", () => {
    expect(length("a", { sets: [{ name: "n", text: "7" }] })).toBe("7 steps");
  });
  it("two overlays that disagree on a leaf are an error", () => {
    expect(told(text, { overlays: ["o", "r"] })[0]).toMatch(/variant-conflict/);
  });
  it("what is set must be there and within its bounds", () => {
    expect(told(text, { sets: [{ name: "m", text: "1" }] })[0]).toMatch(/set-unknown/);
    expect(told(text, { sets: [{ name: "n", text: "10" }] })[0]).toMatch(/value-range/);
    expect(told(text, { preset: "no" })[0]).toMatch(/variant-unknown/);
  });
});

describe("editions", () => {
  it.each([["edition = 2026"], [""]])("%s is known", (line) => expect(told(`${line}\nthing a { }`)).toEqual([]));
  it.each([["edition = 2020"], ['edition = "2026"'], ["edition = next"]])("%s is not", (line) => {
    expect(told(`${line}\nthing a { }`)[0]).toMatch(/^cdr\/edition-unknown 1/);
  });
});

describe("tests", () => {
  it("are no place for declarations", () => {
    expect(told('test "x" { assert true }')).toEqual([]);
  });
});

describe("words of two enums", () => {
  const enums =
    "enum A { one, two }\nenum B { three, four }\nenum C { two, three }\nparam a: A = one\nparam b: B = three\nparam c: C = two\n";
  it.each([["a == b"], ["a != b"]])("`%s` asks nothing where they share none", (asked) => {
    expect(told(`${enums}let x = ${asked}`)[0]).toMatch(/^cdr\/operator-operands 7/);
  });
  it.each([["a != c"], ["b != c"], ["a == one"]])("`%s` asks something", (asked) => {
    expect(told(`${enums}assert ${asked}`)).toEqual([]);
  });
});
