import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { constantsFor } from "../../../bench/prediction/calibration.ts";
import { peakOf, stepOf } from "../../../bench/prediction/estimates.ts";
import { caseOf, type Case } from "../../../bench/prediction/cases.ts";
import type { Row } from "../../../bench/prediction/rows.ts";
import { groundOf } from "../../../compiler/planner/adapter/ground.ts";
import { memoryOf } from "../../../compiler/planner/memory.ts";
import { timeOf } from "../../../compiler/planner/time.ts";
import { askedOf } from "./published.ts";

function casesOf(file: string): Case[] {
  return readFileSync(join(import.meta.dirname, "../../fixtures", file), "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const one = caseOf(JSON.parse(line) as Row);
      if (typeof one === "string") throw new Error(`${line}: ${one}`);
      return one;
    });
}

function plannedOf(one: Case): ReturnType<typeof timeOf> {
  const { setting, choice } = askedOf(one);
  return timeOf(setting, choice);
}

/** On the scale that intervals are even on. */
const miss = (one: Case): number => Math.abs(Math.log(plannedOf(one).step / (one.time ?? 0)));
const width = (one: Case): number => Math.asinh(plannedOf(one).error ?? 0);

describe("what a plan says of published runs", () => {
  const known = casesOf("published-runs.jsonl");

  it("holds four fifths of their steps within its interval", () => {
    const outside = known.filter((one) => miss(one) >= width(one)).map(({ row }) => row.id);
    expect(outside.length, outside.join(", ")).toBeLessThanOrEqual(0.2 * known.length);
  });

  // Megatron of 2021 allocated and overlapped otherwise than the one that is planned for.
  const shared = known.filter(({ engine }) => engine.name !== "megatron-2021");

  it.each(shared.map((one) => [one.row.id, one] as const))("is what the benchmark says of %s", (_, one) => {
    const { setting, choice } = askedOf(one);
    const ground = groundOf(setting);
    // A recipe may hold its gradients otherwise than the plan's engine does; the model, cluster and layout are the same.
    const told = { ...one, engine: ground.describe(choice).engine };
    const constants = constantsFor(one, null);
    expect(timeOf(setting, choice).step / stepOf(told, constants)).toBeCloseTo(1, 1);
    // FSDP's layers keep less than those of transformers, which DeepSpeed runs.
    if (one.engine.name === "fsdp") return;
    const { slack, runtime } = ground.constants;
    const ratio = memoryOf(setting, choice).peak / peakOf(told, { ...constants, slack, runtime }).fullest;
    expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
  });
});

describe("the time of a step that sharded data parallelism was measured at", () => {
  const cases = casesOf("measured-sharded.jsonl").filter(({ time }) => time !== undefined);

  it("lies within its interval in four fifths of the runs", () => {
    expect(cases.length).toBe(122);
    const inside = cases.filter((one) => miss(one) < width(one));
    expect(inside.length / cases.length).toBeGreaterThan(0.8);
  });

  it("orders runs as they were measured", () => {
    const pairs = cases.map((one) => ({ planned: plannedOf(one).step, measured: one.time ?? 0 }));
    const all = pairs.flatMap((a, i) => pairs.slice(i + 1).map((b) => [a, b] as const));
    const agree = all.filter(([a, b]) => a.planned < b.planned === a.measured < b.measured);
    expect(agree.length / all.length).toBeGreaterThan(0.95);
  });
});
