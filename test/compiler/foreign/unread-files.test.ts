/** Silence is no verdict: a file that a known program is given, and that is not here, is named. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

function told(files: Readonly<Record<string, string>>): readonly string[] {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  return checkForeign(sources, { world: null, gpusPerNode: null, gpu: null }, () => undefined)
    .diagnostics.filter(({ code }) => code === "cdr/foreign-unknown")
    .map(({ severity, message }) => `${severity} ${message}`);
}

it.each([
  ["FORCE_TORCHRUN=1 llamafactory-cli train conf/sft.yaml", "conf/sft.yaml is not among these files"],
  ["axolotl train fft.yml", "fft.yml is not among these files"],
  ["accelerate launch -m axolotl.cli.train fft.yml", "fft.yml is not among these files"],
  ["tune run --nproc_per_node 8 full_finetune_distributed --config llama3/8B_full", "torchtune"],
  ["python3 -m verl.trainer.main_ppo data.train_batch_size=1024", "verl"],
])("%s", (command, text) => {
  const found = told({ "run.sh": `${command}\n` }).filter((each) => each.includes(text));
  expect(found.length).toBe(1);
  expect(found[0]).toMatch(/^info/);
});

it("says nothing where the file is given", () => {
  const file = "base_model: m\nmicro_batch_size: 1\nsequence_len: 512\ndatasets:\n  - path: a/b\n    type: alpaca\n";
  expect(told({ "run.sh": "axolotl train conf/fft.yml\n", "fft.yml": file })).toEqual([]);
});
