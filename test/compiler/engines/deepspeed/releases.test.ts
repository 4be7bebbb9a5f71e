/** A stage that names a release of DeepSpeed is judged, in what it lowers to and in its raw keys, by that release. */
import { expect, it } from "vitest";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import type { Scalar, StageStep } from "../../../../compiler/pipeline.ts";
import { compile } from "../../../../compiler/compile.ts";
import { alone } from "../../../support/alone.ts";
import { cluster, given, modelRequest, pipeline, settings, span, stage } from "../../../support/pipeline.ts";

const model = modelRequest("llama", { layers: 4, d_model: 512, vocab: 32_000, context: 1024 });

function told(
  version: string | null,
  raw: StageStep["raw"] = {},
  layout: Readonly<Record<string, Scalar>> = {},
): readonly string[] {
  const step = stage(model, {
    engine: given("deepspeed" as const),
    sequence: given(1024),
    raw,
    rawSpans: new Map(Object.keys(raw).map((key) => [key, span])),
    layout: { given: settings({ zero_stage: 2, ...layout }), bounds: new Map() },
    sharding: { over: null, quantize: null, nvme: null, ...(version === null ? {} : { version: given(version) }) },
  });
  return plan(pipeline(step, cluster())).diagnostics.flatMap(({ code, severity, message }) =>
    severity === "error" ? [`${code} ${message}`] : [],
  );
}

it.each(["0.9", "0.16", "0.16.4", "0.19", "0.19.8"])("%s is known", (version) => {
  expect(told(version)).toEqual([]);
});

it.each(["0.8", "0.8.3", "1.0", "main"])("%s is not", (version) => {
  expect(told(version)).toEqual([expect.stringContaining("cdr/engine-version")]);
});

it("a raw key that came later is refused", () => {
  const raw = { comet: { enabled: true } };
  expect(told("0.14.2", raw)).toEqual([expect.stringContaining("comet: it needs 0.14.3")]);
  expect(told("0.14.3", raw)).toEqual([]);
  expect(told("0.14", raw)).toEqual([]);
  expect(told(null, raw)).toEqual([]);
});

it("a raw key that has gone since is taken", () => {
  const raw = { zero_optimization: { mics_shard_size: 2 } };
  expect(told(null, raw)).toEqual([expect.stringContaining("mics_shard_size")]);
  expect(told("0.16", raw)).toEqual([]);
});

it("what the layout asks for and the release cannot is refused", () => {
  const layout = { context_parallel: 2 };
  expect(told("0.11.1", {}, layout)).toEqual([expect.stringContaining("sequence_parallel_size")]);
  expect(told("0.11.2", {}, layout)).toEqual([]);
});

it("is read from the file", () => {
  const text = `import "std/clusters" { dgx_h100 }
data web { from = "corpus/*.jsonl", tokenizer = bpe(vocab = 32_000) }
model m { family = llama, layers = 4, d_model = 512, heads = 8, context = 1024 tokens }
stage s {
  model = m
  data = web
  length = 1000 steps
  batch = 256 samples
  optimizer = adamw(lr = 3e-4)
  engine = deepspeed(version = "0.14.2")
  layout { zero_stage = 2 }
  raw deepspeed { comet { enabled = true } }
}
cluster pod extends dgx_h100 { nodes = 1 }
launch here on pod { target = local }
`;
  const found = compile({ path: "main.cdr", text }, alone).diagnostics.filter(({ code }) =>
    code.includes("raw-unknown"),
  );
  expect(found.map(({ span: { start, end } }) => text.slice(start, end))).toEqual(["comet"]);
});
