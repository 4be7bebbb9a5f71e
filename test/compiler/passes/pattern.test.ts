import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { patternOf } from "../../../compiler/passes/resolve/pattern.ts";
import { alone } from "../../support/alone.ts";

/** The letters that a pattern gives to so many layers. */
function letters(pattern: string, layers: number): string | undefined {
  const { program } = compile(
    {
      path: "main.cdr",
      text: `model m { family = cdrmix, layers = ${layers}, d_model = 256, pattern = ${pattern} }`,
    },
    alone,
  );
  const [model] = program.blocks;
  return model === undefined ? undefined : patternOf(model, layers)?.value;
}

const attention = (text: string | undefined): number[] =>
  [...(text ?? "")].flatMap((letter, index) => (letter === "*" ? [index] : []));

it("interleaves a group", () => {
  expect(attention(letters("interleave(rwkv = 3, attention = 1)", 24))).toEqual([3, 7, 11, 15, 19, 23]);
});

it("puts kinds in the order in which they are written", () => {
  expect(letters("interleave(attention = 1, rwkv = 2)", 6)).toBe("*RR*RR");
  expect(letters("stack(attention = 50%, mlp = 50%)", 4)).toBe("**--");
});

it("stacks shares, the last ones rounded down", () => {
  expect(attention(letters("stack(rwkv = 75%, attention = 25%)", 24))).toEqual([18, 19, 20, 21, 22, 23]);
  expect(attention(letters("stack(rwkv = 75%, attention = 25%)", 10))).toEqual([8, 9]);
});

it("puts one rule after another", () => {
  const both = "[interleave(rwkv = 3, attention = 1, span = 50%), stack(rwkv = 75%, attention = 25%)]";
  expect(attention(letters(both, 24))).toEqual([3, 7, 11, 21, 22, 23]);
  expect(letters(both, 24)).toHaveLength(24);
});

it("takes letters as they are", () => {
  expect(letters('"RR*R"', 4)).toBe("RR*R");
});

it("ends where the layers end", () => {
  expect(letters("interleave(rwkv = 3, attention = 1)", 6)).toBe("RRR*RR");
});
