/** What a sweep gives a param, the param must allow. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const told = (set: string): readonly string[] =>
  compile(
    {
      path: "main.cdr",
      text: `param n: Int in 1..8 = 4
param rate: Float <= 1e-2 = 1e-3
data d { from = "c/*.txt", tokenizer = bytes, tokens = 1B tokens }
model m { family = llama, layers = 4, d_model = 256, heads = 4, context = 512 tokens }
stage s { model = m, data = d, length = n * 10 steps, batch = 8 samples, optimizer = adamw(lr = rate) }
sweep w { stage = s, best = min(loss), vary { ${set} } }
`,
    },
    alone,
  )
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, span }) => `${code} at ${span.source.text.slice(span.start, span.end)}`);

it.each([
  ["n in [1, 99]", ["cdr/value-range at 99"]],
  ["n in 7..9", ["cdr/value-range at 7..9"]],
  ["rate in [1e-3, 0.1]", ["cdr/value-range at 0.1"]],
  ["n in [0, 99], rate in [1.0]", ["cdr/value-range at 0", "cdr/value-range at 99", "cdr/value-range at 1.0"]],
  ["n in 1..8, rate in [1e-3, 1e-2]", []],
])("%s", (set, errors) => {
  expect(told(set)).toEqual(errors);
});

it("offers the block that has what is neither the stage's nor a param", () => {
  const text = `cluster pod { nodes = 2, gpu = "h100" }\nstage s { }\nsweep w { stage = s, vary { nodes in [1, 2] } }`;
  const found = compile({ path: "main.cdr", text }, alone).diagnostics.find(
    ({ code }) => code === "cdr/vary-unknown",
  );
  expect(found?.fixes.flatMap(({ edits }) => edits.map(({ newText }) => newText))).toEqual(["pod.nodes"]);
});
