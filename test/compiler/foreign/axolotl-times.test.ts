/** When Axolotl evaluates and saves follows from its own options, and it asks for the best model only where both fall together. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const base = `base_model: NousResearch/Meta-Llama-3.1-8B
datasets:
  - path: mhenrichsen/alpaca_2k_test
    type: alpaca
val_set_size: 0.05
output_dir: ./out
sequence_len: 4096
micro_batch_size: 1
gradient_accumulation_steps: 8
num_epochs: 1
learning_rate: 2e-5
bf16: true
`;

function errors(path: string, text: string): readonly string[] {
  const { diagnostics } = checkForeign([{ path, text }], { world: 8, gpusPerNode: null, gpu: null }, () => undefined);
  return diagnostics.flatMap(({ code, severity }) => (severity === "error" ? [code] : []));
}

const times = [
  "eval_steps: 50\nsave_steps: 100\n",
  "eval_steps: 100\nsave_steps: 50\n",
  "evals_per_epoch: 2\nsaves_per_epoch: 1\n",
  "evals_per_epoch: 2\nsave_steps: 100\n",
  "eval_steps: 50\nsaves_per_epoch: 4\n",
  "eval_strategy: epoch\nsaves_per_epoch: 1\n",
  "eval_strategy: epoch\n",
  "eval_steps: 0.1\nsave_steps: 0.2\n",
  "evals_per_epoch: 1\n",
  "saves_per_epoch: 1\n",
  "",
];

it.each(times)("%j with the best model", (text) => {
  expect(errors("axo.yml", `${base}${text}load_best_model_at_end: true\n`)).toEqual([]);
});

it("a schedule that looks at evaluations has them, unless nothing evaluates", () => {
  const plateau = `${base}lr_scheduler: reduce_lr_on_plateau\n`;
  for (const text of ["eval_steps: 50\n", "evals_per_epoch: 4\n", "eval_strategy: epoch\n"])
    expect(errors("axo.yml", `${plateau}${text}`), text).toEqual([]);
  expect(errors("axo.yml", plateau)).toEqual(["cdr/trainer-scheduler-evaluation"]);
  expect(errors("axo.yml", `${plateau}eval_steps: 0\n`)).toEqual(["cdr/trainer-scheduler-evaluation"]);
});

it("the Trainer itself, and LLaMA-Factory, want them said", () => {
  const trainer =
    "output_dir: out\nper_device_train_batch_size: 1\neval_steps: 50\nsave_steps: 100\nload_best_model_at_end: true\n";
  expect(errors("args.yaml", trainer)).toEqual(["cdr/trainer-best-model"]);
  expect(errors("args.yaml", `${trainer}eval_strategy: steps\n`)).toEqual([]);
});
