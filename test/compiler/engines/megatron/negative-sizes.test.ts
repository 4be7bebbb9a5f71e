/** Sizes below none, which Python takes for true. */
import { expect, it } from "vitest";
import { tryExample } from "../../../../compiler/engines/megatron/example.ts";
import type { Base } from "../../../../compiler/engines/megatron/step.ts";

it.each<[Base, string, string | null]>([
  ["gpt", "--mtp-num-layers -1", "cdr/megatron-prediction-positions"],
  ["gpt", "--mtp-num-layers 0", null],
  ["moe", "--expert-tensor-parallel-size -1", "cdr/megatron-expert-world-size"],
  ["moe", "--expert-tensor-parallel-size 1", null],
])("%s %s", (base, more, code) => {
  const { findings } = tryExample(base, more).judgement;
  expect(findings.map(({ rule }) => rule.diagnostic.code)).toEqual(code === null ? [] : [code]);
});
