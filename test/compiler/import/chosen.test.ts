/** One of several trainings, for an engine of a release, on devices that are too small by the estimate, as accelerate spreads it. */
import { describe, expect, it } from "vitest";
import { compiledText } from "../../../compiler/import/compiled.ts";
import { importLaunch } from "../../../compiler/import/import.ts";
import { loweredConfig } from "../../../compiler/import/trainer/import.ts";
import { leftOutTogether } from "../../../compiler/import/left-out.ts";
import type { Supplied } from "../../../compiler/foreign/launch.ts";

const imported = (
  files: Readonly<Record<string, string>>,
  launch: number | null = null,
  more: Partial<Supplied> = {},
) =>
  importLaunch(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    { supplied: { world: null, gpusPerNode: null, gpu: "h100", ...more }, launch },
    () => undefined,
  );

const train = (out: string, more: string): string =>
  `torchrun --nproc_per_node 8 train.py --model_name_or_path Qwen/Qwen3-4B --dataset_name imdb --output_dir ${out} --per_device_train_batch_size 2 --max_steps 100 ${more}\n`;

it("takes the settings of the launch that is chosen alone", () => {
  const two =
    train("one", "--bf16 --gradient_checkpointing --learning_rate 1e-4") + train("two", "--weight_decay 0.1");
  const alone = imported({ "run.sh": train("two", "--weight_decay 0.1") });
  expect(imported({ "run.sh": two }, 2).text).toBe(alone.text);
});

const megatron =
  "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 96 --hidden-size 12288 --num-attention-heads 96 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 64 --train-iters 1000 --lr 1e-4 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 32000 --tensor-model-parallel-size 8\n";

it("writes a file that compiles, whatever the estimate says of its device, and marks that", () => {
  const { text, changed, guesses } = imported({ "run.sh": megatron });
  const { diagnostics, plan } = compiledText(text ?? "");
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(plan.stages[0]?.layout?.tensor_parallel).toBe(8);
  expect(changed).toEqual([]);
  expect(guesses.map(({ name }) => name)).toContain("memory");
});

it("takes a release from the command line", () => {
  const engines = new Map([["megatron", "0.15"]]);
  expect(imported({ "run.sh": megatron }, null, { engines }).text).toContain('megatron(version = "0.15")');
});

describe("accelerate's own section of DeepSpeed", () => {
  const file = (more: string): string =>
    `distributed_type: DEEPSPEED\nnum_processes: 8\nmixed_precision: bf16\ndeepspeed_config:\n  zero_stage: 3\n${more}`;
  const run = train("out", "").replace("torchrun --nproc_per_node 8", "accelerate launch --config_file acc.yaml");

  it("leaves to DeepSpeed what it does not say", () => {
    const { text } = imported({ "acc.yaml": file(""), "run.sh": run });
    expect(loweredConfig(compiledText(text ?? ""))?.["zero_optimization"]).toMatchObject({
      stage: 3,
      reduce_bucket_size: 500_000_000,
      stage3_prefetch_bucket_size: 50_000_000,
      stage3_param_persistence_threshold: 100_000,
    });
  });

  it("is told of nothing but what it says, and FSDP has none", () => {
    const leftOut = (files: Readonly<Record<string, string>>): readonly string[] =>
      imported(files).changed.filter((each) => each.startsWith("zero_optimization"));
    expect(leftOut({ "acc.yaml": file(""), "run.sh": run })).toEqual([]);
    expect(leftOut({ "acc.yaml": file("") })).toEqual([]);
    expect(leftOut({ "acc.yaml": file("  zero3_save_16bit_model: false\n") })).toHaveLength(1);
    const fsdp =
      "distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n  fsdp_reshard_after_forward: true\n  fsdp_offload_params: true\n";
    expect(leftOut({ "acc.yaml": fsdp })).toEqual([]);
  });

  it("is spread as it says", () => {
    const { text } = imported({ "acc.yaml": file("  offload_optimizer_device: cpu\n"), "run.sh": run });
    expect(loweredConfig(compiledText(text ?? ""))?.["zero_optimization"]).toMatchObject({
      offload_optimizer: { device: "cpu" },
    });
  });
});

it("tells settings that share a reason as one remark, and none of keys without a value", () => {
  const axolotl =
    "base_model: Qwen/Qwen3-4B\nmodel_type: AutoModel\ntokenizer_type: AutoTokenizer\nstrict: false\nwandb_entity:\ndataset_prepared_path: p\npad_to_sequence_len: true\nspecial_tokens:\n  pad_token: x\ndatasets:\n  - path: d\nmicro_batch_size: 1\ngradient_accumulation_steps: 1\nlearning_rate: 1e-4\nnum_epochs: 1\n";
  const { changed, diagnostics } = imported({ "axo.yaml": axolotl }, null, { world: 8 });
  const names = ["model_type", "tokenizer_type", "dataset_prepared_path", "pad_to_sequence_len", "special_tokens"];
  expect(changed.filter((each) => names.includes(each))).toEqual(names);
  expect(changed).not.toContain("wandb_entity");
  expect(changed).not.toContain("strict");
  const told = leftOutTogether(diagnostics).filter(({ message }) => names.some((name) => message.includes(name)));
  expect(told).toHaveLength(1);
});
