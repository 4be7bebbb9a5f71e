/** Files of odd size are refused early, or take no more time for each part than small ones. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const told = (text: string) => compile({ path: "main.cdr", text }, alone).diagnostics;
const head = `data c { from = "x.txt", tokenizer = bytes }
model m { family = llama, layers = 4, d_model = 128, heads = 4, context = 256 tokens }
abstract stage b { model = m, data = c, length = 1000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
`;

function cpu(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user } = process.cpuUsage(before);
  return user;
}

it.each([
  ["layers", "layers = 100_000", "cdr/value-range"],
  ["letters", `pattern = "${"M-*".repeat(20_000)}"`, "cdr/type-mismatch"],
])("no model has so many %s", (_, said, code) => {
  const text = `${head}model n { family = nemotron_h, d_model = 1024, heads = 8, ${said} }\nstage s extends b { model = n }\n`;
  expect(told(text).map((each) => each.code)).toContain(code);
});

const many = (count: number, each: (index: number) => string, between: string): string =>
  Array.from({ length: count }, (_, index) => each(index)).join(between);

it.each([
  [
    "words of an enum and rows of a match",
    (count: number) =>
      `enum e { ${many(count, (i) => `w${i}`, ", ")} }\nparam p: e = w1\nlet x = match p { ${many(count, (i) => `w${i} => ${i}`, ", ")} }\nassert x >= 0\n`,
    3000,
  ],
  [
    "stages of one model",
    (count: number) => head + many(count, (i) => `stage s${i} extends b { seed = ${i} }`, "\n"),
    300,
  ],
] as const)("%s take their time each", (_, text, count) => {
  expect(told(text(count))).toEqual([]);
  const [few, more] = [count, 8 * count].map((size) => cpu(() => told(text(size))));
  // Were each compared with each, it would be 64 times as long.
  expect((more ?? 0) / (few ?? 1)).toBeLessThan(24);
});
