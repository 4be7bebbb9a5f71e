/** What Axolotl refused in some of its releases only. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const file =
  "base_model: m\nsequence_len: 2048\nmicro_batch_size: 1\nadapter: qlora\nload_in_4bit: true\ndatasets:\n  - path: d\n    type: alpaca\n" +
  "fsdp_version: 2\nfsdp_config:\n  cpu_ram_efficient_loading: true\n  transformer_layer_cls_to_wrap: LlamaDecoderLayer\n";

it.each([
  ["0.11.0", []],
  ["0.12.2", ["error"]],
  ["0.13.0", []],
  ["0.18.0", []],
  [null, ["info"]],
])("few bits that rank 0 loads, under Axolotl %s", (version, expected) => {
  const found = toldOf({
    "axo.yaml": file,
    ...(version === null ? {} : { "requirements.txt": `axolotl==${version}\n` }),
  });
  expect(found.filter(({ code }) => code === "cdr/axolotl-exclusive").map(({ severity }) => severity)).toEqual(
    expected,
  );
});

it.each([
  ["0.18.0", "micro_batch_size: 1\n", ["error"]],
  ["0.19.0", "micro_batch_size: 1\n", []],
  ["0.18.0", "micro_batch_size: 1\ngradient_accumulation_steps: ${steps}\n", []],
  ["0.18.0", "batch_size: 8\ngradient_accumulation_steps: 0\n", ["error"]],
  ["0.19.0", "batch_size: 8\n", ["error"]],
  [null, "micro_batch_size: 1\n", ["info"]],
  [null, "batch_size: 8\n", ["error"]],
  [null, "batch_size: 8\nmicro_batch_size: 1\n", []],
])("a batch that is said in part, under Axolotl %s: %s", (version, batch, expected) => {
  const found = toldOf({
    "axo.yaml": `base_model: m\nsequence_len: 2048\n${batch}datasets:\n  - path: d\n    type: alpaca\n`,
    ...(version === null ? {} : { "requirements.txt": `axolotl==${version}\n` }),
  });
  expect(found.filter(({ code }) => code === "cdr/axolotl-batch").map(({ severity }) => severity)).toEqual(expected);
});
