/** Every key that a stage or an example derives: another value in `raw deepspeed` is refused with both places, the same one is taken. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Document } from "../../../../compiler/document.ts";
import { derivedConfig } from "../../../../compiler/engines/deepspeed/config.ts";
import { isSection } from "../../../../compiler/engines/deepspeed/merge.ts";
import { owners, proposals } from "../../../../compiler/engines/deepspeed/rules/owners.ts";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import type { Precision } from "../../../../compiler/pipeline/course.ts";
import type { Scalar, StageStep } from "../../../../compiler/pipeline.ts";
import { cluster, given, modelRequest, pipeline, settings, span, stage } from "../../../support/pipeline.ts";

const dense = modelRequest("llama", { layers: 4, d_model: 256, vocab: 1000, context: 512 });
const mixture = modelRequest("mixtral", {
  ...{ layers: 4, d_model: 256, vocab: 1000, context: 512, "moe.experts": 8, "moe.top_k": 2 },
});

const on = cluster({ gpusPerNode: 8, ram: 2 ** 41 });

function formed(
  layout: Readonly<Record<string, Scalar>>,
  precision: Precision = "bf16",
  sharding: Partial<StageStep["sharding"]> = {},
  model = dense,
): StageStep {
  return stage(model, {
    engine: given("deepspeed" as const),
    sequence: given(512),
    batch: given({ unit: "samples", value: 64 } as const),
    precision: given(precision),
    layout: { given: settings(layout), bounds: new Map() },
    sharding: { over: null, quantize: null, nvme: null, ...sharding },
  });
}

const disk = { nvme: given("/local/scratch") };
const forms: Readonly<Record<string, StageStep>> = {
  "one copy on each": formed({ zero_stage: 0 }),
  "in fp32": formed({ zero_stage: 1 }, "fp32"),
  "in fp16": formed({ zero_stage: 2 }, "fp16"),
  "offloaded optimizer": formed({ zero_stage: 2, offload: "optimizer" }),
  "all offloaded": formed({ zero_stage: 3, offload: "all" }),
  "all on a disk": formed({ zero_stage: 3, offload: "all" }, "bf16", disk),
  "groups and few bits": formed({ zero_stage: 3 }, "bf16", {
    over: given(4),
    quantize: given(["weights", "gradients"]),
  }),
  "ranks that share sequences": formed({ zero_stage: 3, context_parallel: 4 }),
  pipeline: formed({ zero_stage: 1, pipeline_parallel: 4 }),
  "pipeline, recomputed": formed({ zero_stage: 0, pipeline_parallel: 2, recompute: "full" }),
  experts: formed({ zero_stage: 2, expert_parallel: 4 }, "bf16", {}, mixture),
};

type Leaf = readonly [path: string, value: Document];

const leaves = (section: Readonly<Record<string, Document>>, prefix = ""): readonly Leaf[] =>
  Object.entries(section).flatMap(([key, value]) =>
    isSection(value) ? leaves(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value] as const],
  );

/** Another value of the same kind that the engine's schema takes. */
function other(path: string, value: Document): Document {
  if (path.endsWith(".stage")) return value === 1 ? 2 : 1;
  if (path.endsWith(".device")) return value === "cpu" ? "none" : "cpu";
  if (path.endsWith(".preset_model")) return "qwen3_moe";
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return 2 * value + 1;
  return `${String(value)}/other`;
}

const within = (path: string, value: Document): Readonly<Record<string, Document>> =>
  path
    .split(".")
    .toReversed()
    .reduce<Document>((inner, key) => ({ [key]: inner }), value) as Readonly<Record<string, Document>>;

const elsewhere = { ...span, start: span.start + 1 };

function told(step: StageStep, path: string, value: Document) {
  const raw = within(path, value);
  const { diagnostics } = plan(pipeline({ ...step, raw, rawSpans: new Map([[path, elsewhere]]) }, on));
  return diagnostics;
}

const walked = Object.entries(forms).flatMap(([name, step]) => {
  const [made] = plan(pipeline(step, on)).plan.stages;
  if (made === undefined) throw new Error(`no plan for ${name}`);
  return leaves(derivedConfig(step, made)).map(([path, value]) => [name, path, value, step] as const);
});

it.each(walked.filter(([, path]) => !proposals.has(path)))(
  "%s: another %s than %j is refused, with both places",
  (_, path, value, step) => {
    const found = told(step, path, other(path, value)).filter(({ code }) => code === "cdr/engine-raw-conflict");
    expect(found.map(({ span: at, related }) => [at.start, related?.length])).toEqual([[elsewhere.start, 1]]);
    expect(found[0]?.message).toContain(`${path} = `);
  },
);

it.each(walked)("%s: %s = %j may be said again", (_, path, value, step) => {
  expect(told(step, path, value).filter(({ severity }) => severity === "error")).toEqual([]);
});

it("has a form for each key that has an owner", () => {
  const old = ["bfloat16.enabled", "zero_optimization.cpu_offload", "zero_optimization.cpu_offload_param"];
  const reached = new Set([...walked.map(([, path]) => path), ...old]);
  expect([...Object.keys(owners), ...proposals].filter((path) => !reached.has(path))).toEqual([]);
});

/** Keys that a case of the documentation says itself are its own. */
it("knows who decides every key that a case or an example lowers", () => {
  const baselines = join(import.meta.dirname, "../../../baselines");
  const texts = readdirSync(baselines, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("bundle.txt"))
    .map((path) => [path, readFileSync(join(baselines, path), "utf8")] as const);
  const unowned = texts.flatMap(([path, text]) => {
    const sources = readdirSync(join(baselines, path, "..")).filter((name) => name.endsWith(".cdr"));
    const said = sources.map((name) => readFileSync(join(baselines, path, "..", name), "utf8")).join("\n");
    return text
      .split(/^==== /m)
      .filter((part) => /^\S+\/deepspeed\.json$/m.test(part.split("\n", 1)[0] ?? ""))
      .flatMap((part) => leaves(JSON.parse(part.slice(part.indexOf("\n"))) as Readonly<Record<string, Document>>))
      .filter(([key]) => owners[key] === undefined && !proposals.has(key))
      .filter(([key]) => !said.includes(key.split(".").at(-1) ?? ""))
      .map(([key]) => `${path}: ${key}`);
  });
  expect(texts.length).toBeGreaterThan(0);
  expect(unowned).toEqual([]);
});
