/** Schedules of Megatron, DeepSpeed and transformers in the words of the language. */
import { expect, it } from "vitest";
import { importLaunch } from "../../../compiler/import/import.ts";
import { compileText } from "../../support/probes.ts";

const start =
  "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 64 --train-iters 1000 --lr 1e-4 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 1000";

const importedFrom = (schedule: string): ReturnType<typeof importLaunch> =>
  importLaunch(
    [{ path: "run.sh", text: `${start} ${schedule}\n` }],
    { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null },
    () => undefined,
  );

it("the root of the steps is Megatron's inverse-square-root", () => {
  const { text, changed } = importedFrom("--lr-decay-style inverse-square-root --lr-warmup-iters 100");
  expect(text).toContain("inverse_sqrt(warmup = 100 steps)");
  expect(changed).toEqual([]);
  const { unexecuted, diagnostics } = compileText(text ?? "");
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(unexecuted.steps.has("pretrain")).toBe(false);
});

it("an end that the language has no word for stays in Megatron's own", () => {
  const { text, changed } = importedFrom("--lr-decay-style inverse-square-root --lr-warmup-iters 100 --min-lr 1e-5");
  expect(text).not.toContain("inverse_sqrt(");
  expect(text).toMatch(/lr_decay_style += "inverse-square-root"/);
  expect(changed).toEqual([]);
});

function trained(scheduler: object | null, options = "", pins = "") {
  const config = {
    train_micro_batch_size_per_gpu: 2,
    zero_optimization: { stage: 1 },
    ...(scheduler === null ? {} : { scheduler }),
  };
  const run = `${pins}deepspeed --num_gpus 8 train.py --model_name_or_path Qwen/Qwen3-8B --dataset_name imdb --output_dir out --per_device_train_batch_size 2 --learning_rate 2e-5 --bf16 --max_steps 5000 ${options} --deepspeed z.json`;
  const { text, changed } = importLaunch(
    [
      { path: "run.sh", text: `${run}\n` },
      { path: "z.json", text: JSON.stringify(config) },
    ],
    { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null },
    () => undefined,
  );
  return {
    schedule: /schedule += (.*)/.exec(text ?? "")?.[1],
    rate: /lr = ([\d._e-]+)/.exec(text ?? "")?.[1],
    changed,
  };
}

const logarithmic = "  // guessed: the warm-up is linear here, but logarithmic there";

it.each([
  [
    "WarmupCosineLR",
    { total_num_steps: 5000, warmup_num_steps: 100 },
    `cosine(warmup = 100 steps, to = 0.01%)${logarithmic}`,
  ],
  ["WarmupCosineLR", { total_num_steps: 5000 }, `cosine(warmup = 1000 steps, to = 0.01%)${logarithmic}`],
  ["WarmupCosineLR", { total_num_steps: 5000, warmup_type: "linear" }, "cosine(warmup = 1000 steps, to = 0.01%)"],
  ["WarmupLR", {}, `constant(warmup = 1000 steps)${logarithmic}`],
  ["WarmupDecayLR", { total_num_steps: 5000, warmup_type: "linear" }, "linear(warmup = 1000 steps)"],
  ["WarmupDecayLR", { warmup_num_steps: "auto", warmup_type: "linear" }, "linear(warmup = 3%)"],
])("DeepSpeed's %s %j", (type, params, schedule) => {
  expect(trained({ type, params }, "--warmup_ratio 0.03").schedule).toBe(schedule);
});

it.each([
  [{}, "1e-3"],
  [{ warmup_max_lr: 4e-4 }, "4e-4"],
  [{ warmup_max_lr: "auto" }, "2e-5"],
])("WarmupDecayLR's rate: %j", (params, rate) => {
  const { rate: written } = trained({ type: "WarmupDecayLR", params: { total_num_steps: 5000, ...params } });
  expect(Number(written)).toBe(Number(rate));
});

it("steps below one are a share of the run since transformers 5", () => {
  expect(trained(null, "--warmup_steps 0.1").schedule).toBe("linear(warmup = 10%)");
  expect(trained(null, "--warmup_steps 0.1", "pip install transformers==5.2.0\n").schedule).toBe(
    "linear(warmup = 10%)",
  );
  const before = trained(null, "--warmup_steps 0.1", "pip install transformers==4.57.1\n");
  expect(before.schedule).toBe("linear");
  expect(before.changed).toContain("warmup_steps 0.1");
});
