/** What `raw megatron { … }` may not say beside the stage. */
import { describe, expect, it } from "vitest";
import type { Document } from "../../../../compiler/document.ts";
import { intentsOf } from "../../../../compiler/engines/megatron/lower/launch.ts";
import { readRaw } from "../../../../compiler/engines/megatron/lower/raw.ts";
import { argumentOf, rawWord } from "../../../../compiler/engines/megatron/raw-word.ts";
import { argumentTable } from "../../../../compiler/engines/megatron/table.ts";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import type { StageStep } from "../../../../compiler/pipeline.ts";
import { cluster, given, modelRequest, pipeline, settings, span, stage } from "../../../support/pipeline.ts";
import { compileText } from "../../../support/probes.ts";

function told(raw: StageStep["rawMegatron"], said: Partial<StageStep> = {}): readonly string[] {
  const step = stage(modelRequest("llama", { layers: 8, d_model: 1024, heads: 16, context: 1024 }), {
    engine: given("megatron" as const),
    batch: given({ unit: "samples", value: 64 } as const),
    layout: { given: settings({ tensor_parallel: 2, zero_stage: 1 }), bounds: new Map() },
    rawMegatron: raw,
    rawMegatronSpans: new Map(Object.keys(raw).map((key) => [key, span])),
    ...said,
  });
  const { diagnostics } = plan(pipeline(step, cluster({ ram: 2 ** 41 })));
  return diagnostics
    .filter(({ severity }) => severity !== "info")
    .map(({ severity, code, message }) => `${severity}: ${code.slice(4)}: ${message}`);
}

it.each<readonly [StageStep["rawMegatron"], string]>([
  [
    { optimizer: "sgd" },
    "error: engine-raw-conflict: optimizer = sgd contradicts adam, which follows from optimizer; to set it, write optimizer = sgd(…)",
  ],
  [
    { hybrid_layer_pattern: "M*M*" },
    "error: engine-raw-conflict: hybrid_layer_pattern = M*M* contradicts none, which follows from model.family",
  ],
  [
    { yaml_cfg: "a.yaml" },
    "error: engine-raw-conflict: yaml_cfg = a.yaml contradicts every argument, whose place the file would take, which follows from the stage",
  ],
  [
    { split: "99,1,0" },
    "error: megatron-data-split-beside-paths: --split divides one blend, and the data have a blend for each split",
  ],
  [
    { moe_grouped_gemm: true, moe_router_topk: 4 },
    "warning: megatron-experts-unused: --moe-grouped-gemm, --moe-router-topk have no effect without a model with experts",
  ],
  [
    { moe_layer_freq: 2 },
    "warning: megatron-experts-unused: --moe-layer-freq has no effect without a model with experts",
  ],
  [
    { moe_router_num_groups: 4, moe_router_group_topk: 2 },
    "error: megatron-router-groups: --moe-router-num-groups needs a model with experts",
  ],
  [
    { window_size: [128, "x"] },
    "error: engine-raw-type: window_size = 128,x is not whole numbers with commas between them",
  ],
  [
    { log_interval: 5 },
    "error: engine-raw-conflict: log_interval = 5 contradicts 10, which follows from log.every; to set it, write log { every = 5 steps }",
  ],
  [
    { sft: true, tokenizer_type: "SFTTokenizer", tokenizer_model: "m" },
    "error: engine-raw-conflict: sft = true contradicts prepared token ids, where it opens JSON lines with messages, which follows from data; to set it, write `format = chat` in the data",
  ],
  [
    { sft: true, data_path: ["chats.jsonl"] },
    "error: megatron-sft-tokenizer: --sft reads conversations, and --tokenizer-type NullTokenizer has no form for them",
  ],
  [
    { reset_attention_mask: true },
    "error: megatron-mask-reset-unmade: --reset-attention-mask changes nothing with `no_create_attention_mask_in_dataloader` of `raw megatron { … }`",
  ],
  [{ train_data_path: true }, "error: engine-raw-type: train_data_path = what is given is not a list of values"],
])("%j", (raw, expected) => {
  expect(told(raw)).toEqual([expected]);
});

const elsewhere = { ...span, start: span.start + 1 };
const warmup = { unit: "steps", value: 20 } as const;
const course: Partial<StageStep> = {
  length: given({ unit: "steps", value: 400 } as const),
  schedule: { name: "cosine", warmup, cooldown: { unit: "fraction", value: 0 }, to: 0.1, span: elsewhere },
  layout: { given: settings({ tensor_parallel: 2, zero_stage: 1, recompute: "none" }), bounds: new Map() },
};

it.each<readonly [StageStep["rawMegatron"], string]>([
  [
    { rotary_base: 500 },
    "rotary_base = 500 contradicts 10000, which follows from model.rope_theta; to set it, write rope_theta = 500 in the model",
  ],
  [
    { num_experts: 4 },
    "num_experts = 4 contradicts none, which follows from model.family; to set it, write a family with experts, such as mixtral in the model",
  ],
  [
    { num_query_groups: 4 },
    "num_query_groups = 4 contradicts 16, which follows from model.kv_heads; to set it, write kv_heads = 4 in the model",
  ],
  [
    { untie_embeddings_and_output_weights: false },
    "untie_embeddings_and_output_weights = false contradicts true, which follows from model.tied; to set it, write tied = true in the model",
  ],
  [{ lr_warmup_fraction: 0.5 }, "lr_warmup_fraction = 0.5 contradicts 20, which follows from schedule.warmup"],
  [{ lr_warmup_samples: 64 }, "lr_warmup_samples = 64 contradicts 20, which follows from schedule.warmup"],
  [{ train_samples: 1000 }, "train_samples = 1000 contradicts 400, which follows from length"],
  [
    { recompute_granularity: "full" },
    "recompute_granularity = full contradicts none, which follows from layout.recompute; to set it, write recompute = full in layout { }",
  ],
])("%j against what is counted on: %s", (raw, expected) => {
  expect(told(raw, course)).toEqual([`error: engine-raw-conflict: ${expected}`]);
});

it.each<StageStep["rawMegatron"]>([
  { lr_warmup_fraction: 0.05 },
  { lr_warmup_samples: 1280, train_samples: 25_600, lr_decay_samples: 25_600 },
])("%j is taken beside a length and a warmup", (raw) => {
  expect(told(raw, course).filter((one) => one.includes("engine-raw-conflict"))).toEqual([]);
});

it.each<StageStep["rawMegatron"]>([
  { optimizer: "adam" },
  { data_path: ["a"], split: "99,1,0" },
  { mock_data: true },
  // Lists that are one word on a command line.
  { window_size: [128, 0] },
  { no_rope_freq: [0, 0, 0, 1, 0, 0, 0, 1] },
])("%j is taken", (raw) => {
  expect(told(raw)).toEqual([]);
});

const step = stage(modelRequest("llama", { layers: 8, d_model: 1024, heads: 16, kv_heads: 4, context: 1024 }), {
  engine: given("megatron" as const),
  batch: given({ unit: "samples", value: 64 } as const),
  layout: { given: settings({ tensor_parallel: 2, zero_stage: 1, recompute: "selective" }), bounds: new Map() },
  eval: { every: { unit: "steps", value: 100 }, length: { unit: "batches", value: 10 } } as StageStep["eval"],
  schedule: { name: "cosine", warmup, cooldown: { unit: "fraction", value: 0 }, to: 0.1, span: elsewhere },
});
const made = plan(pipeline(step, cluster({ ram: 2 ** 41 }))).plan.stages[0];
if (made === undefined) throw new Error("no plan");
const derived = intentsOf({ stage: step, plan: made, cluster: cluster({ ram: 2 ** 41 }) });
const table = argumentTable("gpt");

/** Where the plan counts nothing on it: the engine's own usual, a way to do what the stage asks, data and logs. */
const isFree = ({ from, open }: (typeof derived)[number]): boolean =>
  open === true || from === "engine" || from === "data" || from.includes(" ");

/** Another value of the same type. */
function other(value: unknown, choices: readonly (string | number)[] | undefined): Document | null {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return Number.isInteger(value) ? 2 * value + 1 : value / 2;
  if (Array.isArray(value)) return [other(value[0], undefined) ?? 1];
  return choices?.find((choice) => choice !== value && choice !== "muon" && choice !== "lion") ?? null;
}

const walked = derived.flatMap((intent) => {
  const argument = table.all.find(({ dest }) => dest === intent.dest);
  const value = other(intent.value, argument?.choices);
  return argument === undefined || value === null ? [] : [{ intent, value }];
});

it.each(walked.filter(({ intent }) => !isFree(intent)).map((each) => [each.intent.dest, each] as const))(
  "another %s than the plan counts on is refused, with both places",
  (dest, { intent, value }) => {
    const raw = { [dest]: value };
    const { diagnostics } = plan(
      pipeline(
        { ...step, rawMegatron: raw, rawMegatronSpans: new Map([[dest, elsewhere]]) },
        cluster({ ram: 2 ** 41 }),
      ),
    );
    const found = diagnostics.filter(({ code }) => code === "cdr/engine-raw-conflict");
    expect(found.map(({ span: at, related }) => [at.start, related?.length])).toEqual([[elsewhere.start, 1]]);
    expect(found[0]?.message).toContain(`follows from ${intent.from}`);
  },
);

it("walks most of what is derived", () => {
  expect(walked.filter(({ intent }) => !isFree(intent)).length).toBeGreaterThan(40);
});

it.each<readonly [StageStep["rawMegatron"], string]>([
  [{ fp8: "hybrid" }, "precision = fp8"],
  [{ fp4: "e2m1" }, "precision = fp4"],
  [{ fp16: true }, "precision = fp16"],
  [{ squared_relu: true }, "activation = relu2 in the model"],
  [{ normalization: "LayerNorm" }, "norm = layer in the model"],
  [{ position_embedding_type: "learned_absolute" }, "positions = learned in the model"],
  [{ hidden_dropout: 0.1 }, "dropout = 10% in the model"],
  [{ optimizer: "muon" }, "optimizer = muon(…)"],
])("%j has a word: %s", (raw, word) => {
  const first = told(raw).find((one) => one.startsWith("error: engine-raw-conflict"));
  expect(first).toContain(`to set it, write ${word}`);
});

/** Every spelling of every argument, once each, with a value of its type. */
const spellings = table.all.flatMap(({ dest, names, action, type, choices, nargs }) => {
  const value = action !== undefined ? true : (choices?.[0] ?? (type === "int" || type === "float" ? 3 : "a"));
  return names.length === 1 && names[0] === `--${dest.replaceAll("_", "-")}`
    ? []
    : [{ dest, keys: [dest, ...names.map((name) => name.replace(/^-+/, "").replaceAll("-", "_"))], value, nargs }];
});

it("reads an argument alike under all of its names", () => {
  expect(spellings.length).toBeGreaterThan(50);
  for (const { dest, keys, value } of spellings)
    for (const key of keys.filter((one) => argumentOf(one, table)?.argument.dest === dest)) {
      const said = rawWord({ [key]: value }, dest);
      const isSwitch = typeof value === "boolean";
      expect(isSwitch ? typeof said : said, key).toEqual(isSwitch ? "boolean" : value);
      const { given: read } = readRaw({ [key]: value }, () => span, table);
      if (isSwitch) expect(read[0]?.value, key).toBe(said);
    }
});

it("is one verdict, under whichever name it is written", () => {
  const precision = { precision: { ...given("bf16" as const), span: elsewhere } };
  const told8 = (key: string): readonly string[] =>
    told({ [key]: "hybrid" }, precision).map((one) => one.replace(key, "KEY"));
  expect(told8("fp8_format")).toEqual(told8("fp8"));
  expect(told8("fp8-format")).toEqual(told8("fp8"));
});

it("takes one argument once", () => {
  expect(told({ add_bias_linear: false, disable_bias_linear: true })).toEqual([
    "error: engine-raw-twice: disable_bias_linear and add_bias_linear are one argument of the engine, --disable-bias-linear",
  ]);
});

const saving: Partial<StageStep> = {
  checkpoint: { every: { unit: "steps", value: 10 }, keepLast: 1, keepBest: null },
};

describe("what `resume` promises", () => {
  const breaking: readonly (readonly [StageStep["rawMegatron"], readonly StageStep["resume"][]])[] = [
    [{ load: "/x" }, ["exact", "weights"]],
    [{ load: "/x", save: "/y" }, ["exact", "weights"]],
    [{ finetune: true }, ["exact", "weights"]],
    [{ ckpt_step: 100 }, ["exact", "weights"]],
    [{ override_ckpt_iteration: 100 }, ["exact", "weights"]],
    [{ exit_on_missing_checkpoint: true }, ["exact", "weights"]],
    [{ no_save_optim: true }, ["exact"]],
    [{ no_save_rng: true }, ["exact"]],
    [{ no_load_optim: true }, ["exact"]],
    [{ no_load_rng: true }, ["exact"]],
    [{ load: "/y", save: "/y" }, []],
    [{ save: "/y" }, []],
    [{ async_save: true, use_persistent_ckpt_worker: true }, []],
  ];

  it.each(breaking)("%j breaks %j", (raw, broken) => {
    for (const resume of ["exact", "weights", "never"] as const) {
      const found = told(raw, { ...saving, resume }).filter((one) => one.includes("engine-raw-conflict"));
      expect(found.length, resume).toBe(broken.includes(resume) ? 1 : 0);
      for (const one of found) expect(one).toContain("follows from resume");
    }
  });

  it("is of the folder that is saved to", () => {
    expect(told({ save: "/y" }, { ...saving, resume: "exact" })).toEqual([
      expect.stringContaining("warning: engine-raw-kept: with save = /y checkpoints"),
    ]);
    expect(told({ save: "/y", load: "/x" }, { ...saving, resume: "exact" })[0]).toContain("load = /x contradicts /y");
    expect(told({ save: "/y" }, { checkpoint: null })[0]).toContain(
      "save = /y contradicts none, which follows from checkpoint",
    );
  });

  it("is told what a stop loses", () => {
    const lost = (resume: StageStep["resume"]) => told({ exit_signal_handler: false }, { ...saving, resume });
    expect(lost("exact")).toEqual([
      expect.stringContaining("warning: engine-raw-kept: with exit_signal_handler = false"),
    ]);
    expect(lost("never")).toEqual([]);
  });
});

it.each<readonly [StageStep["rawMegatron"], string]>([
  [{ optimizer: "lion" }, "warning: engine-raw-beside: the run has optimizer = lion, but the plan assumes adam"],
  [{ multi_latent_attention: true }, "warning: engine-raw-beside: the run has multi_latent_attention = true"],
  [{ position_embedding_type: "yarn" }, "warning: engine-raw-beside: the run has position_embedding_type = yarn"],
])("%j has no word and is told of", (raw, expected) => {
  expect(told(raw).filter((one) => one.includes("engine-raw"))).toEqual([expect.stringContaining(expected)]);
});

it("takes conversations in the engine's own words, and a mask that is made", () => {
  expect(
    told({ sft: true, data_path: ["chats.jsonl"], tokenizer_type: "SFTTokenizer", tokenizer_model: "m" }),
  ).toEqual([]);
  expect(told({ reset_attention_mask: true, create_attention_mask_in_dataloader: true })).toEqual([]);
});

it("asks for the name of an experiment where a release does", () => {
  const of = (version: string): readonly string[] =>
    told({ wandb_project: "x" }, { megatron: { version: given(version), root: null, program: null, python: null } });
  expect([of("0.15"), of("0.16")]).toEqual([
    ["error: megatron-wandb-name: --wandb-project needs `wandb_exp_name` of `raw megatron { … }`"],
    [],
  ]);
});

it.each([
  ["rampup_batch_size = [16, 16, 1000]", ["megatron-rampup-ignored"]],
  ["fp8_interval = 2", ["engine-raw-deprecated"]],
])("says once what has become of an old argument: %s", (raw, expected) => {
  const { diagnostics } = compileText(`import "std/clusters" { dgx_h100 }
data d { from = "x.jsonl", tokenizer = bpe(vocab = 32_000) }
model m { family = llama, layers = 8, d_model = 1024, heads = 16, context = 1024 tokens }
stage s {
  model = m, data = d, length = 1B tokens, batch = 512 samples, optimizer = adamw(lr = 3e-4), engine = megatron
  raw megatron { ${raw} }
}
cluster pod extends dgx_h100 { nodes = 1 }
launch l on pod { target = slurm() }
`);
  const told = diagnostics.map(({ code }) => code.slice(4));
  expect(told.filter((code) => /deprecated|rampup|uncounted/.test(code))).toEqual(expected);
});
