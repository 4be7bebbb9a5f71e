import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { size } from "../../../compiler/passes/size.ts";
import { modelRequest } from "../../../compiler/passes/resolve/model.ts";
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

/** What the sizer draws where a rule waits for the number of layers. */
function drawn(model: string) {
  const { program, diagnostics } = compile({ path: "main.cdr", text: `model m { ${model}, vocab = 32000 }` }, alone);
  const [block] = program.blocks;
  const request = block === undefined ? null : modelRequest(block, null);
  const shape = request === null ? null : size(request).model;
  return { shape, codes: diagnostics.map(({ code }) => code), request };
}

it.each([
  ["cdrmix", "active = 1B params", "interleave(rwkv = 1, attention = 1)", /^(R\*)+R?$/],
  ["cdrmix", "active = 50M params", "stack(rwkv = 75%, attention = 25%)", /^R+\*+$/],
  ["cdrmix", "total = 2B params, active = 700M params", "interleave(rwkv = 6, attention = 1)", /^(R{6}\*)+R*$/],
  ["nemotron_h", "total = 8B params", "interleave(mamba = 6, attention = 1)", /^(M{6}\*)+M*$/],
  ["nemotron_h", "total = 8B params", "interleave(mamba = 2, attention = 1, moe = 1)", /^(MM\*E)+M{0,2}\*?$/],
  ["bamba", "total = 3B params", "interleave(mamba = 3, attention = 1)", /^(MMM\*)+M{0,3}$/],
])("sizes %s with %s by the rule that is written: %s", (family, counts, pattern, expected) => {
  const { shape, codes, request } = drawn(`family = ${family}, size = auto(${counts}), pattern = ${pattern}`);
  expect(codes).toEqual([]);
  expect(shape?.pattern).toMatch(expected);
  expect(shape?.pattern).toHaveLength(shape?.layers ?? 0);
  const { which = "total", target = 0, total = shape?.parameters.total ?? 0 } = request?.size ?? {};
  expect(Math.abs((shape?.parameters[which] ?? 0) / target - 1)).toBeLessThanOrEqual(0.01);
  expect(Math.abs((shape?.parameters.total ?? 0) / total - 1)).toBeLessThanOrEqual(0.01);
});

it.each([
  ["llama", "interleave(mamba = 1, attention = 1)", "cdr/size-unsupported"],
  ["bamba", "interleave(mamba = 3, mlp = 1)", "cdr/size-pattern"],
])("refuses %s a rule with layers that it has none of: %s", (family, pattern, code) => {
  const { shape, codes } = drawn(`family = ${family}, size = auto(total = 1B params), pattern = ${pattern}`);
  expect(shape).toBeNull();
  expect(codes).toEqual([code]);
});
