/** What LLaMA-Factory refuses of several processes, of quantized weights and of a training without data. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const head = "model_name_or_path: m\nstage: sft\ntemplate: default\noutput_dir: out\ndo_train: true\n";
const file = `${head}dataset: d\n`;
const zero = (stage: number) => ({
  "z.json": `{"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": ${stage}}}`,
});

function refused(
  text: string,
  world: number | null,
  files: Readonly<Record<string, string>> = {},
): readonly string[] {
  const sources = Object.entries({ "sft.yaml": text, ...files }).map(([path, each]) => ({ path, text: each }));
  return checkForeign(sources, { world, gpusPerNode: null, gpu: null }, () => undefined)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code }) => code);
}

it.each([
  ["use_galore: true\ngalore_layerwise: true\n", {}],
  ["use_apollo: true\napollo_layerwise: true\n", {}],
  ["use_badam: true\nbadam_mode: ratio\n", {}],
  ["use_badam: true\ndeepspeed: z.json\n", zero(2)],
])("several processes: %s", (options, files) => {
  const text = `${file}finetuning_type: full\n${options}`;
  expect(refused(text, 8, files)).toEqual(["cdr/llama-factory-exclusive"]);
  expect(refused(text, 1, files)).toEqual([]);
});

it("layer-wise BAdam under ZeRO-3, or a stage that nobody knows", () => {
  const text = `${file}finetuning_type: full\nuse_badam: true\ndeepspeed: z.json\n`;
  expect(refused(text, 8, zero(3))).toEqual([]);
  expect(refused(text, 8)).toEqual([]);
});

it("quantized weights", () => {
  const text = `${file}finetuning_type: lora\n`;
  expect(refused(`${text}quantization_bit: 5\n`, 1)).toEqual(["cdr/llama-factory-exclusive"]);
  expect(refused(`${text}quantization_bit: 8\n`, 1)).toEqual([]);
  expect(refused(`${text}quantization_bit: 4\nadapter_name_or_path: a,b\n`, 1)).toEqual([
    "cdr/llama-factory-exclusive",
  ]);
  expect(refused(`${text}quantization_bit: 4\nadapter_name_or_path: a\n`, 1)).toEqual([]);
});

it("a training without data", () => {
  expect(refused(`${head}finetuning_type: lora\n`, 1)).toEqual(["cdr/llama-factory-evaluation"]);
});
