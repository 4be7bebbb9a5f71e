/** What no file may say, each as a line beside three sound blocks; and what looks like it and is sound. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";

const base = `data web { from = "corpus/*.txt", tokenizer = bytes }
model small { family = llama, layers = 4, d_model = 256, heads = 4, context = 256 tokens }
stage pre { model = small, data = web, length = 1000 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
`;

function told(more: string): readonly string[] {
  const options = {
    ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
    ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
  };
  return compile({ path: "main.cdr", text: base + more }, options).diagnostics.map(({ code }) => code);
}

const swept = (vary: string): string => `sweep s { stage = pre, vary { ${vary} } }`;

describe("what a sweep runs through", () => {
  it.each([
    ["optimizer.lr in 1e-4..1e-3", "cdr/vary-set"],
    ["optimizer.lr in 0.5..3", "cdr/vary-set"],
    ["optimizer.lr in 10%..50%", "cdr/vary-set"],
    ["seed in 3..1", "cdr/vary-set"],
    ["seed in []", "cdr/vary-set"],
    ["seed in [1, 2, 1]", "cdr/vary-set"],
    ["batch in [8 samples, 2 * 4 samples]", "cdr/vary-set"],
    ["seed in 1..1_000_000", "cdr/vary-set"],
    ["seed in 1..9999, length in 1 steps..30 steps", "cdr/vary-set"],
    ["", "cdr/vary-empty"],
  ])("refuses `%s`", (vary, code) => {
    expect(told(swept(vary))).toEqual([code]);
  });

  it.each([
    "seed in 1..3",
    "batch in 8 samples..10 samples",
    "optimizer.lr in [1e-4, 1.0000001e-4]",
    "optimizer in [adamw(lr = 1e-3), adamw(lr = 1.0000001e-3)]",
    "checkpoint.every in [none, 100 steps]",
  ])("takes `%s`", (vary) => {
    expect(told(swept(vary))).toEqual([]);
  });
});

describe("a checkpoint of a template", () => {
  const template = "abstract stage ab { model = small, data = web }\n";

  it.each([
    ["eval e { model = ab.last, data = web }"],
    ["stage on extends pre { from = ab.last }"],
    ["stage on extends pre after ab { }"],
  ])("is refused in `%s`", (line) => {
    expect(told(template + line)).toEqual(["cdr/abstract-used"]);
  });

  it("is nothing of the stages that extend it", () => {
    expect(
      told(`${template}stage real extends ab { length = 9 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
eval e { model = real.last, data = web }`),
    ).toEqual([]);
  });
});

const mix = (curriculum: string): string => `data mix {
  source a { from = "a.txt", weight = 60% }
  source b { from = "b.txt", weight = 40% }
  tokenizer = bytes
  curriculum { ${curriculum.replaceAll("; ", "\n")} }
}
stage two extends pre { data = mix }
`;

describe("phases", () => {
  it.each([
    ["phase one { until = 150% }", ["cdr/value-range"]],
    ["phase one { until = 90% }", ["cdr/data-phases-end"]],
    ["phase one { until = 500 steps }", ["cdr/data-phases-end"]],
    ["phase one { until = 1M tokens }", ["cdr/data-phases-end"]],
    ["phase one { until = 5000 steps }", ["cdr/data-phase-never"]],
    ["phase one { until = 100%, sequence = 1024 tokens }", ["cdr/size-context"]],
    ["phase one { until = 100%, a.weight = 90% }", ["cdr/data-weights"]],
    ["phase one { until = 100%, a.weight = 0%, b.weight = 0% }", ["cdr/data-weights-none"]],
    ["phase one { until = 100%, a.weight = 3 }", ["cdr/data-weights-mixed"]],
    ["phase one { until = 80% }; phase two { until = 10% }", ["cdr/data-phases"]],
    ["phase one { until = 20%, sequence = 128 tokens }; phase two { until = 100%, a.weight = 1, b.weight = 2 }", []],
    ["phase one { until = 1000 steps }", []],
    ["phase one { until = 2_048_000 tokens }", []],
  ])("of `%s` are told as they are", (phases, codes) => {
    expect(told(mix(phases))).toEqual(codes);
  });

  it("may be longer than a stage that a preset shortens", () => {
    const tried = `${mix("phase one { until = 1000 steps }")}preset short when = true { two.length = 10 steps }`;
    expect(told(tried)).not.toContain("cdr/data-phase-never");
  });
});

it.each([
  ['source a { from = "a", weight = 0 }\nsource b { from = "b", weight = 0 }', ["cdr/data-weights-none"]],
  ['source a { from = "a", weight = 0 }\nsource b { from = "b" }', []],
])("of all weights one is above 0: %j", (sources, codes) => {
  expect(told(`data z { ${sources} }`)).toEqual(codes);
});

describe("experts", () => {
  const mixture = (moe: string): string =>
    `model mx { family = mixtral, layers = 4, d_model = 256, heads = 4, context = 256 tokens, moe { ${moe} } }\n`;
  const trained = "stage three extends pre { model = mx }";

  it.each([
    ["experts = 2, top_k = 4", ["cdr/size-experts"]],
    ["experts = 1", ["cdr/size-experts"]],
    ["experts = 4, top_k = 4", []],
  ])("`%s`, trained or not", (moe, codes) => {
    expect(told(mixture(moe))).toEqual(codes);
    expect(told(mixture(moe) + trained)).toEqual(codes);
  });
});

it.each([
  "total = 1M params, active = 2M params",
  "total = 1M params, tokens = 1B tokens",
  "tokens = 1B tokens, compute = 1e18 FLOP",
])("two sizes of a dense model, `auto(%s)`, are one mistake, trained or not", (sizes) => {
  const model = `model y { family = llama, size = auto(${sizes}), context = 256 tokens }\n`;
  expect(told(model)).toEqual(["cdr/size-twice"]);
  expect(told(`${model}stage yy extends pre { model = y }`)).toEqual(["cdr/size-twice"]);
});

describe("a limit of one job", () => {
  const launched = (target: string): string => `import "std/gpus" { h100_sxm }
cluster pod { gpu = h100_sxm, nodes = 1, link = 450 GB/s, node { gpus = 8 } }
launch far on pod { target = slurm(${target}) }
pre { length = 100_000_000 steps, checkpoint { every = 30 min } }
`;

  it.each([
    ["time = 4 h, requeue = false", ["cdr/slurm-short"]],
    ["time = 4 h", []],
    ["time = 10 min", ["cdr/slurm-restarts"]],
    ["time = 2 min", ["cdr/slurm-lead"]],
    ["time = 1 h, memory = 8 GB", ["cdr/slurm-node-memory"]],
    ["time = 1 h, memory = 0 GB", []],
    ["requeue = false", []],
  ])("that a stage passes is told where nothing goes on after it: %s", (target, codes) => {
    expect(told(launched(target))).toEqual(codes);
  });
});

it("a bound on the cost of a sweep is nothing that can be judged where no device has a price", () => {
  const swept = (price: string): string => `import "std/gpus" { h100_sxm }
cluster pod { gpu = h100_sxm, nodes = 1, link = 450 GB/s, node { gpus = 8 }${price} }
launch far on pod { target = slurm }
sweep s { stage = pre, cost <= 5 usd, vary { seed in 1..3 } }
`;
  expect(told(swept(""))).toEqual(["cdr/cost-unknown"]);
  expect(told(swept(", price = 2 usd/gpu/h"))).toEqual([]);
});
