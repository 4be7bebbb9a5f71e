import { LLkLookaheadStrategy } from "chevrotain";
import { format } from "prettier";
import { describe, expect, it } from "vitest";
import type { Expression, Statement } from "../../dsl/syntax/ast.ts";
import { Grammar } from "../../dsl/syntax/grammar/grammar.ts";
import { parse, parseExpression } from "../../dsl/syntax/parse.ts";
import { analyseGrammar } from "../support/grammar.ts";
import { parseText, sketches } from "../support/syntax.ts";

/** An expression with all its brackets, spans checked on the way. */
function show(expression: Expression): string {
  const { source, start, end } = expression.span;
  expect(source.text.slice(start, end).trim()).toBe(source.text.slice(start, end));
  switch (expression.kind) {
    case "number": {
      const { value, scale, unit } = expression;
      return `${value}${scale ?? ""}${unit === null ? "" : ` ${[unit.numerator, ...unit.denominator].join("/")}`}`;
    }
    case "string":
      return `"${expression.parts.map((part) => (typeof part === "string" ? part : `\${${show(part)}}`)).join("")}"`;
    case "bool":
      return String(expression.value);
    case "none":
    case "auto":
    case "missing":
      return expression.kind;
    case "reference":
      return expression.name.text;
    case "member":
      return `${show(expression.object)}.${expression.name.text}`;
    case "call": {
      const list = expression.arguments.map(
        ({ name, value }) => (name === null ? "" : `${name.text}=`) + show(value),
      );
      return `${show(expression.callee)}(${list.join(", ")})`;
    }
    case "index":
      return `${show(expression.object)}[${show(expression.index)}]`;
    case "list":
      return `[${expression.items.map(show).join(", ")}]`;
    case "comprehension": {
      const { element, variable, over, condition } = expression;
      return `[${show(element)} for ${variable.text} in ${show(over)}${condition === null ? "" : ` if ${show(condition)}`}]`;
    }
    case "record":
      return `{${expression.members.map((member) => member.kind).join(", ")}}`;
    case "range":
      return `(${show(expression.from)} .. ${show(expression.to)})`;
    case "unary":
      return `(${expression.op} ${show(expression.operand)})`;
    case "binary":
      return `(${show(expression.left)} ${expression.op} ${show(expression.right)})`;
    case "if":
      return `(if ${show(expression.condition)} then ${show(expression.then)} else ${show(expression.else)})`;
    case "match": {
      const arms = expression.arms.map((arm) => `${arm.patterns.map(show).join(" | ")} => ${show(arm.body)}`);
      const otherwise = expression.otherwise === null ? [] : [`else => ${show(expression.otherwise)}`];
      return `(match ${show(expression.subject)} {${[...arms, ...otherwise].join(", ")}})`;
    }
    case "with":
      return `(${show(expression.base)} with {${expression.body.map((member) => member.kind).join(", ")}})`;
  }
}

/** A tree without its spans. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  if ("kind" in value && value.kind === "name" && "text" in value) return value.text;
  const entries = Object.entries(value).filter(([key]) => key !== "span" && key !== "source");
  return Object.fromEntries(entries.map(([key, each]) => [key, bare(each)]));
}

function one(text: string): Statement {
  const { file, diagnostics } = parseText(text);
  expect(diagnostics).toEqual([]);
  const [statement] = file.statements;
  if (statement === undefined || file.statements.length > 1) throw new Error("one statement expected");
  expect(statement.span).toMatchObject({ start: text.search(/[^/\n ]/), end: text.length });
  return statement;
}

it("the grammar has no ambiguity, by Chevrotain's own checks", () => {
  expect(() => new Grammar(new LLkLookaheadStrategy({ maxLookahead: 2 }))).not.toThrow();
});

it("the decisions that are kept are those of the grammar (`vitest -u` writes them)", async () => {
  const decisions = await format(JSON.stringify(analyseGrammar(), null, 2), { parser: "json", printWidth: 118 });
  await expect(decisions).toMatchFileSnapshot("../../dsl/syntax/grammar/decisions.json");
});

it.each(sketches.map((source) => [source.path, source] as const))("%s is read without a message", (_, source) => {
  const { file, diagnostics } = parse(source);
  expect(diagnostics).toEqual([]);
  expect(file.doc).toMatch(/^\w.*[.?!`]$/s);
  expect(file.statements.length).toBeGreaterThan(0);
});

describe("expressions", () => {
  it.each([
    ["1 + 2 * 3 - 4", "((1 + (2 * 3)) - 4)"],
    ["-a * b", "((- a) * b)"],
    ["-a.b(c)[1]", "(- a.b(c)[1])"],
    ["a or b and not c == d", "(a or (b and (not (c == d))))"],
    ["not a in b", "(not (a in b))"],
    ["a <= 90% of b.c", "(a <= (90 % of b.c))"],
    ["a divides b + 1", "(a divides (b + 1))"],
    ["a in 1..n - 1", "(a in (1 .. (n - 1)))"],
    ["2 of a * b", "((2 of a) * b)"],
    ["(1 + 2) * 3", "((1 + 2) * 3)"],
    ["1.15B params .. 1.25B params", "(1.15B params .. 1.25B params)"],
    ["2.10 usd/gpu/h", "2.1 usd/gpu/h"],
    ["if a then b else if c then d else e", "(if a then b else (if c then d else e))"],
    ["match a { 1 | 2 => b, else => c }", "(match a {1 | 2 => b, else => c})"],
    ["[f(x) for x in xs if p(x)]", "[f(x) for x in xs if p(x)]"],
    ["a with { b = 1 } with { c = 2 }", "((a with {assign}) with {assign})"],
    ["{ a = 1, b <= 2, c { } }", "{assign, bound, block}"],
    ["f(a, b = 1, c == 2)", "f(a, b=1, (c == 2))"],
    ['"a ${b + 1} c"', '"a ${(b + 1)} c"'],
    ['a / "b" / c', '((a / "b") / c)'],
    ["[true, none, auto, auto(1)]", "[true, none, auto, auto(1)]"],
  ])("%s", (text, shown) => {
    const { expression, diagnostics } = parseExpression({ path: "--set", text });
    expect(diagnostics).toEqual([]);
    expect(show(expression)).toBe(shown);
  });

  it("one value only", () => {
    expect(parseExpression({ path: "--set", text: "" }).diagnostics).toHaveLength(1);
    expect(parseExpression({ path: "--set", text: "1, 2" }).diagnostics).toHaveLength(1);
    expect(parseExpression({ path: "--set", text: "a b" }).diagnostics).toHaveLength(1);
  });
});

describe("statements", () => {
  it("blocks", () => {
    expect(bare(one("abstract stage a extends b.c after d, e.f on g { x = 1 }"))).toMatchObject({
      ...{ kind: "block", abstract: true, head: ["stage"], name: "a", extends: ["b", "c"] },
      ...{ after: [["d"], ["e", "f"]], on: ["g"], body: [{ kind: "assign", target: ["x"] }] },
    });
    expect(bare(one("a.b { }"))).toMatchObject({ head: ["a", "b"], name: null, body: [] });
    expect(bare(one("stage b extends a"))).toMatchObject({ name: "b", extends: ["a"], body: null });
  });

  it("values and bounds", () => {
    expect(bare(one("a.b = 20B tokens"))).toEqual({
      ...{ kind: "assign", doc: null, target: ["a", "b"] },
      value: {
        ...{ kind: "number", value: 20, scale: "B", fractional: false },
        unit: { kind: "unit", numerator: ["tokens"], denominator: [] },
      },
    });
    expect(bare(one("zero_stage <= 2"))).toMatchObject({ kind: "bound", op: "<=", target: ["zero_stage"] });
    expect(bare(one("a in 1..b - 2"))).toMatchObject({ kind: "bound", op: "in" });
    expect(bare(one('"train_batch_size" = 8'))).toMatchObject({ target: ["train_batch_size"] });
  });

  it("params, secrets, lets, functions, enums", () => {
    expect(bare(one("param a as [b, c]: [Tokens/Params] | none in 5..200 tokens/param >= 6 = 7"))).toMatchObject({
      ...{ kind: "param", name: "a", aliases: ["b", "c"], type: { kind: "union_type" } },
      ...{ bounds: [{ op: "in" }, { op: ">=" }], default: { value: 7 } },
    });
    expect(bare(one('param o: "x+y" | "x-y" = "x/y"'))).toMatchObject({ type: { kind: "union_type" } });
    expect(bare(one('secret a = env("B")'))).toMatchObject({ kind: "secret", name: "a" });
    expect(bare(one("let a: Int = 1"))).toMatchObject({ kind: "let", type: { path: ["Int"] } });
    expect(bare(one("fn f(a: Int, b = 1.0): Float = a * b"))).toMatchObject({
      ...{ kind: "fn", name: "f", returns: { path: ["Float"] } },
      parameters: [
        { name: "a", default: null },
        { name: "b", type: null, default: { fractional: true } },
      ],
    });
    expect(bare(one('enum A { b, "1c", none }'))).toMatchObject({ members: ["b", "1c", "none"] });
  });

  it("imports, tests, assertions", () => {
    expect(bare(one('import "a" { b, c as d }'))).toMatchObject({
      names: [
        { name: "b", alias: null },
        { name: "c", alias: "d" },
      ],
    });
    expect(bare(one('import "a" as b'))).toMatchObject({ as: "b", names: [] });
    expect(bare(one('test "t" { over = a, assert b }'))).toMatchObject({
      body: [{ kind: "assign" }, { kind: "assert" }],
    });
    expect(bare(one('assert a == b else "why"'))).toMatchObject({ kind: "assert", otherwise: { parts: ["why"] } });
    expect(bare(one("expect a.at(1 step) < 2 else rollback(to = best)"))).toMatchObject({
      ...{ kind: "expect", condition: { op: "<" }, otherwise: { kind: "call" } },
    });
  });
});

describe("documentation", () => {
  it("opens the file, or stands before what it documents", () => {
    const { file } = parseText(
      "/// The file.\nmodel a { }\n\n/// Of b,\n/// in two lines.\nmodel b {\n  /// Of c.\n  c = 1\n}",
    );
    expect(file.doc).toBe("The file.");
    expect(bare(file.statements)).toMatchObject([
      { doc: null },
      { doc: "Of b,\nin two lines.", body: [{ doc: "Of c." }] },
    ]);
  });
});
