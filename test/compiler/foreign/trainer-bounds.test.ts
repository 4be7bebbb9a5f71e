/** Figures that TrainingArguments takes and the optimizer, numpy or the data loader refuses; those that they take are not told. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const told = (more: string): readonly string[] =>
  toldOf({
    "run.sh": `torchrun --nproc_per_node 8 train.py --output_dir o --per_device_train_batch_size 1 ${more}\n`,
  }).flatMap(({ code, message }) => (code === "cdr/trainer-bound" ? [message] : []));

it.each([
  ["--learning_rate nan", "--learning_rate is nan: it must be at least 0"],
  ["--learning_rate=-1e-4", "learning_rate is -1e-4: it must be at least 0"],
  ["--adam_beta1 -0.1", "--adam_beta1 is -0.1: it must be at least 0 and below 1"],
  ["--adam_beta2 1", "--adam_beta2 is 1: it must be at least 0 and below 1"],
  ["--optim paged_adamw_8bit --adam_beta2 nan", "--adam_beta2 is nan: it must be at least 0 and below 1"],
  ["--adam_epsilon -1", "--adam_epsilon is -1: it must be at least 0"],
  ["--seed -1", "--seed is -1: it must be at least 0 and below 2^32"],
  ["--seed 8589934592", "--seed is 8589934592: it must be at least 0 and below 2^32"],
  [
    "--dataloader_num_workers 1 --dataloader_prefetch_factor 0",
    "--dataloader_prefetch_factor is 0: it must be at least 1",
  ],
  [
    "--eval_strategy epoch --per_device_eval_batch_size 0",
    "--per_device_eval_batch_size is 0: it must be at least 1",
  ],
  [
    "--eval_strategy epoch --eval_accumulation_steps 0",
    "--eval_accumulation_steps is 0: it must be at least 1, or left out",
  ],
  ["--neftune_noise_alpha -1", "--neftune_noise_alpha is -1: it must be at least 0"],
])("%s", (more, message) => {
  expect(told(more)).toEqual([message]);
});

it.each([
  "--learning_rate 0 --learning_rate 1e-4",
  "--adam_beta1 0 --adam_beta2 0.999 --adam_epsilon 0 --weight_decay -0.1",
  "--optim sgd --adam_beta2 1",
  "--seed 4294967295",
  "--dataloader_prefetch_factor 0",
  "--per_device_eval_batch_size 0",
  "--eval_accumulation_steps 0",
  "--eval_strategy epoch --eval_accumulation_steps -1",
  "--learning_rate $LR --seed $SEED",
])("%s is taken", (more) => {
  expect(told(more)).toEqual([]);
});

it("a cosine that ends above 0 says where", () => {
  const said = (more: string): readonly string[] =>
    toldOf({
      "args.yaml": `output_dir: o\nper_device_train_batch_size: 1\nlr_scheduler_type: cosine_with_min_lr\n${more}`,
    }).flatMap(({ code, message }) => (code === "cdr/trainer-schedule-arguments" ? [message] : []));
  expect(said("")).toEqual(["cosine_with_min_lr needs min_lr or min_lr_rate in lr_scheduler_kwargs"]);
  expect(said("lr_scheduler_kwargs:\n  min_lr_rate: 0.1\n")).toEqual([]);
  // A program's own option, from which it fills them.
  expect(said("min_learning_rate: 1.0e-6\n")).toEqual([]);
});
