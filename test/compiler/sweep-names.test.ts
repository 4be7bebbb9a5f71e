/** A sweep's points reach what the file imports, by whichever name it knows it. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { sweepsOf } from "../../compiler/sweeps.ts";
import { runTrials } from "../../compiler/trials.ts";
import { alone } from "../support/alone.ts";

const library = `param n: Int = 3
data web { from = "corpus/*.txt", tokenizer = bytes }
model small { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
stage pre { model = small, data = web, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3), seed = n }
`;
const options = { ...alone, read: (path: string) => (path === "lib.cdr" ? library : undefined) };

it.each([
  ['import "./lib.cdr" { pre as p, small as tiny }', "p", "tiny", "p"],
  ['import "./lib.cdr" as lib', "lib.pre", "lib.small", "lib.pre"],
])("%s", (imports, stage, model, known) => {
  const source = {
    path: "main.cdr",
    text: `${imports}
model big extends ${model} { layers = 4 }
sweep s { stage = ${stage}, vary { seed in [5, 6], model in [${model}, big] } }
test "over" { over = s, assert ${stage}.seed >= 5 and ${stage}.model.layers <= 4 }
`,
  };
  const { results } = runTrials(source, options, []);
  expect(results.map(({ passed, errors }) => [passed, errors])).toEqual(Array(4).fill([true, []]));
  const [sweep] = sweepsOf(compile(source, options).program);
  expect(sweep?.points.map(({ sets }) => sets)).toContainEqual([`${known}.seed=6`, `${known}.model=${model}`]);
  for (const { sets } of sweep?.points ?? []) {
    const given = sets.map((set) => ({ name: set.split("=")[0] ?? "", text: set.split("=")[1] ?? "" }));
    expect(compile(source, { ...options, sets: given }).diagnostics.filter((d) => d.severity === "error")).toEqual(
      [],
    );
  }
});

it("a test over a sweep that draws is judged at the points that the sweep runs", () => {
  const text = `import "./lib.cdr" { pre }
sweep s { stage = pre, runs = 4, vary { seed in 1..6, batch in [4 samples, 8 samples] } }
test "over" { over = s, assert pre.seed >= 1 }
`;
  const source = { path: "main.cdr", text };
  const { results, base } = runTrials(source, options, []);
  const [sweep] = sweepsOf(base.program);
  expect(results.map(({ point }) => point)).toEqual(sweep?.points.map(({ at }) => at));
  expect(results).toHaveLength(4);
});
