/** What a value or a name means depends on the program that reads the file. */
import { describe, expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import type { Files } from "../../../compiler/foreign/rules/rule.ts";

const told = (files: Files, supplied = {}) =>
  toldOf(files, supplied).map(({ severity, code }) => `${severity} ${code}`);
const number = "error cdr/yaml-number-text";

describe("a number without a point in YAML", () => {
  const trainer = "output_dir: o\nper_device_train_batch_size: 2\nnum_train_epochs: 1\nsave_strategy: epoch\n";
  const factory = `model_name_or_path: m\nstage: sft\nfinetuning_type: lora\ntemplate: t\ndataset: d\n${trainer}`;
  it.each([
    ["LLaMA-Factory, with more options of the Trainer than of its own", factory],
    ["a file of TrainingArguments, which TRL gives to argparse", trainer],
  ])("is one for %s", (_, text) => {
    expect(told({ "a.yaml": `${text}learning_rate: 1e-5\n` })).not.toContain(number);
  });
  it("is text for accelerate", () => {
    const text =
      "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config:\n  gradient_clipping: 1e0\n";
    expect(told({ "a.yaml": text })).toContain(number);
  });
});
