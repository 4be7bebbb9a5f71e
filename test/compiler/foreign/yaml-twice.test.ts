/** A key twice in a YAML: refused where OmegaConf reads the file, the last counts where PyYAML does. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const llama =
  "model_name_or_path: m\nstage: sft\nfinetuning_type: full\ntemplate: default\ndataset: d\noutput_dir: out\n";
const twice = "learning_rate: 1.0e-4\nlearning_rate: 1.0e-5\n";

const told = (files: Readonly<Record<string, string>>): readonly string[] =>
  toldOf(files).flatMap(({ code, severity, span: { source, start } }) =>
    code === "cdr/foreign-duplicate"
      ? [`${severity} ${source.path}:${source.text.slice(0, start).split("\n").length}`]
      : [],
  );

it.each([
  ["LLaMA-Factory", { "sft.yaml": llama + twice }, "error sft.yaml:8"],
  [
    "LLaMA-Factory of a later release",
    { "sft.yaml": llama + twice, "requirements.txt": "llamafactory==0.9.4\n" },
    "error sft.yaml:8",
  ],
  [
    "LLaMA-Factory by PyYAML",
    { "sft.yaml": llama + twice, "requirements.txt": "llamafactory==0.9.3\n" },
    "warning sft.yaml:8",
  ],
  [
    "torchtune",
    { "t.yaml": "model:\n  _component_: torchtune.models.llama3.llama3_8b\n  a: 1\n  a: 2\nepochs: 1\n" },
    "error t.yaml:4",
  ],
  [
    "accelerate",
    { "acc.yaml": "distributed_type: MULTI_GPU\nnum_processes: 8\nnum_processes: 4\n" },
    "warning acc.yaml:3",
  ],
  [
    "Axolotl",
    {
      "axo.yaml": `base_model: m\nmicro_batch_size: 1\ngradient_accumulation_steps: 1\ndatasets:\n  - path: d\n    type: alpaca\n${twice}`,
    },
    "warning axo.yaml:8",
  ],
])("%s", (_, files, line) => {
  expect(told(files)).toEqual([line]);
});

it("says nothing of a key that takes the place of a merged one", () => {
  expect(told({ "sft.yaml": `${llama}a: &a { lr: 1 }\nb:\n  <<: *a\n  lr: 2\n` })).toEqual([]);
});
