/** A param is known in the whole program: a preset sets it without an import, where one file alone declares it. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";

const lib = `param depth: Int in 1..4 = 1
model m { family = llama, layers = depth, d_model = 64, heads = 4, context = 64 tokens }
`;
const main = `import "./lib.cdr" { m }
data d { from = "x.txt", tokenizer = bytes }
stage s { model = m, data = d, length = 10 steps, batch = 4 samples, optimizer = adamw(lr = 1e-3) }
preset three { depth = 3 }
overlay two { depth = 2 }
overlay four { depth = 4 }
`;
const compiled = (text: string, chosen: { preset?: string; overlays?: readonly string[] } = {}, library = lib) =>
  compile(
    { path: "main.cdr", text },
    {
      ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [], ...chosen },
      ...{ read: (path: string) => (path.endsWith("lib.cdr") ? library : undefined) },
      ...{ environment: () => undefined, host: () => undefined },
    },
  );
const layers = (chosen: Parameters<typeof compiled>[1]) => compiled(main, chosen).plan.stages[0]?.model.layers;

describe("a param of an imported file that is not imported by name", () => {
  it("is set by a preset and by an overlay, the overlay last", () => {
    expect(compiled(main).diagnostics).toEqual([]);
    expect(layers({})).toBe(1);
    expect(layers({ preset: "three" })).toBe(3);
    expect(layers({ preset: "three", overlays: ["two"] })).toBe(2);
  });
  it("is one leaf, that two overlays may not disagree on", () => {
    const codes = compiled(main, { overlays: ["two", "four"] }).diagnostics.map(({ code }) => code);
    expect(codes).toEqual(["cdr/variant-conflict"]);
    const named = main
      .replace("{ m }", "{ m, depth as layers_wanted }")
      .replace("two { depth", "two { layers_wanted");
    const again = compiled(named, { overlays: ["two", "four"] }).diagnostics.map(({ code }) => code);
    expect(again).toEqual(codes);
  });
  it("keeps its bounds, and no file is amended outside of variants", () => {
    const told = (text: string, library = lib) => compiled(text, {}, library).diagnostics.map(({ code }) => code);
    expect(told(main.replace("= 4 }\n", "= 9 }\n"))).toEqual(["cdr/value-range"]);
    expect(told(`${main}depth = 2\n`)).toEqual(["cdr/misplaced"]);
    expect(told(main.replace("overlay four { depth", "overlay four { dept"))).toEqual(["cdr/amend-undeclared"]);
  });
});
