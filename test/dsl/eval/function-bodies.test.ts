/** Bodies of functions that nobody calls are held against the types of their parameters. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";

const told = (text: string): readonly string[] =>
  compile(
    { path: "main.cdr", text },
    {
      ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
      ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
    },
  ).diagnostics.map(({ message }) => message);

it.each([
  ['fn f(x: Int) = x + "a"', '`+` cannot combine `x` (a plain number) and "a"'],
  ["fn f(x: String) = x * 2", "`*` cannot combine `x` (a text) and 2"],
  ["fn f(x: Tokens) = x + 3 steps", "`+` cannot combine `x` (a number of tokens) and 3 steps"],
  ["fn f(x: Tokens, y: Steps) = x < y", "`<` cannot combine `x` (a number of tokens) and `y` (a number of steps)"],
  ["fn f(x: Int) = x + 1 + 2 GB", "`+` cannot combine `x + 1` (a plain number) and 2_000_000_000 bytes"],
  ["fn f(x: Int) = x > 2 and 3", "`and` cannot combine `x > 2` (true or false) and 3"],
])("%s", (text, message) => {
  expect(told(text)).toEqual([message.replace("2_000_000_000 bytes", "2 GB")]);
});

it.each([
  ["fn fact(n: Int) = if n == 0 then 1 else n * fact(n - 1)", "fact -> fact"],
  ["fn fact(n: Int = fact(1)) = n", "fact -> fact"],
  ["fn g(n: Int) = if n == 0 then 1 else h(n - 1)\nfn h(n: Int) = g(n)", "g -> h -> g"],
])("recursion is told once, whether anybody calls it or not: %s", (text, chain) => {
  const name = chain.split(" ").at(-1) ?? "";
  for (const called of ["", `\nlet x = ${name}(3)`, `\nlet x = ${chain.split(" ").at(-3)}(3)`])
    expect(told(text + called)).toEqual([expect.stringContaining(chain)]);
});

it("a parameter twice is told", () => {
  expect(told("fn h(x: Int, x: Int) = x")).toEqual([expect.stringContaining("`x`")]);
});

it.each([
  "fn f(x: Int) = g(x)\nfn g(x: Int) = x",
  "fn f(x: Int) = [g(y) for y in 1..x]\nfn g(f: Int) = f",
  "fn f(x: Int | none) = if x == none then 0 else x + 1",
  'fn f(x: Int | String) = x + "a"',
  'fn f(x: "a" | "b") = x + "c"',
  "fn f(xs: [Int]) = sum(xs) + 1",
  "fn f(xs: [Int]) = xs + [1]",
  "fn f(xs: [Int]) = xs[0] + 1",
  "fn f(x: Tokens, y: Steps) = x / y * 2 steps + 3 tokens",
  "fn f(x: Float) = x * 5%",
  "fn f(m: Model) = m.layers + 1",
  "fn f(x, y: Int) = x + y",
])("takes %s", (text) => {
  expect(told(text)).toEqual([]);
});
