/** A command line's words are held against LLaMA-Factory's lists; of a file's only those that some code always asks for stop it. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const told = (files: Readonly<Record<string, string>>): readonly string[] =>
  toldOf(files).flatMap(({ code, severity }) => (code === "cdr/llama-factory-choice" ? [severity] : []));
const yaml = (more: string) => ({
  "sft.yaml": `model_name_or_path: m\nfinetuning_type: lora\ntemplate: default\noutput_dir: out\ndataset: d\n${more}`,
});
const command = (more: string) => ({
  "run.sh": `torchrun --nproc_per_node 8 src/train.py --finetuning_type lora --template default --output_dir o ${more}\n`,
});

it("tells them apart", () => {
  expect(told(yaml("stage: foo\n"))).toEqual(["error"]);
  expect(told(yaml("stage: sft\nbadam_mode: foo\n"))).toEqual(["warning"]);
  expect(told(yaml("stage: sft\nbadam_mode: ratio\n"))).toEqual([]);
  expect(told(command("--stage sft --mix_strategy foo"))).toEqual(["error"]);
  expect(told(command("--stage $STAGE --mix_strategy concat"))).toEqual([]);
});

it.each(["ref_model_quantization_bit", "reward_model_quantization_bit"])(
  "%s is 4 or 8 wherever it is said",
  (name) => {
    expect(told(yaml(`stage: sft\n${name}: 3\n`))).toEqual(["error"]);
    expect(told(yaml(`stage: sft\n${name}: 4\n`))).toEqual([]);
    expect(told(yaml(`stage: sft\n${name}: null\n`))).toEqual([]);
    expect(told(command(`--stage sft --${name} 16`))).toEqual(["error"]);
    expect(told(command(`--stage sft --${name} $BITS`))).toEqual([]);
  },
);
