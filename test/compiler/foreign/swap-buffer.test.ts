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
