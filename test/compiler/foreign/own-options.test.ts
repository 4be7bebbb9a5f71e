/** Words that another program of the launch reads, or fills in. */
import { describe, expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const codes = (files: Readonly<Record<string, string>>) => toldOf(files).map(({ code }) => code);

describe("a scale of fp16 that is automatic", () => {
  const json = '{ "train_micro_batch_size_per_gpu": 1, "fp16": { "enabled": "auto", "initial_scale_power": 32 } }';
  const script = (flag: string): string =>
    `deepspeed --num_gpus 4 run_clm.py --model_name_or_path gpt2 --output_dir o ${flag} --deepspeed ds.json\n`;
  it("is judged where the Trainer turns fp16 on, and there alone", () => {
    expect(codes({ "ds.json": json, "run.sh": script("--fp16 True") })).toContain("cdr/fp16-scale");
    expect(codes({ "ds.json": json, "run.sh": script("--bf16 True") })).not.toContain("cdr/fp16-scale");
    expect(codes({ "ds.json": json })).not.toContain("cdr/fp16-scale");
  });
});

it("takes --accelerate_config of trl for no slip", () => {
  const trl = "trl sft --model_name_or_path m --dataset_name d --output_dir out";
  expect(codes({ "run.sh": `${trl} --accelerate_config zero3\n` })).not.toContain("cdr/trainer-name");
  expect(codes({ "run.sh": `${trl} --gradient_acumulation_steps 2\n` })).toContain("cdr/trainer-name");
});
