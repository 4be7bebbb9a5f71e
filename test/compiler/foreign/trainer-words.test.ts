/** Words that the Trainer, and what it hands them to, refuse; each was tried with transformers 5.23. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const told = (more: string): readonly string[] =>
  toldOf({
    "args.yaml": `output_dir: o\nmodel_name_or_path: m\nper_device_train_batch_size: 1\n${more}\n`,
  }).map(({ code, severity }) => `${severity} ${code}`);

it.each([
  ["report_to: foo", "warning cdr/trainer-choice"],
  ["report_to: None", "error cdr/trainer-choice"],
  ["report_to: tensorboard,wandb", "warning cdr/trainer-choice"],
  ["torch_compile_backend: foo", "warning cdr/trainer-choice"],
  ["torch_compile_mode: foo", "warning cdr/trainer-choice"],
  ["debug: underflow_overflow foo", "warning cdr/trainer-choice"],
  ["optim_args: x", "error cdr/trainer-optimizer-arguments"],
  ["optim_args: a=1,", "error cdr/trainer-optimizer-arguments"],
  ["num_train_epochs: 0", "warning cdr/trainer-no-epochs"],
  ["num_train_epochs: -1\nmax_steps: -1", "warning cdr/trainer-no-epochs"],
])("%s", (more, code) => {
  expect(told(more)).toEqual([code]);
});

it.each([
  "report_to: wandb",
  "report_to: [none]",
  "report_to:\n  - tensorboard\n  - wandb",
  "report_to: ${LOGGER}",
  "torch_compile_backend: INDUCTOR",
  "torch_compile_backend: aot_eager\ntorch_compile_mode: foo",
  "debug: underflow_overflow tpu_metrics_debug",
  'debug: ""',
  'optim_args: ""',
  "optim_args: rank=64, scale=0.1",
  "num_train_epochs: 0\nmax_steps: 1",
  "num_train_epochs: 0\ndo_eval: true",
])("%s is taken", (more) => {
  expect(told(more)).toEqual([]);
});
