/**
 * Nothing that a file says is dropped in silence: each property, each constructor and each parameter of the kinds that run either
 * changes what is emitted, or is flagged (`runs: false`) and refused by a run. Values are made from the types; where a type alone
 * gives none that fits, `given` has them.
 */
import { describe, expect, it } from "vitest";
import { emitBundle } from "../../../cli/bundle.ts";
import { type Compilation, compile } from "../../../compiler/compile.ts";
import { registry } from "../../../compiler/kinds/index.ts";
import type { BlockKind, Property, Type } from "../../../dsl/kind.ts";
import { describeDimension, isDimensionless, unitsOf } from "../../../dsl/types/units.ts";
import { alone } from "../../support/alone.ts";

const base = `
secret token = env("TOKEN")
data corpus { from = python_stdlib, tokens = 10M tokens }
data other { from = python_stdlib(docs), tokens = 5M tokens }
tokenizer pieces { learn = bpe(vocab = 512, from = other.text) }
model m { family = llama, layers = 2, d_model = 64, heads = 4, context = 128 tokens }
model wide extends m { d_model = 128 }
gpu tiny_gpu { memory = 80 GB, fp32 = 67 TFLOPS, bf16 = 990 TFLOPS, fp16 = 990 TFLOPS, bandwidth = 3.35 TB/s }
gpu big_gpu extends tiny_gpu { memory = 160 GB, bf16 = 2000 TFLOPS }
cluster strong { gpu = big_gpu }
cluster priced { gpu = tiny_gpu, price = 2 usd/gpu/h }
cluster pod { gpu = tiny_gpu, nodes = 1, node { gpus = 2 } }
stage first { model = m, data = corpus, length = 100 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3), eval { every = 10 steps } }
stage train extends first { checkpoint { every = 50 steps }, log { every = 1 steps } }
eval measure { model = train.last, data = corpus.val }
sample write { model = train.last, prompts = ["a"] }
launch here on pod { target = slurm(partition = "gpu") }
`;

const budget = (...amounts: readonly string[]): string[] =>
  amounts.map((amount) => `m { layers = auto, d_model = auto, heads = auto, size = auto(${amount}, within = 20%) }`);

/** Blocks of the file above by kind. */
const places: Readonly<Record<string, string>> = {
  model: "m",
  stage: "train",
  eval: "measure",
  sample: "write",
};

/** Amendments of which at least two differ in what they make, where no value can be made from the type. */
const given: Readonly<Record<string, readonly string[]>> = {
  "model.family": ["m.family = llama", "m.family = gpt2", "m.family = gpt_neox"],
  "model.size": ["", "m { layers = auto, d_model = auto, heads = auto, size = auto(total = 5M params) }"],
  "model.size.auto.total": [1, 5].map(
    (n) => `m { layers = auto, d_model = auto, heads = auto, size = auto(total = ${n}M params, within = 20%) }`,
  ),
  "model.size.auto.active": [1, 5].map(
    (n) => `m { layers = auto, d_model = auto, heads = auto, size = auto(active = ${n}M params, within = 20%) }`,
  ),
  "model.size.auto.within": ["1%", "0.0001%"].map(
    (share) => `m { layers = auto, d_model = auto, heads = auto, size = auto(total = 5M params, within = ${share}) }`,
  ),
  "model.size.auto.tokens": budget("tokens = 100M tokens", "tokens = 1B tokens"),
  "model.size.auto.compute": budget("compute = 1e6 TFLOP", "compute = 1e7 TFLOP"),
  "model.size.auto.gpu_hours": budget("gpu_hours = 1 h, on = pod", "gpu_hours = 10 h, on = pod"),
  "model.size.auto.cost": budget("cost = 5 usd, on = priced", "cost = 50 usd, on = priced"),
  "model.size.auto.time": budget("time = 1 h, on = pod", "time = 10 h, on = pod"),
  "model.size.auto.on": budget("gpu_hours = 100 h, on = pod", "gpu_hours = 100 h, on = strong"),
  "model.size.auto.use": budget("gpu_hours = 1 h, on = pod, use = 20%", "gpu_hours = 1 h, on = pod, use = 60%"),
  "model.size.auto.ratio": budget(
    "tokens = 1B tokens, ratio = 20 tokens/param",
    "tokens = 1B tokens, ratio = 100 tokens/param",
  ),
  "model.tokenizer": ["", "m.tokenizer = pieces\nassert m.parameters.total < 1 params else warn"],
  "model.key": ['m.from = "hf://a/b"', 'm.from = "hf://a/b"\nm.key = token'],
  "model.layers": ["m.layers = 2", "m.layers = 4"],
  "model.d_model": ["m.d_model = 64", "m.d_model = 128"],
  "model.heads": ["m.heads = 4", "m.heads = 8"],
  "model.kv_heads": ["m.kv_heads = 4", "m.kv_heads = 2"],
  "model.head_dim": ["m.head_dim = 16", "m.head_dim = 32"],
  "model.vocab": ["m.vocab = 512", "m.vocab = 1024"],
  "model.context": ["m.context = 128 tokens", "m.context = 256 tokens"],
  "model.norm": ["", "m.norm = layer"],
  "model.activation": ["m.activation = silu", "m.activation = gelu"],
  "model.gated": ["", "m.gated = false"],
  "model.qk_norm": ["", "m.qk_norm = true"],
  "model.parallel_residual": [
    "m.family = gpt_neox\nm.parallel_residual = true",
    "m.family = gpt_neox\nm.parallel_residual = false",
  ],
  "model.positions": ["", "m.positions = learned"],
  "model.rotary_fraction": [
    "m.family = gpt_neox\nm.rotary_fraction = 25%",
    "m.family = gpt_neox\nm.rotary_fraction = 50%",
  ],
  "model.rope_theta": ["", "m.rope_theta = 500_000"],
  "model.window": ["", "m.window = 64 tokens"],
  "model.norms": ["", "m.norms = 4"],
  "model.pattern": ["", 'm.pattern = "MM"'],
  "model.dropout": ["m.dropout = 0%", "m.dropout = 20%"],
  "stage.model": ["train.model = m", "train.model = wide"],
  "stage.data": ["train.data = corpus", "train.data = other"],
  "stage.from": ["", "train.from = first.last", "train.from = first.best"],
  "stage.engine.deepspeed.quantize": ["weights", "gradients"].map(
    (what) => `train { engine = deepspeed(quantize = [${what}]), layout { zero_stage = 3 } }`,
  ),
  "stage.engine.deepspeed.nvme": ["a", "b"].map(
    (disk) => `train { engine = deepspeed(nvme = "/${disk}"), layout { zero_stage = 3, offload = all } }`,
  ),
  "stage.engine": ["train.engine = torch", "train.engine = deepspeed"],
  "stage.context": ["train.context = 128 tokens", "train.context = 64 tokens\nfirst.context = 64 tokens"],
  "stage.length": [
    "train.length = 100 steps",
    "train.length = 2 epochs",
    "train.length = 1M tokens",
    "train.length = 300 samples",
  ],
  "stage.batch": ["train.batch = 8 samples", "train.batch = 2048 tokens"],
  "stage.loss": ["train.loss = cross_entropy", "train.loss = cross_entropy + z_loss"],
  "stage.clip": ["train.clip = 1.0", "train.clip = none", "train.clip = 0.5"],
  "stage.cost": ["train.cost <= 1e9 usd\npod.price = 2 usd/gpu/h", "train.cost <= 1e-9 usd\npod.price = 2 usd/gpu/h"],
  "stage.time": ["train.time <= 900 d", "train.time <= 1 ms"],
  "stage.optimizer.adamw.betas": ["train.optimizer.betas = [0.9, 0.95]", "train.optimizer.betas = [0.8, 0.99]"],
  "stage.layout.micro_batch": ["train.layout.micro_batch = 1 samples", "train.layout.micro_batch = 2 samples"],
  "stage.layout.data_parallel": ["train.layout.data_parallel = 2", "train.layout.data_parallel = 1"],
  "stage.checkpoint.keep": [
    "train.checkpoint.keep = 2",
    "train.checkpoint.keep = all",
    "train.checkpoint.keep = [last(2), best(val.loss)]",
  ],
  "stage.checkpoint.keep.best.metric": [
    "train.checkpoint.keep = best(val.loss)",
    "train.checkpoint.keep = best(loss)",
  ],
  "stage.track": ["train.track = [console]", "train.track = [console, tensorboard]"],
  "stage.track.wandb.key": ["", "train.track = wandb(key = token)"],
  "eval.model": ["measure.model = train.last", "measure.model = train.best"],
  "eval.data": ["measure.data = corpus.val", "measure.data = corpus.train"],
  "sample.model": ["write.model = train.last", "write.model = train.best"],
  "eval.every": ["measure.model = none\nmeasure.every = 10 steps", "measure.model = none"],
};

function compiled(extra: string): Compilation {
  return compile({ path: "main.cdr", text: `${base}\n${extra}\n` }, alone);
}

const seen = new Map<string, string | null>();

/** All that comes of a file, without where it stands in the text. */
function effect(extra: string): string {
  const found = seen.get(extra);
  if (typeof found === "string") return found;
  const result = compiled(extra);
  const said = result.diagnostics.map((d) => `${d.code} ${d.message}`);
  const refused = result.unexecuted.of(["train", "measure", "write"]).map((d) => d.message);
  const isBroken = result.diagnostics.some((d) => d.severity === "error");
  const files = isBroken
    ? []
    : emitBundle(result).files.filter(
        (f) => !/^(sources|trainer)\/|^(manifest|plan)\.json$|^report\.html$/.test(f.path),
      );
  const stages = result.plan.stages.map(({ origins: _, alternatives: __, ...stage }) => stage);
  const shown = JSON.stringify([said, refused, files.map((f) => f.text), stages], (key, value: unknown) =>
    key === "span" ? undefined : value,
  );
  seen.set(extra, shown);
  return shown;
}

/** Expressions of a type, different ones where it has any. */
function texts(type: Type): string[] {
  switch (type.kind) {
    case "bool":
      return ["true", "false"];
    case "enum":
      return [...type.values];
    case "string":
    case "path":
      return ['"one"', '"two"'];
    case "number":
      return numbers(type);
    case "list":
      return texts(type.element).map((text) =>
        type.length === undefined ? `[${text}]` : `[${Array.from({ length: type.length }, () => text).join(", ")}]`,
      );
    case "choice":
      return Object.entries(type.constructors).flatMap(([name, constructor]) => {
        const needed = Object.entries(constructor.parameters).filter(([, p]) => p.required === true);
        const values = needed.map(([parameter, { type: wanted }]) => [parameter, texts(wanted)[0]] as const);
        if (values.some(([, text]) => text === undefined)) return [];
        return [`${name}(${values.map(([parameter, text]) => `${parameter} = ${text ?? ""}`).join(", ")})`];
      });
    case "union":
      return type.members.flatMap(texts);
    default:
      return [];
  }
}

function numbers(type: Extract<Type, { kind: "number" }>): string[] {
  const [dimension = {}] = type.dimensions;
  const amounts = type.percent !== undefined && isDimensionless(dimension) ? ["10%", "30%"] : [];
  if (amounts.length > 0) return amounts;
  const values = type.integer === true ? [8, 16] : type.max !== undefined && type.max <= 1 ? [0.3, 0.6] : [0.5, 2];
  if (isDimensionless(dimension)) return values.map(String);
  const [unit = describeDimension(dimension)] = unitsOf(dimension);
  return values.map((value) => `${type.integer === true || value >= 1 ? Math.ceil(value) : value} ${unit}`);
}

interface Case {
  readonly path: string;
  readonly amendments: readonly string[];
}

function casesOf(kind: BlockKind, place: string, path: string): Case[] {
  const own = Object.entries(kind.properties).flatMap(([name, property]) =>
    ofProperty(property, `${place}.${name}`, `${path}.${name}`),
  );
  const groups = Object.entries(kind.blocks ?? {}).flatMap(([name, group]) =>
    group.runs === false ? [] : casesOf(group, `${place}.${name}`, `${path}.${name}`),
  );
  return [...own, ...groups];
}

function ofProperty(property: Property, place: string, path: string): Case[] {
  if (property.runs === false) return [];
  const made = texts(property.type).map((text) => `${place} = ${text}`);
  const whole = { path, amendments: given[path] ?? made };
  return [whole, ...choicesIn(property.type).flatMap((type) => ofChoice(type, place, path))];
}

const choicesIn = (type: Type): Extract<Type, { kind: "choice" }>[] =>
  type.kind === "choice"
    ? [type]
    : type.kind === "union"
      ? type.members.flatMap(choicesIn)
      : type.kind === "list"
        ? choicesIn(type.element)
        : [];

/** Each parameter of each constructor that runs, beside those that the constructor needs. */
function ofChoice(type: Extract<Type, { kind: "choice" }>, place: string, path: string): Case[] {
  return Object.entries(type.constructors).flatMap(([name, constructor]) => {
    if (constructor.runs === false) return [];
    return Object.entries(constructor.parameters).flatMap(([parameter, property]): Case[] => {
      if (property.runs === false) return [];
      const own = `${path}.${name}.${parameter}`;
      const others = Object.entries(constructor.parameters)
        .filter(([other, p]) => other !== parameter && p.required === true)
        .map(([other, p]) => `${other} = ${texts(p.type)[0] ?? ""}`);
      const made = texts(property.type).map(
        (text) => `${place} = ${name}(${[...others, `${parameter} = ${text}`].join(", ")})`,
      );
      return [{ path: own, amendments: given[own] ?? made }];
    });
  });
}

/** Figures of families that the file above has not: the tests of models and of patterns hold them. */
const elsewhere = /^model\.(moe|mla|ssm|rwkv|pattern\.\w+)\./;

describe("what is said is carried out or refused", () => {
  const cases = Object.entries(places).flatMap(([name, place]) => {
    const kind = registry.kinds[name];
    return kind === undefined || kind.runs === false ? [] : casesOf(kind, place, name);
  });
  it.each(cases.filter(({ path }) => !elsewhere.test(path)).map((c) => [c.path, c] as const))(
    "%s",
    (_, { amendments }) => {
      expect(amendments.length).toBeGreaterThan(1);
      expect(new Set(amendments.map(effect)).size).toBeGreaterThan(1);
    },
  );

  it("has no value for what is not there", () => {
    const paths = new Set(cases.map(({ path }) => path));
    expect(Object.keys(given).filter((path) => !paths.has(path))).toEqual([]);
  });
});
