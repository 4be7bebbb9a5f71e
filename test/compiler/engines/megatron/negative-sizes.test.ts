/** Sizes below none, which Python takes for true, and rates that are no numbers, which no comparison holds of. */
import { expect, it } from "vitest";
import { tryExample } from "../../../../compiler/engines/megatron/example.ts";
import type { Base } from "../../../../compiler/engines/megatron/step.ts";

it.each<[Base, string, string | null]>([
  ["gpt", "--mtp-num-layers -1", "cdr/megatron-prediction-positions"],
  ["gpt", "--mtp-num-layers 0", null],
  ["moe", "--expert-tensor-parallel-size -1", "cdr/megatron-expert-world-size"],
  ["moe", "--expert-tensor-parallel-size 1", null],
  ["gpt", "--lr nan", "cdr/megatron-schedule-min-rate"],
  ["gpt", "--min-lr nan", "cdr/megatron-schedule-min-rate"],
  ["gpt", "--lr-warmup-init nan", "cdr/megatron-schedule-rate"],
  ["gpt", "--weight-decay nan", "cdr/megatron-weight-decay-range"],
  ["gpt", "--lr inf", null],
])("%s %s", (base, more, code) => {
  const { findings } = tryExample(base, more).judgement;
  expect(findings.map(({ rule }) => rule.diagnostic.code)).toEqual(code === null ? [] : [code]);
});
