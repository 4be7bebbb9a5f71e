/** Axolotl's schema types what stands in its sections, and bounds some of it. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const told = (more: string): readonly string[] =>
  toldOf({
    "axo.yaml": `base_model: m\nsequence_len: 2048\nmicro_batch_size: 1\ngradient_accumulation_steps: 4\ndatasets:\n  - path: d\n    type: alpaca\n${more}`,
  }).flatMap(({ code, span }) => (code === "cdr/axolotl-kind" ? [span.source.text.slice(span.start, span.end)] : []));

it.each([
  ["ebft: { stride: 0 }\n", "0"],
  ["ebft: { top_p: 1.5 }\n", "1.5"],
  ["ebft: { gt_length_multiplier: 0.05 }\n", "0.05"],
  ["dynamic_checkpoint: { enabled: true, check_interval: 0 }\n", "0"],
  ["fsdp_config: { fsdp_min_num_params: 0 }\n", "0"],
  ["fsdp_config: { offload_params: perhaps }\n", "perhaps"],
  ["relora_prune_ratio: 2\n", "2"],
  ["trl: { num_generations: many }\n", "many"],
  ["trl: { reward_funcs: one }\n", "one"],
  ["vllm: { gpu_memory_utilization: { a: 1 } }\n", "gpu_memory_utilization"],
  ["test_datasets: []\n", "test_datasets"],
])("%s is refused", (more, place) => {
  expect(told(more).map((text) => text.trim())).toEqual([place]);
});

it.each([
  "ebft: { stride: 1, top_p: 1, gt_length_multiplier: 0.1, temperature: 0 }\n",
  "dynamic_checkpoint: { enabled: true, check_interval: 1 }\n",
  "fsdp_config: { fsdp_min_num_params: 1, fsdp_offload_params: true, fsdp_version: 2 }\n",
  "relora_prune_ratio: 1.0\n",
  "trl: { num_generations: '8', reward_funcs: [a.b], own_key: 1 }\n",
  "ebft: { stride: $STRIDE, top_p: null }\n",
])("%s is taken", (more) => {
  expect(told(more)).toEqual([]);
});
