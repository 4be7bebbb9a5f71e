/** Weights on a disk: the buffer of a rank against its part of the embedding. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const told = (offload: string, gpus: number, vocabulary = 128_256): readonly string[] =>
  toldOf({
    "config.json": `{"model_type": "llama", "hidden_size": 8192, "num_hidden_layers": 80, "vocab_size": ${vocabulary}}`,
    "ds.json": `{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3, "offload_param": {${offload}}}}`,
    "run.sh": `deepspeed --num_gpus ${gpus} train.py --deepspeed_config ds.json\n`,
  })
    .filter(({ code }) => code === "cdr/deepspeed-swap-buffer")
    .flatMap(({ severity, valid }) => [severity, ...(valid ?? []).map(String)]);

const nvme = '"device": "nvme", "nvme_path": "/local"';

it.each([
  [nvme, 8, 128_256, ["error", "131334144"]],
  [`${nvme}, "buffer_size": 131334143`, 8, 128_256, ["error", "131334144"]],
  [`${nvme}, "buffer_size": 131334144`, 8, 128_256, []],
  [nvme, 16, 128_256, []],
  [nvme, 8, 32_000, []],
  ['"device": "cpu"', 8, 128_256, []],
])("%s on %d GPUs, vocabulary %d", (offload, gpus, vocabulary, expected) => {
  expect(told(offload, gpus, vocabulary)).toEqual(expected);
});

const beside = (config: string, gpus: number, requirement = ""): readonly string[] =>
  toldOf({
    "config.json": config,
    "ds.json": `{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3, "offload_param": {${nvme}}}}`,
    "run.sh": `deepspeed --num_gpus ${gpus} train.py --deepspeed_config ds.json\n`,
    ...(requirement === "" ? {} : { "requirements.txt": `${requirement}\n` }),
  })
    .filter(({ code }) => code === "cdr/deepspeed-swap-buffer")
    .map(({ severity, valid }) => `${severity} ${valid?.join()}`);

const wide =
  '{"model_type": "llama", "hidden_size": 16384, "intermediate_size": 53248, "num_hidden_layers": 126, "vocab_size": 32000}';
const fused =
  '{"model_type": "phi3", "hidden_size": 16384, "intermediate_size": 53248, "num_hidden_layers": 126, "vocab_size": 32000}';
const experts =
  '{"model_type": "qwen3_moe", "hidden_size": 4096, "moe_intermediate_size": 1536, "intermediate_size": 12288, "num_experts": 128, "num_hidden_layers": 94, "vocab_size": 151936}';
const always =
  '{"model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880, "num_local_experts": 128, "num_hidden_layers": 36, "vocab_size": 201088}';

it.each<[string, number, string, readonly string[]]>([
  [wide, 8, "", ["error 109051904"]],
  [fused, 16, "", ["error 109051904"]],
  [experts, 8, "", ["warning 201326592"]],
  [experts, 8, "transformers==5.3.0", ["error 201326592"]],
  [experts, 8, "transformers==4.57.1", []],
  [always, 8, "transformers==4.57.1", ["error 265420800"]],
])("the largest tensor counts: %s on %d GPUs, %s", (config, gpus, requirement, expected) => {
  expect(beside(config, gpus, requirement)).toEqual(expected);
});
