import { expect, it } from "vitest";
import { size } from "../../../compiler/passes/size.ts";
import type { Budget, ModelRequest } from "../../../compiler/pipeline.ts";
import { modelRequest, sizeOf } from "../../support/pipeline.ts";

function told(
  target: number,
  rest: Partial<ModelRequest> = {},
  wanted: Partial<NonNullable<ModelRequest["size"]>> = {},
) {
  const asked = sizeOf(target);
  if (asked === null) return expect.fail("no size");
  return size(modelRequest("llama", { vocab: 128_256 }, { size: { ...asked, ...wanted }, ...rest })).diagnostics;
}

it("tells tables and the depth that they leave once", () => {
  const [one, ...others] = told(1e7);
  expect(others).toEqual([]);
  expect(one?.code).toBe("cdr/size-lopsided");
  expect(one?.message).toMatch(/tables of 128256 rows .*, and \d+ layers of 32, where/);
});

it("speaks of a budget where nobody asked for a count", () => {
  const budget = { goal: "gpu_hours" } as Budget;
  const [one] = told(6e7, {}, { budget });
  expect(one?.message).toContain("the parameters that its budget allows");
  expect(one?.fix).toMatch(/raise the budget/);
});

it("names what is written, and only that, to be relaxed", () => {
  const request = modelRequest("llama", { vocab: 32_000, layers: 2 }, { size: sizeOf(1e9) });
  const fixes = size(request).diagnostics.map(({ fix }) => fix);
  expect(fixes.some((fix) => fix === "Relax `layers`, or change the count.")).toBe(true);
});
