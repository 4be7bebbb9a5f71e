/** What only shows at the points of a sweep, told by `check` on the lines that vary. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { judgeSweeps, sweepErrors } from "../../compiler/judge-sweeps.ts";
import { alone } from "../support/alone.ts";

const base = `data web { from = "corpus/*.txt", tokenizer = bytes }
model small { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
stage s { model = small, data = web, length = 1000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
`;
const compiled = (sweep: string) => compile({ path: "main.cdr", text: base + sweep }, alone);

function told(sweep: string) {
  return sweepErrors(compiled(sweep), alone).map(({ code, message, span }) => ({
    code,
    at: /cannot run at (.*?): /.exec(message)?.[1],
    on: span.source.text.slice(span.start, span.end),
  }));
}

it("nothing, where every point can run", () => {
  expect(told("sweep w { stage = s, vary { batch in [8 samples, 4 samples], seed in 1..100 } }")).toEqual([]);
});

it("a value at which no point can run, at that value", () => {
  const sweep = "vary { batch in [8 samples, 2 samples], layout.micro_batch in [1 sample, 7 samples, 2 samples] }";
  expect(told(`sweep w { stage = s, ${sweep} }`)).toEqual([
    { code: "cdr/batch-divisibility", at: "`layout.micro_batch = 7 samples`", on: "7 samples" },
  ]);
});

it("none of the values that were only tried beside one at which no point can run", () => {
  const sweep = "vary { seed in 1..8, layout.micro_batch in [7 samples, 1 sample, 2 samples], clip in [0.5, 1] }";
  expect(told(`sweep w { stage = s, ${sweep} }`)).toEqual([
    { code: "cdr/batch-divisibility", at: "`layout.micro_batch = 7 samples`", on: "7 samples" },
  ]);
});

it("values that fail together, at what varies them", () => {
  const sweep =
    "sweep w { stage = s, vary { batch in [8 samples, 4 samples], layout.micro_batch in [1 sample, 8 samples] } }";
  expect(told(sweep)).toEqual([
    { code: "cdr/layout-empty", at: "`batch = 4 samples`, `layout.micro_batch = 8 samples`", on: "vary" },
  ]);
});

it("what an overlay of the sweep does to every point", () => {
  const sweep =
    "overlay o { s.layout.micro_batch = 3 samples }\nsweep w { stage = s, overlays = [o], vary { seed in 1..3 } }";
  expect(told(sweep)).toEqual([{ code: "cdr/batch-divisibility", at: "any of its points", on: "vary" }]);
});

it("the values of a variation that has more of them than points are judged: its ends", () => {
  const sweep =
    "sweep w { stage = s, vary { batch in [8 samples, 4 samples], layout.micro_batch in [x * 1 sample for x in 1..40] } }";
  expect(told(sweep).map(({ at }) => at?.includes("`layout.micro_batch = 40 samples`"))).toContain(true);
});

it("at most sixteen points are read, and none of a file that has errors, or of a template", () => {
  const steps = (sweep: string): number => {
    const judging = judgeSweeps(compiled(sweep), alone);
    if (judging === null) return -1;
    let count = 0;
    while (judging.next().done !== true) count += 1;
    return count;
  };
  expect(steps("sweep w { stage = s, vary { seed in 1..500, clip in [0.5, 1] } }")).toBe(16);
  expect(steps("sweep w { stage = s, vary { sede in 1..5 } }")).toBe(-1);
  expect(steps("abstract sweep w { stage = s, vary { seed in 1..5 } }")).toBe(-1);
});

it("more runs than there are combinations", () => {
  const diagnostics = sweepErrors(compiled("sweep w { stage = s, runs = 20, vary { seed in 1..3 } }"), alone);
  expect(diagnostics.map(({ code, fixes }) => [code, fixes[0]?.title])).toEqual([["cdr/sweep-runs", "remove it"]]);
  expect(told("sweep w { stage = s, runs = 3, vary { seed in 1..3 } }")).toEqual([]);
});
