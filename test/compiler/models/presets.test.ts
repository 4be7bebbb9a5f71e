import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const judged = (lines: readonly string[]): string[] =>
  compile({ path: "presets.cdr", text: `import "std/models" as m\n${lines.join("\n")}\n` }, alone)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map((d) => d.message);

/** As published: the totals of the checkpoints' safetensors, papers' tables, or counts of their shapes where they give no exact one. */
const totals: Readonly<Record<string, number>> = {
  gpt2_124m: 124439808,
  gpt2_350m: 354823168,
  gpt2_774m: 774030080,
  gpt2_1558m: 1557611200,
  pythia_1b: 1011781632,
  pythia_1400m: 1414647808,
  pythia_2800m: 2775208960,
  pythia_6900m: 6857302016,
  pythia_12b: 11846072320,
  gpt_neox_20b: 20554567680,
  llama2_7b: 6738415616,
  llama2_13b: 13015864320,
  llama2_70b: 68976648192,
  tinyllama_1_1b: 1100048384,
  llama3_8b: 8030261248,
  llama3_1_8b: 8030261248,
  llama3_1_70b: 70553706496,
  llama3_1_405b: 405853388800,
  llama3_2_1b: 1235814400,
  llama3_2_3b: 3212749824,
  mistral_7b: 7241732096,
  mixtral_8x7b: 46702792704,
  mixtral_8x22b: 140630071296,
  qwen2_5_0_5b: 494032768,
  qwen2_5_1_5b: 1543714304,
  qwen2_5_3b: 3085938688,
  qwen2_5_7b: 7615616512,
  qwen2_5_14b: 14770033664,
  qwen2_5_32b: 32763876352,
  qwen2_5_72b: 72706203648,
  qwen3_0_6b: 596049920,
  qwen3_1_7b: 1720574976,
  qwen3_4b: 4022468096,
  qwen3_8b: 8190735360,
  qwen3_14b: 14768307200,
  qwen3_32b: 32762123264,
  qwen3_30b_a3b: 30532122624,
  qwen3_235b_a22b: 235093634560,
  gemma_2b: 2506172416,
  gemma_7b: 8537680896,
  gemma2_2b: 2614341888,
  gemma2_9b: 9241705984,
  gemma2_27b: 27227128320,
  gemma3_1b: 999885952,
  gemma3_12b: 11765788416,
  olmo2_13b: 13716198400,
  olmo2_7b: 7298617344,
  falcon_7b: 6921720704,
  falcon_40b: 41303293952,
  phi_1_5: 1418270720,
  phi_2: 2779683840,
  mpt_7b: 6649286656,
  deepseek_v2_lite: 15706484224,
  gpt_oss_20b: 20914757184,
  gpt_oss_120b: 116829156672,
  nemotron4_15b: 15628775424,
  nemotron4_340b: 341029195776,
  minitron_4b: 4190509056,
  nemotron_h_8b: 8100852736,
  mamba2_hybrid_8b: 8654517248,
  bamba_9b: 9780235392,
  mamba_370m: 371516416,
  mamba_1400m: 1372178432,
  mamba2_130m: 128989632,
  mamba2_370m: 368346624,
  rwkv7_0_4b: 450834432,
  deepseek_v2_236b: 235741434880,
  deepseek_v3_671b: 671026419200,
};

/** Of mixtures: what a token passes through, tables included. */
const active: Readonly<Record<string, number>> = {
  mixtral_8x22b: 39161468928,
  qwen3_30b_a3b: 3353032704,
  qwen3_235b_a22b: 22190763520,
  deepseek_v2_lite: 2661150208,
  deepseek_v3_671b: 37552297472,
  gpt_oss_20b: 4187440704,
};

it("every preset has as many parameters as the model it is named after", () => {
  const lines = [
    ...Object.entries(totals).map(([name, n]) => `assert m.${name}.parameters.total == ${n} params`),
    ...Object.entries(active).map(([name, n]) => `assert m.${name}.parameters.active == ${n} params`),
  ];
  expect(judged(lines)).toEqual([]);
});

it("whatever it is trained on, every preset has its published vocabulary", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../compiler/std/models.cdr"), "utf8");
  const names = [...text.matchAll(/^model (\w+)/gm)].map(([, name]) => name ?? "");
  expect(names.length).toBeGreaterThan(70);
  const lines = names.map(
    (name) => `model ${name}_bytes extends m.${name} { tokenizer = raw_bytes }
assert ${name}_bytes.parameters.total == m.${name}.parameters.total`,
  );
  expect(judged(['import "std/tokenizers" { raw_bytes }', ...lines])).toEqual([]);
});

/** The published checkpoints leave out the first layer's value mix, which nothing reads: `d * (2 * rank + 1)` fewer. */
it.each([
  ["rwkv7_0_1b", 191034624, 768 * 65],
  ["rwkv7_0_4b", 450767872, 1024 * 65],
  ["rwkv7_1_5b", 1527404544, 2048 * 129],
  ["rwkv7_2_9b", 2947735040, 2560 * 129],
])("%s has %i parameters that are read", (name, published, unread) => {
  expect(judged([`assert m.${name}.parameters.total == ${published + unread} params`])).toEqual([]);
});
