/** Each rule fires on its own example and stays silent on the example's mirror image; the bases break none. */
import { describe, expect, it } from "vitest";
import { bases } from "../../../../compiler/engines/megatron/bases.ts";
import { tryExample } from "../../../../compiler/engines/megatron/example.ts";
import { rules } from "../../../../compiler/engines/megatron/rules/index.ts";
import type { Base } from "../../../../compiler/engines/megatron/step.ts";

function codes(base: Base, more: string, gone?: string): string[] {
  const { complaints, judgement } = tryExample(base, more, gone);
  return [
    ...complaints.map(({ code }) => code).filter((code) => code !== "cdr/megatron-repeated"),
    ...judgement.findings.map(({ rule }) => rule.diagnostic.code),
  ];
}

const whole = (Object.keys(bases) as Base[]).filter((base) => !base.endsWith("less"));

it.each(whole)("%s breaks no rule", (base) => {
  expect(codes(base, "")).toEqual([]);
});

describe.each(rules.map((rule) => [rule.diagnostic.code, rule] as const))(
  "%s",
  (code, { base, fires, silent, gone }) => {
    it("fires", () => {
      expect(codes(base, fires, gone)).toContain(code);
      if (gone !== undefined) expect(codes(base, fires)).not.toContain(code);
    });
    it("stays silent on the mirror image", () => {
      expect(codes(base, silent, gone)).not.toContain(code);
    });
  },
);

it("says of ranks that do not divide nothing that only follows from it", () => {
  const grid = (more: string) => codes("moe", more).filter((code) => !/seq|heads|layers|vocab/.test(code));
  // 16 of 8 ranks: neither batch nor experts are held against half a replica.
  expect(grid("--context-parallel-size 16 --num-distributed-optimizer-instances 3")).toEqual([
    "cdr/megatron-world-size",
  ]);
  expect(grid("--num-distributed-optimizer-instances 3")).toContain("cdr/megatron-optimizer-instances");
});
