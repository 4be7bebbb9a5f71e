/** What Axolotl asks of GRPO's batch, and what it no longer has: one message for each mistake. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const base =
  "base_model: m\nsequence_len: 2048\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\ndatasets:\n  - path: d\n    type: a.b.c\n";

const errors = (more: string, others: Readonly<Record<string, string>> = {}): readonly string[] =>
  toldOf({ "axo.yaml": `${base}${more}`, ...others })
    .filter(({ severity }) => severity === "error")
    .map(({ code }) => code.replace("cdr/", ""));

const eight = { "run.sh": "torchrun --nproc_per_node 8 -m axolotl.cli.train axo.yaml\n" };

it.each([
  ["rl: grpo\ntrl: { num_generations: 8 }\n", {}, []],
  ["rl: grpo\ntrl: { num_generations: 8, generation_batch_size: 64 }\n", eight, []],
  ["rl: grpo\n", {}, []],
  ["trl: { num_generations: 7 }\n", {}, []],
  ["rl: grpo\ntrl: { num_generations: 7 }\n", { "requirements.txt": "axolotl==0.16.1\n" }, []],
  ["rl: grpo\ntrl: { num_generations: 7 }\n", {}, ["axolotl-group"]],
  ["rl: grpo\ntrl: { num_generations: 1 }\n", {}, ["axolotl-group"]],
  ["rl: grpo\ntrl: { num_generations: 8, generation_batch_size: 12 }\n", {}, ["axolotl-group"]],
  ["rl: grpo\ntrl: { num_generations: 8 }\n", eight, ["axolotl-group"]],
] as const)("%s %o", (more, others, codes) => {
  expect(errors(more, others)).toEqual(codes);
});

it.each([
  ["unsloth_lora_mlp: true\n", ["axolotl-gone"]],
  ["unsloth_rope: false\n", []],
  ["fsdp_version: 2\nfsdp_config: { cpu_offload_pin_memory: false }\n", ["axolotl-exclusive"]],
  ["fsdp_version: 2\nfsdp_config: { cpu_offload_pin_memory: false, offload_params: true }\n", []],
  ["fsdp_config: { cpu_offload_pin_memory: false }\n", ["axolotl-exclusive"]],
  ["adapter: qlora\nload_in_8bit: true\n", ["axolotl-quantized"]],
  ["adapter: qlora\n", ["axolotl-quantized"]],
  ["load_in_8bit: true\n", ["axolotl-full-quantized"]],
] as const)("%s", (more, codes) => {
  expect(errors(more)).toEqual(codes);
});
