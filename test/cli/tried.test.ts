/** What `cdrc check` offers was tried: no edit that it prints leaves the error where it stood. */
import { expect, it } from "vitest";
import { withTriedFixes } from "../../cli/tried.ts";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const file = `data web { from = "corpus/*.txt", tokenizer = bytes }
model small { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
stage pre { model = small, data = web, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
cluster pod { gpu = a, nodes = 2 }
gpu a { memory = 80 GB, bandwidth = 3.35 TB/s, fp32 = 67 TFLOPS, bf16 = 989 TFLOPS, fp16 = 989 TFLOPS }
`;

function offered(line: string): { readonly untried: readonly string[]; readonly tried: readonly string[] } {
  const compiled = compile({ path: "main.cdr", text: file + line }, alone);
  const titles = (all: typeof compiled.diagnostics) => all.flatMap(({ fixes }) => fixes.map(({ title }) => title));
  return { untried: titles(compiled.diagnostics), tried: titles(withTriedFixes({ ...compiled, options: alone })) };
}

it.each([
  ["launch l pod { target = local }", ["write `on pod`", "remove `pod`"]],
  ["stage next extends pre c { }", ["remove `c`"]],
  ["stage next extends pre pre { }", ["write `after pre`", "remove `pre`"]],
  ["stage next pre { length = 20 steps }", ["write `extends pre`", "write `after pre`", "remove `pre`"]],
  ["stage next extends pre { lenght = 20 steps }", ["write `length`"]],
  ["stage next extends pre { shedule = cosine(warmup = 9999 steps) }", ["write `schedule`"]],
  ["stage next extends pre { batc = 0 samples }", ["write `batch`"]],
  ["stage next extends pre { sed = 99999999999 }", ["write `seed`"]],
  ["model large extends small { head = 3 }\nstage next extends pre { model = large }", ["write `heads`"]],
  ["stage next extends pre { layout { tensor = 3 } }", ["write `tensor_parallel`"]],
  ["stage next extends pre { shedule = 3 }", []],
  ["stage next extends pre { precision = 'bf16' }", ["write `bf16`"]],
  ["stage next extends pre { length = 30m }", []],
  ["stage next extends pre { optimizer = adamw(lr = -1e-5) }", ["write `1e-5`"]],
  [
    "stage next extends pre { batch = 4K tokens, context = 128 tokens }",
    ["write `4Ki tokens`", "use batch = 3968 tokens", "use batch = 4096 tokens"],
  ],
  ["stage next extends pre { time <= 36 }", ["write `36 h`", "write `36 min`", "write `36 s`"]],
])("%s", (line, titles) => {
  const { untried, tried } = offered(line);
  expect(tried).toEqual(titles);
  expect(tried.filter((title) => !untried.includes(title))).toEqual([]);
});

it("a name that the rest of its line does not go with is told in words", () => {
  const compiled = compile({ path: "main.cdr", text: `${file}stage next extends pre { shedule = 3 }` }, alone);
  const told = withTriedFixes({ ...compiled, options: alone });
  expect(told.find(({ code }) => code === "cdr/property-unknown")).toMatchObject({
    fixes: [],
    fix: expect.stringContaining("`schedule`"),
  });
});

it("keeps the advice in words where no edit mends", () => {
  const text = `${file}stage next extends pre { optimizer = adamv(lr = 1e-3, lr = 2e-3) }`;
  const compiled = compile({ path: "main.cdr", text }, alone);
  for (const { fix } of withTriedFixes({ ...compiled, options: alone })) expect(fix).toMatch(/\S/);
});
