/** What follows from a mistake is not told beside it, not even as a warning. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { diagnosticsOf } from "../support/broken.ts";

const file = (last: string): string => `import "std/clusters" { dgx_h100 }
data c { from = "x.txt", tokenizer = bytes }
model m { family = llama, layers = 4, d_model = 128, heads = 4, context = 256 tokens }
stage s { model = m, data = c, length = 1000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
cluster pod extends dgx_h100 { nodes = 2 }
${last}
`;

it.each([
  ["launch hpc on pod { target slurm() }", "syntax-equal"],
  ["launch hpc on pod { slurm() }", "syntax-member"],
  ["launch hpc on pod { { target = slurm() } }", "syntax-unexpected"],
  ["launch hpc on pod target = slurm() }", "syntax-header-word"],
  ["launch hpc on pod pod { target = slurm() }", "syntax-header-word"],
  ["launch on pod { target = slurm() }", "name-missing"],
  ["launch hpc on pod { env { A = } }", "syntax-value-missing"],
  ["abstract s { seed = 7 }", "syntax-abstract"],
  [
    'launch hpc on pod { target = slurm() }\noverlay o { s.seed = 1 }\noverlay p { s.batch = 16 samples }\ntest "t" { with = o, with = p, assert s.seed == 1 }',
    "property-twice",
  ],
  ["abstract t { seed = 7 }\nstage u extends t { }", "syntax-abstract"],
])("%s", (last, code) => {
  expect(diagnosticsOf(file(last)).map((each) => each.code)).toEqual([`cdr/${code}`]);
});

it.each([
  ['{ "model": { "layers": 4 }, "train": { "lr": 1e-4 } }', ["syntax-foreign"]],
  ['model = Model(family="llama")', ["misplaced"]],
  ["data d:\n  from: data/*.jsonl\n  tokenizer: bytes", ["syntax-declaration", "syntax-quotes"]],
])("pasted: %s", (text, codes) => {
  expect(diagnosticsOf(text).map((each) => each.code)).toEqual(codes.map((code) => `cdr/${code}`));
});

it("a block without a name, and what uses it", () => {
  const nameless = file("launch hpc on pod { target = slurm() }").replace("model m {", "model {");
  expect(diagnosticsOf(nameless).map(({ code }) => code)).toEqual(["cdr/name-missing"]);
});

it("an import of another language, and what it would have brought", () => {
  const included = file("launch hpc on pod { target = slurm() }").replace(
    'import "std/clusters" { dgx_h100 }',
    '#include "std/clusters"',
  );
  const [only, ...others] = diagnosticsOf(included);
  expect(others).toEqual([]);
  expect(only?.fixes[0]?.edits[0]?.newText).toBe('import "std/clusters" as clusters');
});

it("names in a block of a misspelt kind are told with it", () => {
  const misspelt = file("launch hpc on pod { target = slurm() }").replace("model m { family", "modle m { familly");
  expect(diagnosticsOf(misspelt).map(({ fixes }) => fixes[0]?.edits[0]?.newText)).toEqual(["model", "family"]);
});

it("two overlays that set every stage differently are told once", () => {
  const last = "stage t extends s {}\noverlay a { stage { seed = 9 } }\noverlay b { stage.seed = 8 }";
  const options = {
    ...{ on: null, target: null, preset: null, overlays: ["a", "b"], overlayFiles: [], sets: [] },
    ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
  };
  const { diagnostics } = compile({ path: "main.cdr", text: file(last) }, options);
  expect(diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code)).toEqual([
    "cdr/variant-conflict",
  ]);
});

it("a launch that can be read is judged, whatever is wrong elsewhere", () => {
  expect(diagnosticsOf(file("launch hpc on pod {}\nlet x = = 1")).map(({ code }) => code)).toEqual([
    "cdr/launch-nodes",
    "cdr/syntax-value-missing",
  ]);
});
