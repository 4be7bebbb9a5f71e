/** What the server remembers between edits changes nothing of what it says. */
import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";

const library = (
  batch: string,
): string => `model base { family = llama, layers = 4, d_model = 256, heads = 4, vocab = 1_000, context = 512 tokens }
data text { from = "a.jsonl", tokenizer = bpe(vocab = 1_000) }
stage first { model = base, data = text, length = 10M tokens, batch = ${batch}, optimizer = adamw(lr = 1e-4) }
`;

const main = (length: string, precision: string): string => `import "std/clusters" { dgx_h100 }
import "lib.cdr" { base, text }
stage second { model = base, data = text, length = ${length}, batch = 64 samples, optimizer = adamw(lr = 1e-4)${precision} }
cluster pod extends dgx_h100 { nodes = 1 }
launch hpc on pod { target = slurm() }
`;

function compiled(lib: string, text: string) {
  const { diagnostics, plan } = compile(
    { path: "main.cdr", text },
    {
      ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
      read: (path) => (path === "lib.cdr" ? lib : undefined),
      environment: () => undefined,
      host: () => undefined,
    },
  );
  return {
    diagnostics: diagnostics.map(({ code, message, span: { start, end } }) => ({ code, message, start, end })),
    plan,
  };
}

describe("edits", () => {
  const states = ["64 samples", "63 samples", "128 samples"].flatMap((batch) =>
    [
      ["20M tokens", ""],
      ["300 steps", ", precision = fp32"],
      ["1 steps", ""],
      ["30M tokens", ", layout { zero_stage = 3 }"],
    ].map(([length = "", precision = ""]) => [library(batch), main(length, precision)] as const),
  );

  it("are judged as they would be at first, whatever came before", () => {
    const forth = states.map((state) => compiled(...state));
    const back = states
      .toReversed()
      .map((state) => compiled(...state))
      .toReversed();
    expect(new Set(forth.map((each) => JSON.stringify(each))).size).toBe(states.length);
    expect(back).toEqual(forth);
  });

  it("judge stages that differ in names alone once", () => {
    const twice = `${library("64 samples")}
cluster pod extends dgx_h100 { nodes = 1 }
launch hpc on pod { target = slurm() }
data same { from = "a.jsonl", tokenizer = bpe(vocab = 1_000) }
model like extends base { }
stage again { model = like, data = same, length = 10M tokens, batch = 64 samples, optimizer = adamw(lr = 1e-4) }
`;
    const [first, again] = compiled("", `import "std/clusters" { dgx_h100 }\n${twice}`).plan.stages;
    expect([first?.name, again?.name]).toEqual(["first", "again"]);
    expect(again?.memory).toBeDefined();
    expect(again?.memory).toBe(first?.memory);
  });

  it("of how a stage learns leave what was possible beside it as it is", () => {
    const beside = (text: string) =>
      compiled(library("64 samples"), text).plan.stages.map((stage) => stage.alternatives);
    const before = beside(main("20M tokens", ""));
    const after = beside(main("40M tokens", ""));
    expect(before.every(({ length }) => length > 0)).toBe(true);
    for (const [at, those] of before.entries())
      for (const [i, one] of those.entries()) expect(after[at]?.[i]).toBe(one);
  });
});
