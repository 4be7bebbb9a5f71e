/** `pretrain.at(10_000 steps)`: the checkpoint of a step, where the stage has it in the end. */
import { describe, expect, it } from "vitest";
import { emitBundle } from "../../cli/bundle.ts";
import { compile } from "../../compiler/compile.ts";

const head = `data d { from = "x.txt", tokenizer = bytes }
model m { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
abstract stage c { model = m, data = d, length = 10 steps, batch = 4 samples, optimizer = adamw(lr = 1e-3) }
stage a extends c { checkpoint { every = 2 steps, keep = last(3) } }
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

describe("what a stage made at a step", () => {
  it("is read by the program that goes on from it, and by those that measure and write", () => {
    const compilation = compiled(`stage b extends c { from = a.at(6 steps) }
eval e { model = a.at(10 steps), data = d.val }
sample s { model = a.at(8 steps), prompts = ["x"] }`);
    expect(compilation.diagnostics).toEqual([]);
    const inputs = emitBundle(compilation).steps.flatMap(({ name, inputs }) =>
      inputs.filter(({ step }) => step === "a").map(({ which }) => `${name} ${which}`),
    );
    expect(inputs.sort()).toEqual(["b step-6", "e step-10", "s step-8"]);
  });
  it.each([
    ["4 steps", "keeps only the newest 3 of its checkpoints, and 3 come after this one"],
    ["7 steps", "saves every 2 steps"],
    ["12 steps", "ends after 10 steps"],
  ])("is told where the stage has none: %s", (point, why) => {
    for (const reader of [
      `stage b extends c { from = a.at(${point}) }`,
      `export e { model = a.at(${point}) }`,
      `let early = a.at(${point})\nsample s { model = early, prompts = ["x"] }`,
    ]) {
      const { diagnostics } = compiled(reader);
      expect(diagnostics.map(({ code }) => code)).toEqual(["cdr/checkpoint-at"]);
      expect(diagnostics[0]?.message).toContain(why);
    }
  });
  it("counts the end among what is kept, where no period ends there", () => {
    const odd = "stage odd extends c { checkpoint { every = 4 steps, keep = last(2) } }\n";
    expect(told(`${odd}stage b extends c { from = odd.at(8 steps) }`)).toEqual([]);
    expect(told(`${odd}stage b extends c { from = odd.at(4 steps) }`)).toEqual(["cdr/checkpoint-at"]);
  });
  it.each(["checkpoint { every = 30 min }", "checkpoint { keep = all }", ""])("is only the end with `%s`", (how) => {
    const clock = `stage k extends c { ${how} }\n`;
    expect(told(`${clock}stage b extends c { from = k.at(10 steps) }`)).toEqual([]);
    expect(told(`${clock}stage b extends c { from = k.at(5 steps) }`)).toEqual(["cdr/checkpoint-at"]);
  });
  it.each([
    ["a.at", "cdr/member-unknown"],
    ["a.at()", "cdr/argument-missing"],
    ["a.at(2 steps, 4 steps)", "cdr/argument-excess"],
    ["a.at(2 tokens)", "cdr/unit-mismatch"],
    ["a.at(1.5 steps)", "cdr/value-range"],
    ["aa.at(2 steps)", "cdr/name-unknown"],
    ["m.at(2 steps)", "cdr/call-not-callable"],
  ])("is one message where it is written otherwise: %s", (from, code) => {
    expect(told(`stage b extends c { from = ${from} }`)).toEqual([code]);
  });
});
