import { describe, expect, it } from "vitest";
import { families } from "../../../compiler/models/index.ts";
import { depthOf } from "../../../compiler/passes/size/ladder.ts";
import { size } from "../../../compiler/passes/size.ts";
import type { FamilyName, Scalar } from "../../../compiler/pipeline.ts";
import { modelRequest, span } from "../../support/pipeline.ts";

function drawn(
  family: FamilyName,
  active: number,
  total: number | null,
  values: Readonly<Record<string, Scalar>> = { vocab: 50304 },
) {
  const counts = { which: "active" as const, target: active, ...(total === null ? {} : { total }) };
  const { model, origins, diagnostics } = size(
    modelRequest(family, values, { size: { ...counts, within: 0.01, span } }),
  );
  if (model === null) return expect.fail(diagnostics.map(({ message }) => message).join("\n"));
  const { layers, d_model, parameters, moe } = model;
  expect(Math.abs(parameters.active / active - 1)).toBeLessThanOrEqual(0.01);
  if (total !== null) expect(Math.abs(parameters.total / total - 1)).toBeLessThanOrEqual(0.01);
  const depth = layers / depthOf(families[family], d_model).layers;
  return { depth, ratio: (moe?.d_ff ?? 0) / d_model, moe, origins, diagnostics };
}

describe("a mixture", () => {
  it.each([
    ["mixtral", 1.3e9, 7e9],
    ["mixtral", 5e8, 3e9],
    ["mixtral", 4e8, 1.3e9],
    ["mixtral", 3e9, 3e10],
    ["qwen3_moe", 1.3e9, 7e9],
    ["qwen3_moe", 5e8, 3e9],
    ["gpt_oss", 1e9, 7e9],
    ["deepseek_v3", 8e9, 1e11],
    ["cdrmix", 1.5e9, 5e9],
  ] as const)(
    "of family %s with %d of %d active is about as deep as published ones of its width",
    (family, active, total) => {
      const { depth, diagnostics } = drawn(family, active, total);
      expect(Math.abs(Math.log(depth))).toBeLessThan(Math.log(1.3));
      expect(diagnostics).toEqual([]);
    },
  );

  it.each([
    [{ "moe.experts": 64, "moe.top_k": 8 }],
    [{ "moe.experts": 64, "moe.top_k": 8, "moe.d_ff": 752 }],
    [{ "moe.top_k": 8 }],
    [{ "moe.d_ff": 1024, "moe.top_k": 8 }],
  ])("has both counts with %j", (written) => {
    const { moe } = drawn("mixtral", 1.3e9, 7e9, { vocab: 50304, ...written });
    for (const [name, value] of Object.entries(written)) expect(moe).toHaveProperty(name.slice("moe.".length), value);
  });

  it.each([
    [1e9, 64, 8],
    [4e8, 32, 4],
  ])("of %d with %d experts, %d to a token, has them as much narrower", (active, experts, top_k) => {
    const { depth, ratio, origins } = drawn("mixtral", active, null, {
      vocab: 32000,
      "moe.experts": experts,
      "moe.top_k": top_k,
    });
    expect(Math.abs(Math.log(depth))).toBeLessThan(Math.log(1.3));
    expect((ratio * top_k) / (3.5 * 2)).toBeGreaterThan(0.75);
    expect((ratio * top_k) / (3.5 * 2)).toBeLessThan(1.4);
    expect(JSON.stringify(origins["d_ff"])).toContain("off");
  });

  it("says how wide experts would have to be that nobody published", () => {
    const wanted = { which: "active" as const, target: 1.3e9, total: 7e9, within: 0.01, span };
    const values = { vocab: 50304, "moe.experts": 256, "moe.top_k": 2 };
    const { diagnostics } = size(modelRequest("mixtral", values, { size: wanted }));
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /both counts need experts of \d+ .* times d_model, where published ones have .*; write moe\.d_ff/,
      ),
    ]);
  });
});
