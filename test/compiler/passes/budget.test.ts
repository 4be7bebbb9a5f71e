/** What a budget of money or hours pays for, beside what the plan of the same stage says that it takes. */
import { describe, expect, it } from "vitest";
import { compileText } from "../../support/probes.ts";

const rate = 2.5;

interface Said {
  readonly size: string;
  readonly stage?: string;
  readonly data?: string;
  readonly more?: string;
  readonly length?: string;
  readonly launch?: string;
}

/** Of a model that is sized for `size`, whose stage says `stage` beside its optimizer. */
function planned({ size, stage = "", data = "", more = "", length, launch = "pod" }: Said) {
  const { plan, diagnostics } = compileText(`import "std/clusters" { dgx_h100, dgx_a100 }
data web { from = "c/*.txt", tokenizer = tiktoken("gpt2") ${data} }
cluster pod extends dgx_h100 { nodes = 2, price = ${rate} usd/gpu/h }
cluster old extends dgx_a100 { nodes = 2, price = ${rate} usd/gpu/h }
model m { family = llama, size = auto(${size}, on = pod), context = 2048 tokens }
stage s {
  model = m, data = web, optimizer = adamw(lr = 1e-4)
  length = ${length ?? "m.parameters.total * 20 tokens/param"}
  ${stage}
}
${more}
launch l on ${launch} { target = slurm(partition = "g") }`);
  const [found] = plan.stages;
  if (found === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const origin = found.origins["model.layers"];
  const rule = origin?.kind === "chosen" ? origin.reason : "";
  const told = diagnostics.filter(({ code }) => code === "cdr/size-misses-budget");
  return {
    total: found.total,
    model: found.model,
    rule,
    told: told.map(({ severity, message }) => `${severity}: ${message}`),
  };
}

const batch = "batch = 512 samples";

describe("a size for a budget", () => {
  it.each([
    ["cost = 200 usd", { cost: 200 }, `engine = deepspeed, ${batch}`],
    ["cost = 2000 usd", { cost: 2000 }, `engine = torch, ${batch}`],
    ["cost = 20K usd", { cost: 20_000 }, `engine = megatron, ${batch}`],
    ["time = 24 h", { hours: 24 }, `engine = deepspeed, ${batch}`],
    ["gpu_hours = 1000 h", { gpu_hours: 1000 }, `engine = megatron, ${batch}`],
    ["cost = 5000 usd", { cost: 5000 }, "engine = deepspeed"],
    ["cost = 5000 usd", { cost: 5000 }, `${batch}, checkpoint { every = 50 steps }`],
    ["cost = 5000 usd", { cost: 5000 }, `${batch}, checkpoint = none, resume = never`],
    ["cost = 5000 usd", { cost: 5000 }, `${batch}, eval { every = 10 steps, length = 20 batches }`],
    ["cost = 4000 usd", { cost: 4000 }, `engine = megatron, ${batch}, layout { pipeline_parallel = 2 }`],
    ["gpu_hours = 3000 h", { gpu_hours: 3000 }, "engine = megatron, batch = 32 * pod.nodes * 1 samples"],
  ] as const)("%s is what the whole plan takes: %j with %s", (size, wanted, stage) => {
    const { total, rule, told } = planned({ size, stage });
    expect(rule).toContain("which the plan of its stage reaches over the whole run");
    expect(told).toEqual([]);
    for (const [name, amount] of Object.entries(wanted)) {
      const off = total[name as "cost"] ?? Number.NaN;
      expect(off / amount).toBeLessThanOrEqual(1.01);
      expect(off / amount).toBeGreaterThanOrEqual(0.99);
    }
  });

  it.each(["gpu_hours = 1 h", "cost = 2 usd", "time = 1 min"])(
    "refuses %s where not even the smallest model trains that long for it",
    (size) => {
      const { told } = planned({ size, stage: batch, length: "20B tokens" });
      expect(told).toEqual([
        expect.stringMatching(/^error: .*no model that was tried takes less on the 20B tokens of its `length`$/),
      ]);
    },
  );

  it.each(["gpu_hours = 10 h", "cost = 150 usd"])("of %s is kept by a small model, too", (size) => {
    const { told } = planned({ size, stage: batch, length: "20B tokens" });
    expect(told.filter((one) => !one.startsWith("info"))).toEqual([]);
  });

  it.each([4900, 5000, 5300])(
    "comes near %i usd with a model that the ranks which a layout names share out, in whole tiles of tensor cores",
    (cost) => {
      const stage = `engine = megatron, ${batch}, layout { tensor_parallel = 8, recompute = full }`;
      const { total, told, model } = planned({ size: `cost = ${cost} usd`, stage });
      expect(told.filter((one) => one.includes("holds no larger one"))).toEqual([]);
      expect(total.cost ?? 0).toBeGreaterThan(0.95 * cost);
      expect([model.heads % 8, (model.d_ff / 8) % 16]).toEqual([0, 0]);
    },
  );

  it("comes near with layers that the stages of a pipeline which a layout names share out", () => {
    const stage = `engine = megatron, ${batch}, layout { pipeline_parallel = 16 }`;
    const { total, told, model } = planned({ size: "cost = 5000 usd", stage });
    expect(told).toEqual([]);
    expect([total.cost ?? 0, model.layers % 16]).toEqual([expect.closeTo(5000, -2), 0]);
  });

  it("takes a shape that no layout cuts for none that is too large", () => {
    const stage = `engine = megatron, ${batch}, layout { tensor_parallel = 8, pipeline_parallel = 2, virtual_pipeline = 7 }`;
    const { told } = planned({ size: "cost = 300 usd", stage });
    expect(told.filter((one) => one.includes("no larger model fits"))).toEqual([]);
  });

  it.each([
    ["cost = 5000 usd", "1T tokens", { cost: 5000 }],
    ["gpu_hours = 2000 h", "100B tokens", { gpu_hours: 2000 }],
    ["time = 100 h", "50K steps", { hours: 100 }],
    ["cost = 5000 usd", "40M samples", { cost: 5000 }],
  ] as const)("%s pays for a training on %s, where a stage says that", (size, length, wanted) => {
    const { total, rule, told } = planned({ size, stage: `${batch}, engine = deepspeed`, length });
    expect(told).toEqual([]);
    expect(rule).toContain("tokens, the `length` of its stage");
    for (const [name, amount] of Object.entries(wanted)) {
      const off = total[name as "cost"] ?? Number.NaN;
      expect(off / amount).toBeLessThanOrEqual(1.01);
      expect(off / amount).toBeGreaterThanOrEqual(0.99);
    }
  });

  it("counts the evaluations of a split that the data tell the size of", () => {
    const { total, told } = planned({
      size: "cost = 5000 usd",
      stage: `${batch}, eval { every = 200 steps }`,
      data: ", tokens = 100B tokens, split { val = 0.5% }",
    });
    expect(told).toEqual([]);
    expect(total.parts.evaluation / total.hours).toBeGreaterThan(0.02);
  });

  it.each([
    ["cost = 0 usd", /is 0: a budget must be more than that/],
    ["tokens = 1B tokens, cost = 5 usd", /takes `tokens` or `cost`, not both/],
    ["compute = 1e40 FLOP", /`compute` leads to 9129000T parameters, but the sizer supports at most 100T/],
  ])("is told what is wrong with %s where the length follows from the model", (size, message) => {
    expect(() => planned({ size, stage: batch })).toThrow(message);
  });

  it.each([
    ["layers = 12, d_model = 768, heads = 7", "cdr/size-divisibility"],
    ["size = auto(total = 3B params), d_model in 3000..3001", "cdr/size-unreachable"],
  ])("tells of a model that cannot be where the length follows from it: %s", (says, code) => {
    const { diagnostics } = compileText(`data web { from = "c/*.txt", tokenizer = tiktoken("gpt2") }
model m { family = llama, ${says} }
stage s {
  model = m, data = web, optimizer = adamw(lr = 1e-4), batch = 8 samples
  length = m.parameters.total * 20 tokens/param
}`);
    expect(diagnostics.map((each) => each.code)).toEqual([code]);
  });

  it("takes the share of the peak that is written", () => {
    const { rule, told } = planned({ size: "cost = 200 usd, use = 25%", stage: `engine = deepspeed, ${batch}` });
    expect(rule).toContain("at 25.0 % of 989.4 TFLOPS are");
    expect(told).toEqual([
      expect.stringMatching(
        /^info: the model is sized for 200 usd of pod, but stage s takes \d+(\.\d+)? usd: its plan reaches another utilization than `use`, 25 %$/,
      ),
    ]);
  });

  it.each([
    [
      { size: "cost = 5000 usd, ratio = 20 tokens/param", length: "1B tokens", stage: batch },
      /^info: .*: it trains on 1B tokens, but the size assumes \d+(\.\d+)?B, 20 per parameter$/,
    ],
    [
      { size: "cost = 5000 usd, ratio = 20 tokens/param", length: "1T tokens", stage: batch },
      /^warning: .*: it trains on 1T tokens, but the size assumes \d+(\.\d+)?B, 20 per parameter$/,
    ],
    [{ size: "cost = 1e13 usd", stage: `${batch}, engine = megatron` }, /^info: .*: no larger model fits on pod$/],
    [{ size: "cost = 1e12 usd", stage: batch }, /^info: .* takes \d+(,\d{3})+,000 usd: no larger model fits on pod$/],
    [{ size: "gpu_hours = 1e15 h", stage: batch }, /^info: .*: no larger model fits on pod$/],
    [{ launch: "old", stage: batch }, /^warning: .* of pod, .*: it runs on old$/],
    [
      {
        stage: "batch = 64 * max(1, round(m.parameters.total / 10B params)) * 1 samples",
      },
      /: its `batch` may follow from the model, so the size was chosen without it$/,
    ],
  ] as const)("says why a plan is off it: %j", (said, why) => {
    expect(planned({ size: "cost = 5000 usd", ...said }).told).toEqual([expect.stringMatching(why)]);
  });

  it.each([
    ["let each = m.parameters.total / 1B params\nlet many = 64 * max(1, round(each))", "batch = many * 1 samples"],
    ["fn of(n: Int) = n * max(1, round(m.parameters.total / 1B params))", "batch = of(64) * 1 samples"],
    ["param n: Int = 64 * max(1, round(m.parameters.total / 1B params))", "batch = n * 1 samples"],
    ["param n: Int = 64\npreset p { n = 64 * m.layers }", "batch = n * 1 samples"],
    ["", `${batch}, checkpoint { every = m.layers * 100 steps }`],
    ["", `${batch}, layout { micro_batch <= max(1, m.layers) * 1 samples }`],
    ["stage other extends s { seed = 7 }", "batch = 512 samples, seed = s.model.layers"],
    ["", `${batch}, engine = if m.layers > 10 then megatron else deepspeed`],
  ])("reads nothing that leads back to the size: %s %s", (more, stage) => {
    const { total } = planned({ size: "cost = 5000 usd", more, stage });
    expect(total.steps).toBeGreaterThan(0);
  });
});

describe("a size for tokens or operations", () => {
  const told = (size: string, length: string, more = ""): string[] =>
    compileText(`import "std/clusters" { dgx_h100 }
data web { from = "c/*.txt", tokenizer = tiktoken("gpt2") }
cluster pod extends dgx_h100 { nodes = 2 }
model m { family = llama, size = auto(${size}), context = 2048 tokens }
stage s { model = m, data = web, optimizer = adamw(lr = 1e-4), batch = 512 samples, length = ${length} }
${more}
launch l on pod { target = slurm(partition = "g") }`)
      .diagnostics.filter(({ code }) => code === "cdr/size-misses-length")
      .map(({ severity, message }) => `${severity}: ${message}`);

  it.each([
    ["tokens = 100B tokens", "100B tokens"],
    ["tokens = 100B tokens", "97B tokens"],
    ["tokens = 100B tokens", "m.parameters.total * 20 tokens/param"],
    ["tokens = 100B tokens, ratio = 50 tokens/param", "100B tokens"],
    ["tokens = 100B tokens, within = 20%", "m.parameters.total * 20 tokens/param"],
    ["compute = 1e21 FLOP", "m.parameters.total * 20 tokens/param"],
    ["total = 1B params", "1T tokens"],
  ])("is what a stage trains: %s for %s", (size, length) => {
    expect(told(size, length)).toEqual([]);
  });

  it.each([
    ["tokens = 100B tokens", "20B tokens", /^warning: .* 100B tokens, .* trains it on 20B: 4 per parameter, not 20$/],
    ["tokens = 100B tokens", "400B tokens", /^info: .* trains it on 400B: (79|80|81)(\.\d+)? per parameter, not 20$/],
    ["tokens = 100B tokens, ratio = 50 tokens/param", "20B tokens", /^warning: .*: 10 per parameter, not 50$/],
    ["compute = 1e21 FLOP", "5B tokens", /^warning: the model is sized for 57\.\d+B tokens/],
  ])("%s beside a stage of %s is told", (size, length, message) => {
    expect(told(size, length)).toEqual([expect.stringMatching(message)]);
  });

  it("is for the first stage alone: what is tuned later trains on less", () => {
    const tuned = "stage tune extends s { model = s.last, length = 1B tokens }";
    expect(told("tokens = 100B tokens", "100B tokens", tuned)).toEqual([]);
  });
});
