/** What each kind of file becomes, and what becomes of files that are none. */
import { describe, expect, it } from "vitest";
import { compiledText } from "../../../compiler/import/compiled.ts";
import { importLaunch, type Imported } from "../../../compiler/import/import.ts";

function imported(files: Readonly<Record<string, string>>, launch: number | null = null): Imported {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  return importLaunch(sources, { supplied: { world: null, gpusPerNode: null, gpu: null }, launch }, () => undefined);
}

const errorsOf = (made: Imported): readonly string[] =>
  made.problems.filter(({ severity }) => severity === "error").map(({ message }) => message);
const codesOf = (made: Imported): readonly string[] => made.diagnostics.map(({ code }) => code);

const megatron = (more: string, before = ""): string =>
  `#!/bin/bash\n${before}torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 \\\n` +
  `  --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 16 --train-iters 100 --lr 1e-4 \\\n` +
  `  --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 50304 ${more}\n`;

it("takes every way to give an argument", () => {
  const forms = [
    ["--data-cache-path=/cache --split 99,1,0 --eval-iters=5", ['data_cache_path = "/cache"', 'split = "99,1,0"']],
    ["--window-size 127 0", ["window"]],
    ["--no-bias-gelu-fusion --disable-bias-linear", ["activation = gelu"]],
    ["--lr 3e-4 --lr 2e-4", ["lr = 2e-4"]],
    [
      "--moe-router-load-balancing-type aux_loss seq_aux_loss",
      ['moe_router_load_balancing_type = ["aux_loss", "seq_aux_loss"]'],
    ],
  ] as const;
  for (const [words, expected] of forms) {
    const made = imported({ "train.sh": megatron(words) });
    expect([words, made.changed]).toEqual([words, []]);
    const plain = (made.text ?? "").replaceAll(/ +/g, " ");
    for (const text of expected) expect(plain).toContain(text);
  }
});

it("latent attention without a family of its own keeps its norms", () => {
  const latent = "--multi-latent-attention --q-lora-rank 96 --kv-lora-rank 64 --qk-layernorm --swiglu";
  const made = imported({ "train.sh": megatron(`${latent} --normalization RMSNorm --disable-bias-linear`) });
  expect([made.text === null, errorsOf(made), made.changed]).toEqual([false, [], []]);
});

it("samples longer than a published model's context are its context in the file", () => {
  const run = (model: string) =>
    `accelerate launch --num_processes 64 sft.py --model_name_or_path ${model} --max_seq_length 8192 --per_device_train_batch_size 1 --learning_rate 1e-5 --max_steps 10 --output_dir out\n`;
  const long = imported({ "run.sh": run("meta-llama/Llama-2-70b-hf") });
  expect(errorsOf(long)).toEqual([]);
  expect(long.text?.match(/context += 8192 tokens/g)).toHaveLength(2);
  expect(imported({ "run.sh": run("meta-llama/Llama-3.1-8B") }).text?.match(/context += 8192 tokens/g)).toHaveLength(
    1,
  );
});

it("says which variables only the job knows", () => {
  const made = imported({ "train.sh": megatron("--save $OUT/ckpt --save-interval 50 --lr-warmup-iters $WARMUP") });
  expect(made.text).toContain('param out: String = env("OUT", default = "out")');
  expect(made.text).toContain('save                        = "${out}/ckpt"'.replaceAll(/ {2,}/g, " ").slice(0, 4));
  expect(made.guesses.map(({ why }) => why).join()).toContain("$OUT is set where the script runs");
  expect(errorsOf(made)).toEqual([]);
  expect(made.changed).toEqual([]);
});

it("never writes a secret, nor shows one", () => {
  const token = "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ";
  const key = "0123456789abcdef0123456789abcdef01234567";
  const made = imported({
    "train.sh": megatron(
      `--wandb-project p --wandb-exp-name https://me:${key}@host/x`,
      `export HF_TOKEN=${token}\nexport WANDB_API_KEY=${key}\n`,
    ),
  });
  const all = JSON.stringify([made.text, made.launches, made.guesses, made.diagnostics]);
  expect(all).not.toContain(token);
  expect(all).not.toContain(key);
  expect(made.text).toMatch(/secret wandb_api_key\s+= env\("WANDB_API_KEY"\)/);
  expect(codesOf(made)).toContain("cdr/import-secret");
});

it("takes no switch for a secret, whatever its name", () => {
  const made = imported({
    "a.sh": "torchrun train.py --output_dir o --append_concat_token False --hub_token True\n",
  });
  expect(codesOf(made)).not.toContain("cdr/import-secret");
});

it("takes no setting for a secret that only speaks of tokens", () => {
  const made = imported({ "train.sh": megatron("--num-experts 8 --moe-token-dispatcher-type allgather --swiglu") });
  expect(made.text).toContain('"allgather"');
  expect(codesOf(made)).not.toContain("cdr/import-secret");
});

it("asks which of several launches is meant", () => {
  const two =
    "#!/bin/bash\ntorchrun --nproc_per_node 8 a.py --learning_rate 1e-4 --max_steps 10\ntorchrun --nproc_per_node 4 b.py --learning_rate 1e-5 --max_steps 20\n";
  const asked = imported({ "run.sh": two });
  expect([asked.text, codesOf(asked), asked.launches.length]).toEqual([null, ["cdr/import-several"], 2]);
  expect(imported({ "run.sh": two }, 2).text).toContain("lr = 1e-5");
  expect(codesOf(imported({ "run.sh": two }, 3))).toEqual(["cdr/import-nothing"]);
});

it.each([
  ["nothing", { "a.sh": "#!/bin/bash\necho hello\n" }, "cdr/import-nothing"],
  [
    "a preparation",
    { "a.sh": "#!/bin/bash\npython preprocess_data.py --input x --workers 4\n" },
    "cdr/import-nothing",
  ],
  ["bytes", { "a.sh": "\0\u0001\uFFFD" }, "cdr/foreign-unreadable"],
  ["five megabytes", { "a.sh": `#!/bin/bash\n${"# x\n".repeat(1_250_000)}` }, "cdr/foreign-unreadable"],
  ["an unknown JSON", { "a.json": '{"colour": "red"}' }, "cdr/foreign-kind"],
  ["a broken JSON", { "a.json": '{"train_batch_size": 8' }, "cdr/foreign-json"],
  [
    "a fork",
    {
      "a.sh":
        "#!/bin/bash\ndeepspeed pretrain_gpt.py --deepspeed --deepspeed_config d.json --num-layers 2 --micro-batch-size 1\n",
    },
    "cdr/import-fork",
  ],
])("refuses %s with the reason", (_, files, code) => {
  const made = imported(files);
  expect(made.text).toBeNull();
  expect(codesOf(made)).toContain(code);
});

it.each([
  [
    "accelerate",
    {
      "acc.yaml":
        "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 2\n  gradient_accumulation_steps: 4\n  offload_optimizer_device: cpu\nmixed_precision: bf16\nnum_processes: 4\nnum_machines: 1\n",
      "run.sh":
        "#!/bin/bash\naccelerate launch --config_file acc.yaml train.py --model_name_or_path gpt2 --per_device_train_batch_size 2 --max_steps 500 --learning_rate 1e-4\n",
    },
    ["zero_stage = 2", "offload = optimizer", "batch = 32 samples", "gpt2_124m", "precision = bf16"],
  ],
  [
    "Axolotl",
    {
      "sft.yaml":
        "base_model: meta-llama/Llama-3.1-8B\ndatasets:\n  - path: tatsu-lab/alpaca\n    type: alpaca\nsequence_len: 4096\nadapter: lora\nlora_r: 16\nlora_alpha: 32\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\nnum_epochs: 3\nlearning_rate: 0.0002\nlr_scheduler: cosine\nbf16: true\noutput_dir: ./out\n",
    },
    [
      "llama3_1_8b",
      'from = "hf://tatsu-lab/alpaca"',
      "lora(rank = 16, alpha = 32, targets = [q, v])",
      "length = 3 epochs",
      "context = 4096 tokens",
    ],
  ],
  [
    "LLaMA-Factory",
    {
      "lf.yaml":
        "stage: sft\nfinetuning_type: full\nmodel_name_or_path: Qwen/Qwen2.5-7B\ndataset: alpaca_en\ntemplate: qwen\ncutoff_len: 2048\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 8\nlearning_rate: 1.0e-5\nnum_train_epochs: 3.0\nlr_scheduler_type: cosine\nwarmup_ratio: 0.1\nbf16: true\noutput_dir: saves/q\n",
    },
    ["qwen2_5_7b", "context = 2048 tokens", "warmup = 10%", 'to = "saves/q"'],
  ],
  [
    "TrainingArguments",
    {
      "args.json":
        '{"output_dir": "out", "per_device_train_batch_size": 16, "learning_rate": 1e-4, "max_steps": 2000, "warmup_steps": 100, "lr_scheduler_type": "linear", "fp16": true, "save_steps": 500, "save_total_limit": 2}',
    },
    ["length = 2000 steps", "linear(warmup = 100 steps)", "precision = fp16", "every = 500 steps", "last(2)"],
  ],
  [
    "a PyTorchJob",
    {
      "job.yaml":
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: train\n  namespace: research\nspec:\n  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n      template: &t\n        spec:\n          containers:\n            - name: pytorch\n              image: nvcr.io/nvidia/pytorch:25.08-py3\n              command: [torchrun, train.py, --learning_rate, '1e-4', --max_steps, '1000', --per_device_train_batch_size, '4', --bf16]\n              resources: { limits: { nvidia.com/gpu: 8 } }\n    Worker:\n      replicas: 3\n      template: *t\n",
    },
    [
      'kubernetes(namespace = "research", controller = pytorchjob, shm = 0 GiB, grace = 30 s)',
      "nodes = 4",
      "batch = 128 samples",
      "nvcr.io/nvidia/pytorch:25.08-py3",
    ],
  ],
] as const)("reads %s", (_, files, expected) => {
  const made = imported(files);
  const plain = (made.text ?? "").replaceAll(/ +/g, " ");
  expect(errorsOf(made)).toEqual([]);
  for (const text of expected) expect(plain).toContain(text);
  expect(compiledText(made.text ?? "").plan.stages).toHaveLength(1);
});

it("says that the DeepSpeed configuration is missing, and marks the stage as guessed", () => {
  const made = imported({
    "sft.yaml":
      "model_name_or_path: gpt2\nstage: sft\nfinetuning_type: full\ncutoff_len: 1024\ndataset: alpaca\ndeepspeed: ds_z3.json\nmax_steps: 10\n",
  });
  expect(made.text).toMatch(/engine\s+= deepspeed/);
  expect(made.text).toMatch(/zero_stage\s+= 2\s+\/\/ guessed: ds_z3\.json says it, but is not here/);
  expect(made.diagnostics.map(({ message }) => message).join("\n")).toContain("ds_z3.json");
});

it("takes that a launch does not fit for what it is: an estimate", () => {
  const made = imported({
    "train.sh":
      "#!/bin/bash\n#SBATCH --gres=gpu:a100:8\ntorchrun --nproc_per_node 8 run_clm.py --model_name_or_path meta-llama/Llama-2-7b-hf --per_device_train_batch_size 64 --bf16 --dataset_name wikitext --max_steps 100\n",
  });
  expect(made.problems.map(({ code, severity }) => `${severity} ${code}`)).toContain("warning cdr/memory-exceeded");
  expect(errorsOf(made)).toEqual([]);
});

it("cuts samples to what their trainer takes where no file says how long they are", () => {
  const contextOf = (files: Readonly<Record<string, string>>): string | undefined =>
    /^ {2}context +(= .*)$/m.exec(imported(files).text?.split("stage train")[1] ?? "")?.[1];
  const start = "accelerate launch --num_processes 8 train.py --per_device_train_batch_size 2 --output_dir out";
  expect(contextOf({ "run.sh": `${start} --model_name_or_path meta-llama/Llama-3.2-1B\n` })).toBe(
    "= 1024 tokens  // guessed: no file gives the length of a sample",
  );
  expect(contextOf({ "run.sh": `${start} --model_name_or_path meta-llama/Llama-3.2-1B --max_length 4096\n` })).toBe(
    "= 4096 tokens",
  );
  const factory =
    "stage: sft\nfinetuning_type: full\nmodel_name_or_path: Qwen/Qwen2.5-7B\ndataset: alpaca_en\ntemplate: qwen\nper_device_train_batch_size: 1\noutput_dir: out\n";
  expect(contextOf({ "lf.yaml": factory })).toBe("= 2048 tokens");
});

const accelerated = (more: string): string =>
  `compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nmixed_precision: bf16\nnum_machines: 2\nnum_processes: 16\nfsdp_config:\n  fsdp_version: 2\n${more}`;

describe("FSDP of accelerate is torch's", () => {
  const made = (more: string) => imported({ "acc.yaml": accelerated(more) });

  it.each([
    ["  fsdp_reshard_after_forward: true\n", "engine    = torch\n", 3, "none"],
    ["  fsdp_reshard_after_forward: false\n", "engine    = torch\n", 2, "none"],
    ["  fsdp_sharding_strategy: HYBRID_SHARD\n", "engine    = torch(shard_over = pod.node.gpus)", 3, "none"],
    [
      "  fsdp_sharding_strategy: SHARD_GRAD_OP\n  fsdp_activation_checkpointing: true\n",
      "engine    = torch\n",
      2,
      "full",
    ],
    ["  fsdp_reshard_after_forward: true\n  fsdp_offload_params: true\n", "engine    = deepspeed\n", 3, "none"],
  ])("%j", (more, engine, stage, recompute) => {
    const file = made(more);
    const { text } = file;
    expect(text).toContain(engine);
    expect(text).toMatch(new RegExp(`zero_stage += ${stage}`));
    expect(text).toMatch(new RegExp(`recompute +=? ${recompute}`));
    expect(errorsOf(file)).toEqual([]);
  });

  it("on as many machines as its file says", () => {
    const { text } = made("  fsdp_reshard_after_forward: true\n");
    expect(text).toMatch(/nodes = 2\b(?! *\/\/)/);
    expect(text).toContain("batch     = 16 samples");
  });
});

it.each([
  [
    "lora_rank: 8\nfinetuning_type: lora\nquantization_bit: 4\nlora_target: all\n",
    "targets = [all], quantized = true)",
  ],
  ["use_peft: true\nlora_r: 8\n", "lora(rank = 8, alpha = 16, targets = [q, v])"],
  ["lora_rank: 8\nfinetuning_type: full\n", null],
])("trains the adapters that %j asks for, in its stage", (more, adapters) => {
  const made = imported({
    "train.yaml": `model_name_or_path: meta-llama/Meta-Llama-3-8B\noutput_dir: out\nper_device_train_batch_size: 1\nlearning_rate: 1.0e-4\nmax_steps: 100\nbf16: true\n${more}`,
  });
  const [stage] = compiledText(made.text ?? "").plan.stages;
  if (adapters !== null) expect(made.text).toContain(adapters);
  expect(stage?.trained === undefined).toBe(adapters === null);
  expect(codesOf(made)).not.toContain("cdr/adapters-of-model");
  expect(errorsOf(made)).toEqual([]);
});

it("makes a param of what fills an image's name in", () => {
  const text =
    "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: { name: t }\nspec:\n  pytorchReplicaSpecs:\n    Worker:\n      replicas: 1\n      template:\n        spec:\n          containers:\n            - name: pytorch\n              image: ${IMAGE_URI}\n              command: [torchrun, train.py, --learning_rate, '1e-4', --max_steps, '1000', --per_device_train_batch_size, '4', --bf16]\n              resources: { limits: { nvidia.com/gpu: 8 } }\n";
  const made = imported({ "job.yaml": text });
  expect(made.text).toContain('env("IMAGE_URI", default = "image_uri")');
  expect(errorsOf(made)).toEqual([]);
});
