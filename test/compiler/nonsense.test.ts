/** What no file may say, each as a line beside three sound blocks; and what looks like it and is sound. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";

const base = `data web { from = "corpus/*.txt", tokenizer = bytes }
model small { family = llama, layers = 4, d_model = 256, heads = 4, context = 256 tokens }
stage pre { model = small, data = web, length = 1000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
`;

function told(more: string): readonly string[] {
  const options = {
    ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
    ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
  };
  return compile({ path: "main.cdr", text: base + more }, options).diagnostics.map(({ code }) => code);
}

const swept = (vary: string): string => `sweep s { stage = pre, vary { ${vary} } }`;

describe("what a sweep runs through", () => {
  it.each([
    ["optimizer.lr in 1e-4..1e-3", "cdr/vary-set"],
    ["optimizer.lr in 0.5..3", "cdr/vary-set"],
    ["optimizer.lr in 10%..50%", "cdr/vary-set"],
    ["seed in 3..1", "cdr/vary-set"],
    ["seed in []", "cdr/vary-set"],
    ["seed in [1, 2, 1]", "cdr/vary-set"],
    ["batch in [8 samples, 2 * 4 samples]", "cdr/vary-set"],
    ["seed in 1..1_000_000", "cdr/vary-set"],
    ["seed in 1..9999, length in 1 steps..30 steps", "cdr/vary-set"],
    ["", "cdr/vary-empty"],
  ])("refuses `%s`", (vary, code) => {
    expect(told(swept(vary))).toEqual([code]);
  });

  it.each([
    "seed in 1..3",
    "batch in 8 samples..10 samples",
    "optimizer.lr in [1e-4, 1.0000001e-4]",
    "optimizer in [adamw(lr = 1e-3), adamw(lr = 1.0000001e-3)]",
    "checkpoint.every in [none, 100 steps]",
  ])("takes `%s`", (vary) => {
    expect(told(swept(vary))).toEqual([]);
  });
});

describe("a checkpoint of a template", () => {
  const template = "abstract stage ab { model = small, data = web }\n";

  it.each([
    ["eval e { model = ab.last, data = web }"],
    ["stage on extends pre { from = ab.last }"],
    ["stage on extends pre after ab { }"],
  ])("is refused in `%s`", (line) => {
    expect(told(template + line)).toEqual(["cdr/abstract-used"]);
  });

  it("is nothing of the stages that extend it", () => {
    expect(
      told(`${template}stage real extends ab { length = 9 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
eval e { model = real.last, data = web }`),
    ).toEqual([]);
  });
});
