/** What a stage says of its own steps is judged whether or not it can be planned. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

interface Said {
  readonly data?: string;
  readonly model?: string;
  readonly stage?: string;
  readonly optimizer?: string;
  readonly length?: string;
  readonly top?: string;
}

const text = ({ data = "", model = "", stage = "", optimizer = "lr = 1e-3", length = "100 steps", top = "" }: Said) =>
  `${top}
data web { from = "x.txt", tokenizer = bytes, tokens = 1M tokens, split { val = 10% }${data} }
model m { family = llama, layers = 2, d_model = 128, heads = 4, context = 128 tokens${model} }
stage s { model = m, data = web, length = ${length}, optimizer = adamw(${optimizer})
  schedule = cosine(warmup = 500 steps)
  eval { every = 200 steps }
  checkpoint { every = 30 steps, keep = last(1) }
  expect loss.at(500 steps) < 3
  ${stage}
}
stage c { model = m, from = s.at(10 steps), data = web, length = 3 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
`;

const judged = (source: string): readonly string[] =>
  compile({ path: "a.cdr", text: source }, alone).diagnostics.map(({ code }) => code.slice("cdr/".length));

const always = ["batch-warmup", "checkpoint-at", "expect-never", "period-never"];

describe("all that needs no plan is told beside what keeps a stage from one", () => {
  it.each<[string, Said, readonly string[]]>([
    ["a plan", { stage: "batch = 8 samples" }, []],
    ["a wait for an engine", { stage: "batch = 8 samples\n  layout { tensor_parallel = 2 }" }, ["layout-waits"]],
    ["a batch", { stage: "batch = 7 samples\n  layout { micro_batch = 2 samples }" }, ["batch-divisibility"]],
    ["a batch in tokens", { stage: "batch = 7 tokens" }, ["batch-tokens"]],
    ["an open batch", { stage: "layout { tensor_parallel = 2 }" }, ["layout-waits"]],
    ["a model", { stage: "batch = 8 samples", model: ", kv_heads = 3" }, ["size-divisibility"]],
    ["an open batch and a model", { model: ", kv_heads = 3" }, ["size-divisibility"]],
    ["a name in the model", { stage: "batch = 8 samples", model: ", kv_haeds = 4" }, ["property-unknown"]],
    ["a name in the data", { stage: "batch = 8 samples", data: ", sed = 4" }, ["property-unknown"]],
    ["an optimizer", { stage: "batch = 8 samples", optimizer: "lrr = 1e-3" }, ["argument-unknown"]],
    ["a name in the stage", { stage: "batch = 8 samples\n  detreminism = bitwise" }, ["property-unknown"]],
    ["a name of the file", { stage: "batch = 8 samples", top: "let lost = nowhere" }, ["name-unknown"]],
    [
      "a length in tokens",
      { stage: "batch = 7 samples\n  layout { micro_batch = 2 samples }", length: "89_600 tokens" },
      ["batch-divisibility"],
    ],
  ])("%s", (_, said, codes) => {
    expect(judged(text(said)).toSorted()).toEqual([...always, ...codes].toSorted());
  });
});

describe("nothing follows from a mistake", () => {
  const one = (stage: string, codes: readonly string[]) => {
    const told = judged(text({ stage: `batch = 8 samples\n  ${stage}` })).filter((code) => !always.includes(code));
    expect(told).toEqual(codes);
  };
  it("when a checkpoint is saved is not guessed", () => {
    const source = text({ stage: "batch = 8 samples" });
    expect(judged(source.replace("every = 30 steps", "evry = 30 steps"))).not.toContain("checkpoint-at");
    expect(judged(source.replace("every = 30 steps", "every = 30 stesp"))).not.toContain("checkpoint-at");
    expect(judged(source.replace("checkpoint {", "chekpoint {"))).not.toContain("checkpoint-at");
    expect(judged(source.replace("last(1)", "lsat(1)"))).not.toContain("checkpoint-at");
  });
  it("how long a stage is, is not guessed", () => {
    for (const length of ["100 stesp", "nothing", "0 steps", "1.5 steps"])
      expect(judged(text({ stage: "batch = 8 samples", length })).filter((code) => always.includes(code))).toEqual(
        [],
      );
    one("length = 1000 steps", ["property-twice"]);
  });
});

it("a warm-up that is too long is told where it is written", () => {
  const source = text({ stage: "batch = 8 samples" });
  const { diagnostics } = compile(
    { path: "a.cdr", text: source.replace("warmup = 500", "warmup = 5") },
    { ...alone, sets: [{ name: "s.schedule.warmup", text: "700 steps" }] },
  );
  const found = diagnostics.find(({ code }) => code === "cdr/batch-warmup");
  expect(found?.message).toBe("warm-up of 700 steps does not fit in a run of 100 steps");
  expect(found?.span.source.path).toBe("--set s.schedule.warmup");
});

it("what a device costs is asked for, whatever else is wrong with a stage", () => {
  const on = `import "std/gpus" { h100_sxm }\ncluster dear { gpu = h100_sxm }\nlaunch go on dear { }`;
  for (const batch of ["8 samples", "7 samples\n  layout { micro_batch = 2 samples }"])
    expect(judged(text({ stage: `batch = ${batch}\n  cost <= 10 usd`, top: on }))).toContain("cost-unknown");
});
