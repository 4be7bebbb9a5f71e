import { describe, expect, it } from "vitest";
import { families } from "../../../compiler/models/index.ts";
import { parametersForCompute, parametersForTokens } from "../../../compiler/passes/size/budget.ts";
import { depthOf } from "../../../compiler/passes/size/ladder.ts";
import { size } from "../../../compiler/passes/size.ts";
import type { Bound, FamilyName, ModelRequest, Scalar } from "../../../compiler/pipeline.ts";
import { given, modelRequest, sizeOf, span } from "../../support/pipeline.ts";

function messages(request: ModelRequest): string[] {
  return size(request).diagnostics.map((d) => `${d.code.slice(4)}: ${d.message}`);
}

function auto(family: FamilyName, target: number, within = 0.01, values: Readonly<Record<string, Scalar>> = {}) {
  const { model, origins, diagnostics } = size(modelRequest(family, values, { size: sizeOf(target, within) }));
  if (model === null) throw new Error(diagnostics.map((d) => d.message).join("\n"));
  return { model, origins };
}

const bound = (rest: Partial<Bound>): Bound => ({ min: null, max: null, oneOf: null, spans: [span], ...rest });

describe("size = auto", () => {
  it("draws for the tensor-parallel ranks that a stage names, where their number is none that a width asks for", () => {
    const heads = (tensorRanks?: number) => {
      const rest = tensorRanks === undefined ? {} : { tensorRanks };
      const request = modelRequest("llama", { vocab: 32000 }, { size: sizeOf(2.68e9), ...rest });
      return size(request).model?.heads ?? 0;
    };
    expect(heads() % 8).not.toBe(0);
    for (const ranks of [4, 8, 16]) expect([ranks, heads(ranks) % ranks]).toEqual([ranks, 0]);
    // Three ranks want three parts, which no rule of thumb has.
    expect(heads(3) % 3).toBe(0);
  });

  it("takes the family's ratio where the count allows it, else whole tiles for eight ranks", () => {
    expect(auto("gpt2", 1.75e11).model.d_ff).toBe(4 * 12288);
    for (const target of [1.8e11, 2e11, 4.05e11]) {
      expect([target, auto("llama", target).model.d_ff % 1024]).toEqual([target, 0]);
      expect([target, auto("gpt2", target).model.d_ff % 1024]).toEqual([target, 0]);
    }
  });

  it.each(["gpt_oss", "qwen3"] as const)(
    "gives a %s as many heads as 8 ranks share out, which nothing else asks for",
    (family) => {
      for (const target of [7e9, 1.3e10, 3e10, 6.5e10])
        expect([target, auto(family, target).model.heads % 8]).toEqual([target, 0]);
    },
  );

  it("draws as many layers as the stages of a pipeline that are named share out", () => {
    for (const pipelineStages of [5, 6, 7, 12, 16, 24]) {
      const request = modelRequest("llama", { vocab: 32000 }, { size: sizeOf(7e9), pipelineStages });
      expect([pipelineStages, (size(request).model?.layers ?? 1) % pipelineStages]).toEqual([pipelineStages, 0]);
    }
  });

  it.each(["llama", "mistral", "qwen3", "gpt2"] as const)("finds a %s that ranks and stages cut evenly", (family) => {
    for (const target of [1e9, 2.2e9, 3.5e9, 6e9, 8e9, 1.1e10, 1.7e10, 2.9e10, 5.3e10, 9e10, 2.3e11]) {
      const { model } = auto(family, target);
      const stages = model.layers >= 20 ? 4 : 2;
      expect([target, model.layers % stages, model.heads % 4]).toEqual([target, 0, 0]);
      if (model.d_model >= 4096) expect([target, model.heads % 8]).toEqual([target, 0]);
      expect(Math.abs(model.parameters.total / target - 1)).toBeLessThanOrEqual(0.01);
    }
  });

  it.each([
    ...[3, 5, 6, 7, 9, 10, 12, 20, 24].map((kv_heads) => ["kv_heads", kv_heads] as const),
    ...[14, 18, 20, 22, 28, 36, 40, 44, 56].map((heads) => ["heads", heads] as const),
  ])("keeps near the published depth where %s = %d is written", (property, value) => {
    for (const target of [1e8, 1e9, 7e9, 3e10]) {
      if (property === "heads" && target !== 7e9) continue;
      const { model } = auto("llama", target, 0.01, { vocab: 32000, [property]: value });
      expect(model.d_model).toBe(model.heads * model.head_dim);
      expect(model.heads % model.kv_heads).toBe(0);
      expect([32, 48, 64, 80, 96, 128, 192, 256]).toContain(model.head_dim);
      const depth = depthOf(families.llama, model.d_model).layers;
      expect(Math.abs(Math.log2(model.layers / depth))).toBeLessThan(1);
    }
  });

  it("says that few written heads are wider than any that were published", () => {
    const request = modelRequest("llama", { vocab: 32000, heads: 7 }, { size: sizeOf(7e9, 0.01) });
    expect(messages(request)).toEqual([
      "size-lopsided: tiny has the requested number of parameters, but with heads of 512, where the widest published ones have 256",
    ]);
  });

  it.each([
    [{ d_model: 3000 }, "a d_model of 3000, which gives 75 heads of 40, where 3072 gives 24 of 128"],
    [{ d_model: 5000 }, "a d_model of 5000, which gives 25 heads of 200, where 5120 gives 40 of 128"],
    [{ d_model: 4000 }, null],
    [{ d_model: 3072 }, null],
    [{ d_model: 3000, heads: 25 }, null],
  ] as const)("says that a width of a llama comes apart badly: %j", (values, said) => {
    const told = messages(modelRequest("llama", values, { size: sizeOf(7e9) }));
    expect(told).toEqual(
      said === null ? [] : [`size-lopsided: tiny has the requested number of parameters, but with ${said}`],
    );
  });

  it("gives heads of a width of their own in numbers that ranks share", () => {
    for (const d_model of [3000, 2880, 4000, 5000]) {
      const { model } = auto("qwen3", 7e9, 0.01, { d_model });
      expect(model.heads % (d_model >= 4096 ? 8 : 4)).toBe(0);
      expect(Math.abs(Math.log((model.heads * 128) / d_model))).toBeLessThan(0.1);
    }
    const { model } = auto("qwen3", 7e9, 0.01, { d_model: 4096, head_dim: 64 });
    expect(model.heads).toBe(64);
  });

  it("shares keys of wide models with heads that were written, as Yi 34B does, and stays near the published depth", () => {
    const { model } = auto("llama", 70e9, 0.01, { heads: 56 });
    expect(model).toMatchObject({ d_model: 7168, heads: 56, kv_heads: 8 });
    expect(model.layers).toBeLessThan(88);
  });

  it("takes heads that were written and do not divide the width for both counts of a mixture", () => {
    const wanted = { which: "active", target: 3e9, total: 30e9, within: 0.01, span } as const;
    const { model } = size(modelRequest("qwen3_moe", { heads: 20 }, { size: wanted }));
    expect(model).toMatchObject({ heads: 20, moe: { top_k: 8 } });
    expect((model?.layers ?? 1) % 4).toBe(0);
  });

  it("has no experts where no letter of its pattern stands for them, and says so of what is written", () => {
    const dense = size(modelRequest("nemotron_h", { layers: 12, d_model: 1024 }));
    expect(dense.model).not.toHaveProperty("moe");
    expect(Object.keys(dense.origins).filter((name) => name.startsWith("moe."))).toEqual([]);
    expect(dense.diagnostics).toEqual([]);
    expect(
      messages(modelRequest("nemotron_h", { layers: 2, d_model: 1024, pattern: "M-", "moe.experts": 16 })),
    ).toEqual([
      "size-experts-unused: moe.experts has no effect, since no layer of tiny has experts: its pattern M- has no layer `E`",
    ]);
    const flat = { layers: 3, d_model: 1024, "moe.first_dense": 3 };
    expect(messages(modelRequest("qwen3_moe", flat))).toEqual([
      expect.stringContaining("of its 3 layers the first 3 are dense"),
    ]);
    const sparse = { layers: 2, d_model: 1024, pattern: "ME", "moe.experts": 16 };
    expect(size(modelRequest("nemotron_h", sparse))).toMatchObject({
      diagnostics: [],
      model: { moe: { experts: 16 } },
    });
  });

  it.each([
    ["gemma3", 9e9, { pattern: "LLG" }, "with 3 layers of 12288"],
    ["gemma3", 9e9, { layers: 3 }, "with 3 layers of 12288"],
    ["llama", 7e9, { d_model: 4096, layers: 8 }, "with a feed-forward part of 62464, 15 times the model's 4096"],
    ["qwen3_moe", 150e9, { d_model: 1024, layers: 10 }, "times the model's 1024; published are 0.25"],
  ] as const)("says that a %s of %d with %o is none that anybody published", (family, target, values, said) => {
    const [told, ...others] = messages(modelRequest(family, values, { size: sizeOf(target, 0.01) }));
    expect(told).toContain("size-lopsided");
    expect(told).toContain(said);
    expect(others).toEqual([]);
  });

  it("draws experts of a hybrid by both counts, as Nemotron 3 Nano has them", () => {
    const pattern = "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME";
    const wanted = { which: "active", target: 3.6e9, total: 31.6e9, within: 0.02, span } as const;
    const { model } = size(modelRequest("nemotron_h", { pattern }, { size: wanted }));
    expect(model).toMatchObject({ layers: 52, moe: { experts: 128, top_k: 6 } });
    expect(Math.abs(Math.log((model?.d_model ?? 0) / 2688))).toBeLessThan(0.1);
    expect(Math.abs(Math.log((model?.moe?.d_ff ?? 0) / 1856))).toBeLessThan(0.1);
    expect(model?.moe?.shared_d_ff).toBe(2 * (model?.moe?.d_ff ?? 0));
  });

  it("counts the experts of Nemotron 3 Nano as its checkpoint has them", () => {
    const written = {
      pattern: "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
      d_model: 2688,
      heads: 32,
      kv_heads: 2,
      "ssm.heads": 64,
    };
    const { model } = size(modelRequest("nemotron_h", written));
    // With the router's corrections of 23 layers of 128 experts, which no gradient moves.
    expect(model?.parameters.total).toBe(31_577_937_344 + 23 * 128);
  });

  it.each(["llama", "gemma3", "qwen3_moe"] as const)(
    "has as many layers of a narrow %s as a file may write",
    (family) => {
      const [told] = messages(modelRequest(family, { d_model: 64 }, { size: sizeOf(1e14) }));
      expect(told).toContain("(layers 2000, d_model 64,");
    },
  );

  it.each(["llama", "nemotron_h", "gemma3"] as const)("draws the largest %s that a file may ask for", (family) => {
    const { model } = auto(family, 9e13);
    expect(Math.abs(model.parameters.total / 9e13 - 1)).toBeLessThanOrEqual(0.01);
    expect(model.layers).toBeLessThan(3000);
  });

  it("says that narrow tables are the least of a model", () => {
    const [told] = messages(modelRequest("llama", { vocab: 32000 }, { size: sizeOf(3e5, 0.01) }));
    expect(told).toContain("closest: 513,048 (layers 1, d_model 8, d_ff 32); widths are multiples of 8");
  });

  it("says what cuts its shape, and who published that", () => {
    const { model, origins } = auto("llama", 8e9, 0.01, { vocab: 128256 });
    expect(model).toMatchObject({ layers: 32, d_model: 4096, heads: 32 });
    expect(JSON.stringify(origins["layers"])).toContain("arXiv 2104.04473");
    expect(JSON.stringify(origins["d_model"])).toContain("arXiv 1909.08053");
  });

  it("says which rules it gave up for its shape", () => {
    const reasons = (target: number): string[] => {
      const { origins } = auto("mpt", target, 0.01, { vocab: 65000 });
      return ["layers", "d_model"].map((name) => JSON.stringify(origins[name]));
    };
    const [layers, width] = reasons(19e9);
    expect(layers).toMatch(/41 layers.*not a multiple of 4.*given up/);
    expect(width).not.toContain("given up");
    expect(reasons(333e6)[1]).toMatch(/heads 9: not a multiple of 4.*given up/);
    const { origins } = auto("llama", 8e9, 0.01, { vocab: 128256 });
    expect(JSON.stringify(origins)).not.toContain("given up");
  });

  it("of parameters that nobody ever had is told with the most that was published", () => {
    const told = (target: number): readonly string[] =>
      messages(modelRequest("llama", { vocab: 32000 }, { size: sizeOf(target) }));
    for (const target of [1e13, 1e14])
      expect(told(target)).toEqual([
        expect.stringMatching(/^size-lopsided: .* of them, where the largest published model has 1\.571T$/),
      ]);
    expect(told(2e12)).toEqual([]);
  });

  it("finds GPT-2 from its number of parameters", () => {
    const { model, origins } = auto("gpt2", 124e6);
    expect(model).toMatchObject({ layers: 12, d_model: 768, heads: 12, d_ff: 3072, vocab: 50257 });
    expect(origins["d_model"]).toMatchObject({ kind: "chosen", by: "sizer" });
  });

  it.each([
    ["llama", 1e6, 0.01, { vocab: 257 }],
    ["llama", 1e6, 0.001, { vocab: 257 }],
    ["llama", 10e6, 0.01, { vocab: 8192 }],
    ["gpt2", 350e6, 0.02, {}],
    ["llama", 1e9, 0.01, { kv_heads: 8 }],
    ["gpt_neox", 1.2e9, 0.01, {}],
    ["llama", 7e9, 0.05, {}],
    ["llama", 70e9, 0.02, { vocab: 128256 }],
    ["llama", 405e9, 0.01, { vocab: 128256 }],
  ] as const)("%s of %d comes within %d, with a shape that people build", (family, target, within, values) => {
    const { model } = auto(family, target, within, values);
    expect(Math.abs(model.parameters.total / target - 1)).toBeLessThanOrEqual(within);
    expect(model.d_model % 8).toBe(0);
    expect([16, 24, 32, 40, 48, 64, 80, 96, 128]).toContain(model.head_dim);
    const aspect = model.d_model / model.layers;
    expect(aspect).toBeGreaterThan(10);
    expect(aspect).toBeLessThan(260);
  });

  it.each(Object.keys(families) as FamilyName[])(
    "%s: ranks that share the heads share the key-value heads",
    (name) => {
      for (const target of [3e8, 1.1e9, 3e9, 9e9, 2e10, 4.7e10, 1.2e11, 4e11]) {
        const { model } = size(modelRequest(name, {}, { size: sizeOf(target) }));
        if (model === null || model.heads === 0) continue;
        const { heads, kv_heads, head_dim, mla } = model;
        expect([name, target, head_dim % 8]).toEqual([name, target, 0]);
        if (mla !== undefined) continue;
        for (const ranks of [2, 4, 8].filter((n) => heads % n === 0)) {
          const isShared = kv_heads % ranks === 0 || ranks % kv_heads === 0;
          expect([name, target, heads, kv_heads, ranks, isShared]).toEqual([
            name,
            target,
            heads,
            kv_heads,
            ranks,
            true,
          ]);
        }
      }
    },
  );

  it.each(["llama", "mistral", "gpt2", "falcon", "rwkv7"] as const)(
    "%s: depth and width rise with the count",
    (name) => {
      let last = { layers: 0, d_model: 0 };
      for (let target = 3e8; target < 5e11; target *= 1.25) {
        const { model } = auto(name, Number(target.toPrecision(3)));
        const step = model.layers >= 20 ? 4 : 2;
        expect(model.layers, `${name} of ${target}`).toBeGreaterThanOrEqual(last.layers - step);
        expect(model.d_model, `${name} of ${target}`).toBeGreaterThanOrEqual(last.d_model);
        last = model;
      }
    },
  );

  it("groups the queries of a wide llama, as published ones do", () => {
    const { model, origins } = auto("llama", 70e9);
    expect(model).toMatchObject({ d_model: 8192, heads: 64, kv_heads: 8 });
    expect(Math.abs(model.layers - 80)).toBeLessThanOrEqual(4);
    expect(JSON.stringify(origins["kv_heads"])).toContain("arXiv 2307.09288");
    expect(auto("llama", 7e9).model).toMatchObject({ layers: 32, d_model: 4096, kv_heads: 32 });
  });

  it("draws Llama 3 for its vocabulary, with the keys it shares at every width", () => {
    const drawn = (parameters: number) =>
      size(modelRequest("llama", { vocab: 128_256 }, { size: sizeOf(parameters) })).model;
    expect(drawn(8_030_261_248)).toMatchObject({ layers: 32, d_model: 4096, heads: 32, kv_heads: 8, d_ff: 14_336 });
    expect(drawn(70_553_706_496)).toMatchObject({ layers: 80, d_model: 8192, heads: 64, kv_heads: 8, d_ff: 28_672 });
    expect(drawn(2e9)?.kv_heads).toBeLessThanOrEqual(8);
  });

  it("has one key-value head in a narrow Falcon, and eight with two norms in a wide one", () => {
    expect(auto("falcon", 7e9).model).toMatchObject({ kv_heads: 1, norms: 1 });
    expect(auto("falcon", 40e9).model).toMatchObject({ kv_heads: 8, norms: 2 });
    expect(auto("falcon", 180e9).model).toMatchObject({ kv_heads: 8, norms: 2 });
  });

  it("says what the bounds would take, where the count could be had", () => {
    const bounds = new Map([
      ["layers", bound({ max: 10 })],
      ["d_model", bound({ max: 1024 })],
    ]);
    expect(messages(modelRequest("llama", {}, { size: sizeOf(7e9), bounds }))).toEqual([
      expect.stringMatching(
        /within 1 %: layers 10 and d_model 1024 would need d_ff \d+, 8\d times the family's 2816, .*; write d_ff to choose that$/,
      ),
    ]);
  });

  it.each([
    [
      "llama",
      { vocab: 1000 },
      { layers: bound({ max: 2 }) },
      1e8,
      /^size-lopsided: .* with 2 layers of \d+, where .* have about \d+$/,
    ],
    ["llama", { vocab: 128_256 }, {}, 6e7, /^size-lopsided: .* with tables of 128256 rows that are 9\d % of all/],
  ] as const)("tells of a %s that nobody would build: %j", (family, values, bounds, target, message) => {
    const request = modelRequest(family, values, { size: sizeOf(target), bounds: new Map(Object.entries(bounds)) });
    expect(messages(request)).toEqual([expect.stringMatching(message)]);
    expect(size(request).model).not.toBeNull();
  });

  it("keeps what is written and what is bounded", () => {
    expect(auto("llama", 125e6, 0.01, { layers: 30 }).model.layers).toBe(30);
    expect(auto("llama", 125e6, 0.01, { heads: 9 }).model.heads).toBe(9);
    const request = modelRequest(
      "llama",
      {},
      {
        size: sizeOf(125e6, 0.02),
        bounds: new Map([
          ["layers", bound({ min: 20 })],
          ["kv_heads", bound({ oneOf: [1, 2] })],
        ]),
      },
    );
    const { model } = size(request);
    expect(model?.layers).toBeGreaterThanOrEqual(20);
    expect(model?.kv_heads).toBe(2);
  });

  it.each([
    ["written and bounded", { layers: 10 }, new Map([["d_model", bound({ max: 1024 })]])],
    [
      "both bounded",
      {},
      new Map([
        ["layers", bound({ max: 10 })],
        ["d_model", bound({ max: 1024 })],
      ]),
    ],
  ])("widens feed-forward parts as far as published models do, with depth and width %s", (_, values, bounds) => {
    for (const target of [140e6, 160e6, 250e6, 350e6]) {
      const { model, diagnostics } = size(modelRequest("llama", values, { size: sizeOf(target), bounds }));
      expect(diagnostics).toEqual([]);
      expect(model?.layers).toBeLessThanOrEqual(10);
      expect(Math.abs((model?.parameters.total ?? 0) / target - 1)).toBeLessThanOrEqual(0.01);
    }
  });

  it("names every place that keeps a count out of reach", () => {
    const bounds = new Map([["d_model", bound({ max: 1024 })]]);
    const [only] = size(modelRequest("llama", { layers: 10 }, { size: sizeOf(7e9), bounds })).diagnostics;
    expect(only?.message).toMatch(/layers 10 and d_model 1024 would need d_ff \d+/);
    expect(only?.related?.map(({ message }) => message)).toEqual(["layers = 10", "d_model <= 1024"]);
  });

  it("names the closest shape when none is near enough", () => {
    const request = modelRequest("llama", { d_model: 4096, vocab: 128000 }, { size: sizeOf(100e6) });
    expect(messages(request)).toEqual([
      expect.stringMatching(
        /^size-unreachable: .*100M total parameters within 1 %: closest: 1,[\d,]+ \(layers 1, d_model 4096/,
      ),
    ]);
  });

  it("says when nothing is left to choose", () => {
    const request = modelRequest("gpt2", { layers: 12, d_model: 768, d_ff: 3072 }, { size: sizeOf(1e9) });
    expect(messages(request)).toEqual([
      "size-conflict: the given properties fix the size at 124.4M parameters, not 1B within 1 %",
    ]);
  });
});

describe("size of mixtures, hybrids and recurrences", () => {
  it.each([
    ["mistral", 7e9],
    ["mixtral", 47e9],
    ["qwen2", 1.5e9],
    ["qwen3", 4e9],
    ["qwen3_moe", 30e9],
    ["gemma", 2.5e9],
    ["gemma2", 9e9],
    ["gemma3", 4e9],
    ["falcon", 7e9],
    ["phi", 2.7e9],
    ["olmo2", 7e9],
    ["deepseek_v2", 16e9],
    ["gpt_oss", 20e9],
    ["mpt", 7e9],
    ["nemotron", 15e9],
    ["nemotron_h", 8e9],
    ["bamba", 9e9],
    ["mamba", 370e6],
    ["mamba2", 1.3e9],
    ["rwkv7", 1.5e9],
    ["cdrmix", 4e9],
  ] as const)("%s of %d comes within 1 %", (family, target) => {
    const { model } = auto(family, target);
    expect(Math.abs(model.parameters.total / target - 1)).toBeLessThanOrEqual(0.01);
    const like = depthOf(families[family], model.d_model).layers;
    expect(Math.abs(Math.log(model.layers / like))).toBeLessThan(Math.log(1.6));
  });

  const two = (family: FamilyName, total: number, active: number) => {
    const asked = sizeOf(active);
    return size(modelRequest(family, {}, { size: asked === null ? null : { ...asked, which: "active", total } }));
  };

  it.each([
    ["mixtral", 47e9, 13e9],
    ["mixtral", 141e9, 39e9],
    ["mixtral", 1e9, 3e8],
    ["qwen3_moe", 30e9, 3e9],
    ["qwen3_moe", 235e9, 22e9],
    ["qwen3_moe", 3e9, 5e8],
    ["gpt_oss", 47e9, 13e9],
    ["gpt_oss", 117e9, 5.1e9],
    ["deepseek_v3", 671e9, 37e9],
    ["deepseek_v2", 16e9, 2.4e9],
    ["cdrmix", 671e9, 37e9],
    ["cdrmix", 47e9, 13e9],
  ] as const)("%s of %d, %d of them active, has both", (family, total, active) => {
    const { model } = two(family, total, active);
    expect(Math.abs((model?.parameters.active ?? 0) / active - 1)).toBeLessThanOrEqual(0.01);
    expect(Math.abs((model?.parameters.total ?? 0) / total - 1)).toBeLessThanOrEqual(0.01);
    const { experts = 0, top_k = 0 } = model?.moe ?? {};
    expect(experts).toBeGreaterThanOrEqual(2 * top_k);
    expect(experts % 2).toBe(0);
  });

  it.each([
    ["mixtral", 3e9, 5e9, /: `active` is more than `total`$/],
    ["mixtral", 10e9, 9e9, /: with 9B active, the total is at least 1[\d.]+B \(experts 4, top_k 2\)$/],
    ["qwen3_moe", 10e9, 9e9, /: with 9B active, the total is at least 1[\d.]+B \(experts 16, top_k 8\)$/],
    ["nemotron_h", 30e9, 3e9, /: no layer of this nemotron_h has experts, so all parameters are active$/],
  ] as const)("%s cannot be %d with %d active, and says why", (family, total, active, why) => {
    const { model, diagnostics } = two(family, total, active);
    expect(model).toBeNull();
    expect(diagnostics.map(({ message }) => message)).toEqual([expect.stringMatching(why)]);
  });

  const mixed = (values: Readonly<Record<string, Scalar>>, bounds: ReadonlyMap<string, Bound> = new Map()) => {
    const asked = sizeOf(3e9);
    const wanted = asked === null ? null : { ...asked, which: "active" as const, total: 30e9 };
    return size(modelRequest("qwen3_moe", values, { size: wanted, bounds }));
  };

  it("does not send a token to one expert unless a file asks for that", () => {
    const few = new Map([["moe.experts", bound({ min: 16, max: 32 })]]);
    const one = new Map([["moe.top_k", bound({ max: 1 })]]);
    expect(mixed({}, few).model?.moe?.top_k).toBe(2);
    expect(mixed({}, one).model?.moe?.top_k).toBe(1);
    expect(mixed({ "moe.top_k": 1 }).model?.moe?.top_k).toBe(1);
  });

  it("makes few experts wide", () => {
    const { model } = mixed({ "moe.experts": 32, "moe.top_k": 2 });
    expect(Math.abs((model?.parameters.total ?? 0) / 30e9 - 1)).toBeLessThanOrEqual(0.01);
    expect(Math.abs((model?.parameters.active ?? 0) / 3e9 - 1)).toBeLessThanOrEqual(0.01);
    expect(model?.moe?.d_ff).toBeGreaterThan(model?.d_model ?? 0);
  });

  it("says of written experts that nothing makes up both, not that there are none", () => {
    const { model, diagnostics } = mixed({ "moe.experts": 8, "moe.top_k": 2 });
    expect(model).toBeNull();
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringMatching(/: no depth and width with 8 experts, of which a token uses 2, give both counts$/),
    ]);
  });

  it("names the letters a pattern may have, and counts its layers", () => {
    expect(messages(modelRequest("nemotron_h", { d_model: 256, pattern: "M*X-" }))).toEqual([
      "size-pattern: family nemotron_h has no kind of layer X; its letters are M * - E",
    ]);
    expect(size(modelRequest("nemotron_h", { d_model: 256, pattern: "M*-" })).model?.layers).toBe(3);
  });
});

describe("budgets", () => {
  it("decide as many parameters as they pay for at 20 tokens each", () => {
    expect(parametersForTokens(1.4e12, 20)).toBe(70e9);
    // Chinchilla: 5.76e23 FLOPs are 70B parameters on 1.4T tokens (arXiv 2203.15556, table 4 and section 3.4).
    expect(parametersForCompute(5.76e23, 20) / 70e9).toBeCloseTo(1, 1);
  });
});

describe("properties", () => {
  it("are all judged together", () => {
    const request = modelRequest("llama", { layers: 2, d_model: 768, heads: 7, kv_heads: 3, head_dim: 63 });
    expect(messages(request)).toEqual([
      "size-divisibility: heads = 7 does not divide d_model = 768: LlamaForCausalLM requires it, whatever head_dim is",
      "size-divisibility: kv_heads = 3 does not divide heads = 7: each key-value head serves the same number of query heads",
    ]);
    const [first] = size(request).diagnostics;
    expect(first?.valid.slice(0, 8)).toEqual(["1", "2", "3", "4", "6", "8", "12", "16"]);
    expect(first?.fixes[0]?.title).toBe("use heads = 6");
  });

  it.each([
    [
      "gpt2",
      { positions: "rope" },
      "family gpt2 cannot have positions = rope (GPT2LMHeadModel has no such variant); gpt_neox, llama, mistral, mixtral, qwen2 and 14 more can",
    ],
    [
      "llama",
      { norm: "layer" },
      "family llama cannot have norm = layer (LlamaForCausalLM has no such variant); gpt2, gpt_neox, falcon, phi, mpt and 2 more can",
    ],
    [
      "gpt2",
      { kv_heads: 4, heads: 12 },
      "family gpt2 cannot have kv_heads = 4 (GPT2LMHeadModel has no such variant); here it is heads; llama, mistral, mixtral, qwen2, qwen3 and 12 more can",
    ],
    [
      "llama",
      { window: 128 },
      "family llama cannot have window = 128 (LlamaForCausalLM has no such variant); mistral, mixtral, gemma2, gemma3, gpt_oss can",
    ],
    [
      "gpt_neox",
      { qk_norm: true },
      "family gpt_neox cannot have qk_norm = true (GPTNeoXForCausalLM has no such variant); qwen3, qwen3_moe, gemma3, phi, olmo2 can",
    ],
  ] as const)("%s refuses %j", (family, values, message) => {
    expect(messages(modelRequest(family, { layers: 12, d_model: 768, ...values }))).toEqual([
      `size-unsupported: ${message}`,
    ]);
  });

  it("ask for what is missing", () => {
    expect(messages(modelRequest("llama", { layers: 2 }))).toEqual([
      "size-underspecified: model tiny has neither a size nor d_model",
    ]);
  });

  it.each([
    [50_257, 50_304],
    [32_000, 32_000],
    [10_001, 10_048],
    [257, 264],
  ])("have tables of whole tiles where they are drawn, for %d tokens %d rows", (tokens, rows) => {
    const request = modelRequest("llama", {}, { size: sizeOf(1e8), tokenizerVocab: given(tokens) });
    const { model, origins } = size(request);
    expect(model?.vocab).toBe(rows);
    expect(origins["vocab"]?.kind).toBe(rows === tokens ? "derived" : "chosen");
    const bounds = new Map([["vocab", bound({ max: tokens })]]);
    expect(size({ ...request, bounds }).model?.vocab).toBe(tokens);
    const written = new Map([["vocab", given<Scalar>(tokens + 1)]]);
    expect(size({ ...request, given: written }).model?.vocab).toBe(tokens + 1);
  });

  it("take the tokenizer's vocabulary, and room for it", () => {
    const shape = { layers: 2, d_model: 64 };
    expect(size(modelRequest("llama", shape, { tokenizerVocab: given(260) })).model?.vocab).toBe(260);
    expect(messages(modelRequest("llama", { ...shape, vocab: 256 }, { tokenizerVocab: given(260) }))).toEqual([
      "size-vocabulary: vocab = 256 is less than the tokenizer's 260 tokens",
    ]);
  });

  it("stay inside their bounds", () => {
    const request = modelRequest(
      "llama",
      { layers: 2, d_model: 64 },
      { bounds: new Map([["layers", bound({ min: 4 })]]) },
    );
    expect(messages(request)).toEqual(["size-bounds: layers = 2 (written) is outside its bound >= 4"]);
  });

  it("of rotary positions come in pairs", () => {
    expect(messages(modelRequest("gpt_neox", { layers: 2, d_model: 96, heads: 4, rotary_fraction: 0.125 }))).toEqual([
      expect.stringContaining("size-rotary"),
    ]);
  });
});
