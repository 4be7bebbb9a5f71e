/** What `cdrc diff` compares and `cdrc schema FILE` prints: everything that a block carries. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { valuesOf } from "../../compiler/diff/values.ts";
import { documentOf } from "../../compiler/reference/document.ts";
import { alone } from "../support/alone.ts";

const text = `plugin focal { role = loss, factory = "lab.losses:focal", param gamma: Number = 2.0 }
secret k = env("A")
let share = 40
data web {
  source a { from = "a/*.txt", weight = 1, key = k }
  source b { from = "b/*.txt", weight = 1 }
  curriculum {
    phase one { until = 50% }
    phase two { until = 100%, a.weight = share }
  }
}
model t { family = llama, layers = 2, d_model = 64, heads = 2, context = 128 tokens }
stage pretrain { model = t, data = web, length = 10 steps, batch = 4 samples, loss = cross_entropy + focal }
sweep s { stage = pretrain, vary { seed in [1, 2] } }
`;

const program = (changed: string) => compile({ path: "main.cdr", text: changed }, alone).program;
const values = (changed: string) =>
  new Map([...valuesOf(program(changed))].map(([path, { value }]) => [path, value]));

it.each([
  ["what a phase changes", "share = 40", "share = 4000", "web.curriculum.two.a.weight"],
  ["the default of a plugin's parameter", "Number = 2.0", "Number = 3.0", "focal param gamma"],
  ["its name in Python", "param gamma:", "param gamma as g:", "focal param gamma"],
  ["what a sweep varies", "[1, 2]", "[1, 3]", "s.vary.pretrain.seed"],
  ["where a secret comes from", 'env("A")', 'env("B")', "secret k"],
])("%s", (_, from, to, path) => {
  const [before, after] = [values(text), values(text.replace(from, to))];
  const different = [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => before.get(key) !== after.get(key),
  );
  expect(different).toEqual([path]);
});

it("does not depend on how it is laid out", () => {
  const other = text
    .replace("secret k = env", "secret k  =  env")
    .replace("gamma: Number = 2.0", "gamma : Number=2.0");
  expect(values(other)).toEqual(values(text));
});

it("is JSON with what phases change and sweeps vary", () => {
  expect(documentOf(program(text))).toMatchObject({
    data: { web: { curriculum: { phase: { two: { "a.weight": 40 } } } } },
    sweep: { s: { vary: { "pretrain.seed": [1, 2] } } },
  });
});
