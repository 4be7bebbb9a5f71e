/** `"auto"` sizes of ZeRO: those that the Trainer writes from the model's hidden size. */
import { expect, it } from "vitest";
import { compiledText } from "../../../compiler/import/compiled.ts";
import { importLaunch } from "../../../compiler/import/import.ts";
import { atPath } from "../../../compiler/import/trainer/deepspeed-document.ts";
import { loweredConfig } from "../../../compiler/import/trainer/import.ts";

const auto = "auto";

function imported(model: string, stage: number) {
  const zero_optimization = {
    stage,
    reduce_bucket_size: auto,
    ...(stage === 3
      ? {
          stage3_gather_16bit_weights_on_model_save: true,
          stage3_prefetch_bucket_size: auto,
          stage3_param_persistence_threshold: auto,
        }
      : {}),
  };
  const config = {
    train_micro_batch_size_per_gpu: auto,
    gradient_accumulation_steps: auto,
    zero_optimization,
    bf16: { enabled: auto },
  };
  const run = `deepspeed --num_gpus 8 train.py --model_name_or_path ${model} --dataset_name imdb --output_dir out --per_device_train_batch_size 2 --bf16 --max_steps 100 --deepspeed z.json`;
  const sources = [
    { path: "run.sh", text: `${run}\n` },
    { path: "z.json", text: JSON.stringify(config) },
  ];
  const { text, changed } = importLaunch(
    sources,
    { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null },
    () => undefined,
  );
  const lowered = loweredConfig(compiledText(text ?? "")) ?? {};
  const sizes = ["reduce_bucket_size", "stage3_prefetch_bucket_size", "stage3_param_persistence_threshold"];
  return { changed, sizes: sizes.map((name) => atPath(lowered, `zero_optimization.${name}`)) };
}

it("of a model whose width is known", () => {
  expect(imported("Qwen/Qwen3-8B", 3)).toEqual({
    sizes: [4096 * 4096, Math.trunc(0.9 * 4096 * 4096), 40_960],
    changed: ["the program train.py"],
  });
  expect(imported("Qwen/Qwen3-8B", 2).sizes[0]).toBe(4096 * 4096);
});

it("of a model whose width no file gives they are told", () => {
  expect(imported("some/unknown-7b", 3).changed).toEqual(
    expect.arrayContaining([
      "zero_optimization.reduce_bucket_size",
      "zero_optimization.stage3_prefetch_bucket_size",
      "zero_optimization.stage3_param_persistence_threshold",
    ]),
  );
});
