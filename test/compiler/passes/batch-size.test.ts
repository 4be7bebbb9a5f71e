import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plan } from "../../../compiler/passes/parallelize.ts";
import type { ClusterSpec, StageStep } from "../../../compiler/pipeline.ts";
import { admits } from "../../../compiler/passes/size/bounds.ts";
import { compileText } from "../../support/probes.ts";
import { cluster, given, modelRequest, pipeline, sizeOf, span, stage } from "../../support/pipeline.ts";

const auto = given({ unit: "auto", value: 0 } as const);
const tokens = (value: number) => given({ unit: "tokens", value } as const);

function batch(size: number, rest: Partial<StageStep>, on: ClusterSpec = cluster()) {
  const model = modelRequest("llama", { vocab: 32000, context: 4096 }, { size: sizeOf(size) });
  const made = plan(pipeline(stage(model, { batch: auto, sequence: given(4096), ...rest }), on));
  const [first] = made.plan.stages;
  if (first === undefined) throw new Error(made.diagnostics.map(({ message }) => message).join("\n"));
  return first;
}

describe("a batch that is left open", () => {
  it("is what DeepSeek LLM had for as much compute", () => {
    // 7B: 2304 samples of 4096, 67B: 4608, both on 2T tokens (arXiv 2401.02954, table 2).
    const seven = batch(7e9, { length: tokens(2e12) }, cluster({ nodes: 4 }));
    expect(seven.batch.global_batch).toBe(2048);
    expect(seven.origins["batch.global_batch"]).toMatchObject({ kind: "chosen", by: "sizer" });
    expect(JSON.stringify(seven.origins["batch.global_batch"])).toContain("arXiv 2401.02954");
    expect(batch(67e9, { length: tokens(2e12) }, cluster({ nodes: 64 })).batch.global_batch).toBe(4096);
  });

  it("is the same whether the length is said in tokens or in the steps that they are", () => {
    const said = batch(1e9, { length: tokens(2e10) });
    const counted = batch(1e9, { length: given({ unit: "steps", value: said.total.steps } as const) });
    expect(counted.batch.global_batch).toBe(said.batch.global_batch);
  });

  it("is shared out evenly, and stays within its bound", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(1e9, 1e10, 1e12),
        fc.option(fc.integer({ min: 1, max: 40 }), { nil: null }),
        (nodes, length, times) => {
          const ranks = nodes * 8;
          const bound = { min: null, max: times === null ? null : times * ranks, oneOf: null, spans: [span] };
          const made = batch(3e8, { length: tokens(length), batchBound: bound }, cluster({ nodes }));
          expect(made.batch.global_batch % ranks).toBe(0);
          expect(admits(bound, made.batch.global_batch)).toBe(true);
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe("what a file says of a batch", () => {
  const diagnostics = (said: string): string[] =>
    compileText(`import "std/clusters" { dgx_h100 }
data web { from = "c/*.txt", tokenizer = bytes }
model m { family = llama, layers = 4, d_model = 256, context = 1024 tokens }
stage s { model = m, data = web, length = 100M tokens, optimizer = adamw(lr = 1e-4), ${said} }
launch l on dgx_h100 {}
`)
      .diagnostics.filter(({ severity }) => severity === "error")
      .map(({ code, message }) => `${code}: ${message}`);

  it.each(["batch = auto", "batch <= 64K tokens", "batch in 8 samples..64 samples", "seed = 1"])(
    "%s is enough",
    (said) => {
      expect(diagnostics(said)).toEqual([]);
    },
  );

  it.each([
    [
      "batch = 64 samples, batch <= 32K tokens",
      "size-bounds: batch = 64 samples (written) is outside its bound <= 31",
    ],
    [
      "batch = 64 samples, batch >= 128 samples",
      "bounds-contradict: `batch = 64 samples` and `batch >= 128 samples` exclude each other",
    ],
  ])("%s is refused", (said, message) => {
    expect(diagnostics(said)).toEqual([`cdr/${message}`]);
  });

  it("names the ranks where no batch within a bound is for all of them", () => {
    expect(diagnostics("batch <= 4 samples, engine = torch")).toEqual([
      expect.stringMatching(/^cdr\/batch-divisibility: batch = 4 samples/),
    ]);
  });
});

describe("a batch that a fine-tuning leaves open", () => {
  const of = (said: string): string[] =>
    compileText(`import "std/clusters" { dgx_h100 }
data web { from = "c/*.txt", tokenizer = bytes }
model m { family = llama, layers = 4, d_model = 256, context = 1024 tokens }
stage pre { model = m, data = web, length = 1M tokens, optimizer = adamw(lr = 1e-4) }
stage s { model = m, data = web, length = 1M tokens, optimizer = adamw(lr = 1e-4), ${said} }
launch l on dgx_h100 { target = local }`)
      .diagnostics.filter(({ code }) => code === "cdr/batch-tuned")
      .map(
        ({ message, valid, fixes }) =>
          `${/the stage (\w+)/.exec(message)?.[1]}: ${valid.join()} ${fixes.map(({ title }) => title).join()}`,
      );

  it.each([
    ["from = pre.last", "continues: 32 samples,64 samples,128 samples write `batch = 64 samples`"],
    ["from = pre.last, batch = auto", "continues: 32 samples,64 samples,128 samples write `64 samples`"],
    [
      "from = pre.last, batch <= 64 samples",
      "continues: 32 samples,64 samples,128 samples write `batch = 64 samples`",
    ],
    [
      "from = pre.last, adapters = lora(rank = 8, alpha = 16)",
      "trains: 16 samples,64 samples write `batch = 16 samples`",
    ],
  ])("%s: is requested", (said, told) => {
    expect(of(said)).toEqual([told]);
  });

  it("is not asked for where it is written, nor of a training from nothing", () => {
    expect(of("from = pre.last, batch = 8 samples")).toEqual([]);
    expect(of("seed = 1")).toEqual([]);
  });
});
