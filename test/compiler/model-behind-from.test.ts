/** A stage that goes on from another one's weights has its model, unless it names its own. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";

const head = `data d { from = "x.txt", tokenizer = bytes }
model m { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
abstract stage c { data = d, length = 10 steps, batch = 4 samples, optimizer = adamw(lr = 1e-3) }
`;
const compiled = (text: string) =>
  compile(
    { path: "main.cdr", text: head + text },
    {
      ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
      ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
    },
  );
const told = (text: string) => compiled(text).diagnostics.map(({ code }) => code);

describe("a stage without a model", () => {
  it("has the model of the stage that it goes on from, through several", () => {
    const text =
      "stage a extends c { model = m }\nstage b extends c { from = a.last }\nstage e extends c { from = b.last }";
    const { plan, diagnostics } = compiled(text);
    expect(diagnostics).toEqual([]);
    expect(plan.stages.map(({ model }) => [model.layers, model.vocab])).toEqual([2, 2, 2].map((n) => [n, 257]));
  });
  it("still needs one where nothing is behind it", () => {
    expect(told("stage a extends c { }")).toEqual(["cdr/property-missing"]);
    expect(told("stage a extends c { from = none }")).toEqual(["cdr/property-missing"]);
    expect(told("stage a extends c { from = nothing.last }")).toEqual(["cdr/name-unknown"]);
  });
  it("is told where each waits for the other", () => {
    const text = "stage a extends c { from = b.last }\nstage b extends c { from = a.last }";
    expect(told(text)).toEqual(["cdr/value-cycle"]);
  });
});
