/** A bare word that a choice is held against is whatever that constructor makes; a call says its arguments too. */
import { expect, it } from "vitest";
import { program, told } from "../../support/language.ts";

const maker = `maker twist {
  role = bending
  param turns: Int in 1..8
}
maker curl { role = bending, param turns: Int = 1 }
thing a { bending = twist(turns = 3) }
let of_a = a.bending
`;

const valueOf = (expression: string) => {
  const text = `${maker}let asked = ${expression}`;
  expect(told(text)).toEqual([]);
  const { context, root } = program(text);
  const symbol = root.names.get("asked");
  if (symbol?.kind !== "let") throw new Error("no `asked`");
  const { value } = context.symbolValue(symbol, symbol.name.span);
  return "value" in value ? value.value : value;
};

it.each([
  ["a.bending == twist", true],
  ["a.bending != twist", false],
  ["a.bending == curl", false],
  ["a.bending in [curl, twist]", true],
  ["a.bending in [curl]", false],
  ["a.bending == twist(turns = 3)", true],
  ["a.bending == twist(turns = 4)", false],
  ["a.bending in [curl, twist(turns = 4)]", false],
  ["of_a == twist", true],
  ["of_a == curl", false],
  ["match a.bending { twist(turns = 4) => 1, twist => 2, else => 3 }", 2],
  ["match of_a { curl => 1, twist => 2, else => 3 }", 2],
])("%s", (expression, said) => {
  expect(valueOf(expression)).toBe(said);
});

it("a word that no constructor has is told", () => {
  expect(told(`${maker}let asked = a.bending == twst`)).toEqual([expect.stringMatching(/name-unknown.*twst/)]);
});

it.each([
  "fn f(x) = x == twist",
  "fn f(x) = rest != x",
  "fn f(x) = x in [curl, twist]",
  "fn f(t) = t.bending == twist",
])("what a parameter without a type is compared with is judged where it is called: %s", (declared) => {
  expect(told(`${maker}${declared}\n`)).toEqual([]);
  const given = declared.startsWith("fn f(t)") ? "a" : "a.bending";
  expect(told(`${maker}${declared}\nassert f(${given}) or true\n`)).toEqual([]);
  const misspelt = declared.replace(/twist|rest/, "twst");
  expect(told(`${maker}${misspelt}\nassert f(${given}) or true\n`)).toEqual([
    expect.stringMatching(/name-unknown.*twst/),
  ]);
});

it.each(["fn f(n: Int) = n == foo", "fn f(x) = x == 3 and foo", "fn f(x) = x + foo"])(
  "a name that no type of a parameter would mend is told: %s",
  (declared) => {
    expect(told(`${declared}\n`)).toEqual([expect.stringMatching(/name-unknown.*foo/)]);
  },
);
