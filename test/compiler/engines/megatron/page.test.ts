/** What docs/megatron.md and docs/engines.md say of Megatron is what it takes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { capabilities } from "../../../../compiler/engines/megatron/capabilities.ts";
import { inexpressible } from "../../../../compiler/engines/megatron/lower/expressible.ts";
import { families } from "../../../../compiler/models/index.ts";
import { plan } from "../../../../compiler/passes/parallelize.ts";
import type { FamilyName } from "../../../../compiler/pipeline.ts";
import { cluster, modelRequest, pipeline, stage } from "../../../support/pipeline.ts";

const page = (name: string): string => readFileSync(join(import.meta.dirname, "../../../../docs", name), "utf8");

it("names the families that are refused as they stand", () => {
  const [, listed = ""] = /Families that Megatron has no model for \(([^)]*)\)/.exec(page("megatron.md")) ?? [];
  const refused = (Object.keys(families) as FamilyName[]).filter((family) => {
    const [one] = plan(pipeline(stage(modelRequest(family, { layers: 12, d_model: 2048 })), cluster())).plan.stages;
    if (one === undefined) throw new Error(`${family} was not planned`);
    return inexpressible(one.model).length > 0;
  });
  expect(listed.split(", ")).toEqual(refused.sort());
});

it("names what is moved off the device", () => {
  const row =
    page("engines.md")
      .split("\n")
      .find((line) => line.startsWith("| `offload` to host memory")) ?? "";
  const told = row
    .split("|")
    .at(-2)
    ?.match(/\w+/g)
    ?.filter((word) => word !== "or");
  expect(told).toEqual(capabilities.offload.filter((place) => place !== "none"));
});
