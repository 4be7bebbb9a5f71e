/** What ms-swift is told, by the release that reads it and the environment that starts it. */
import { describe, expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import { positionAt } from "../../../dsl/source/source.ts";

const told = (script: string, version?: string): readonly string[] =>
  toldOf({
    "run.sh": script,
    ...(version === undefined ? {} : { "requirements.txt": `ms-swift==${version}\n` }),
  })
    .filter(({ code }) => /swift|kept/.test(code))
    .map(
      ({ severity, code, span: { source, start } }) => `${severity} ${code} ${positionAt(source, start).line + 1}`,
    );

const train = "swift sft --model m --dataset d.jsonl --output_dir out";

describe("names", () => {
  it.each([
    ["sft_type", "2.6.1", []],
    ["sft_type", "3.0.0", ["error cdr/swift-name 1"]],
    ["sft_type", undefined, ["warning cdr/swift-name 1"]],
    ["train_type", "4.0.4", []],
    ["train_type", "4.1.0", ["error cdr/swift-name 1"]],
    // Scripts of the third series are everywhere, and rarely say so.
    ["train_type", undefined, []],
    ["tuner_type", "3.12.6", ["error cdr/swift-name 1"]],
    ["tuner_type", "4.0.0", []],
  ])("%s under %s", (name, version, expected) => {
    expect(told(`${train} --${name} lora\n`, version)).toEqual(expected);
  });

  it("are left alone where another program has them", () => {
    expect(told("python train.py --sft_type lora --output_dir out --per_device_train_batch_size 1\n")).toEqual([]);
  });
});

describe("packing", () => {
  it.each([
    ["--attn_impl sdpa", undefined, ["error cdr/swift-attention 1"]],
    ["", undefined, ["warning cdr/swift-attention 1"]],
    ["", "3.4.0", []],
    ["", "3.5.0", ["error cdr/swift-attention 1"]],
    ["--attn_impl flash_attention_2", undefined, []],
    ["$MORE", undefined, []],
  ])("with %s under %s", (more, version, expected) => {
    expect(told(`${train} --packing true ${more}\n`, version)).toEqual(expected);
  });
});

describe("processes", () => {
  const eight = "NPROC_PER_NODE=8 \\\nCUDA_VISIBLE_DEVICES=0,1 \\\n";
  it.each([
    [
      "a blank line behind the last backslash",
      `${eight}\n${train} --deepspeed zero2\n`,
      ["warning cdr/shell-variable-kept 1"],
    ],
    ["none", `${eight}${train} --deepspeed zero2\n`, []],
    ["exported later", `NPROC_PER_NODE=8\nexport NPROC_PER_NODE\n${train}\n`, []],
    ["a shell that exports all", `set -a\nNPROC_PER_NODE=8\n${train}\n`, []],
    ["one GPU", `CUDA_VISIBLE_DEVICES=0 ${train} --deepspeed zero2\n`, []],
    [
      "LLaMA-Factory's switch",
      "FORCE_TORCHRUN=1\nllamafactory-cli train sft.yaml\n",
      ["warning cdr/shell-variable-kept 1"],
    ],
    [
      "a launcher that is told the number",
      "NPROC_PER_NODE=8\ntorchrun --nproc-per-node=$NPROC_PER_NODE train.py\n",
      [],
    ],
  ])("%s", (_, script, expected) => {
    expect(told(script)).toEqual(expected);
  });
});

it("has names and files of its own behind --fsdp", () => {
  const codes = (words: string) => toldOf({ "run.sh": `NPROC_PER_NODE=2 ${words}\n` }).map(({ code }) => code);
  expect(codes(`${train} --fsdp fsdp2`)).not.toContain("cdr/trainer-fsdp-options");
  expect(codes(`${train} --fsdp ./fsdp2.json`)).not.toContain("cdr/trainer-fsdp-options");
  expect(codes(`torchrun t.py --output_dir o --per_device_train_batch_size 1 --fsdp fsdp2`)).toContain(
    "cdr/trainer-fsdp-options",
  );
});
