/** What a message offers holds: a value that it lists is accepted, and its fix speaks of what is wrong. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const check = (files: Readonly<Record<string, string>>) =>
  checkForeign(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    { world: null, gpusPerNode: null, gpu: "h100" },
    () => undefined,
  ).diagnostics;

const launch = (heads: number, width: number, ranks: number) =>
  `CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun --nproc-per-node ${ranks} pretrain_gpt.py --num-layers 24 --hidden-size ${width} --num-attention-heads ${heads} ` +
  `--seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 4 --global-batch-size 256 --train-iters 100 --lr 1e-4 --bf16 ` +
  `--mock-data --tokenizer-type NullTokenizer --vocab-size 32000 --tensor-model-parallel-size ${ranks}\n`;

it.each([
  [16, 2048, 3, []],
  [16, 2304, 3, ["12", "18"]],
  [20, 2560, 8, ["16", "32"]],
])(
  "numbers of heads that are offered divide the width and among the ranks: %i of %i for %i",
  (heads, width, ranks, valid) => {
    const found = check({ "run.sh": launch(heads, width, ranks) }).find(
      ({ code }) => code === "cdr/megatron-heads-tensor-parallel",
    );
    expect(found?.valid ?? []).toEqual(valid);
    for (const each of valid)
      expect(
        check({ "run.sh": launch(Number(each), width, ranks) }).filter(({ code }) => /heads/.test(code)),
      ).toEqual([]);
  },
);

it("takes a node rank that a variable may give for one that differs", () => {
  const run = (rank: string): string =>
    `torchrun --nnodes=2 --nproc-per-node=8 --master-addr h --node-rank=${rank} t.py\n`;
  const ranks = (rank: string) =>
    check({ "run.sh": `#!/bin/bash\n${run(rank)}` }).filter(({ code }) => code === "cdr/torchrun-endpoint");
  expect(ranks("0")).toHaveLength(1);
  expect(ranks("${RANK:-0}")).toEqual([]);
});

it("leaves a node rank with a default to the shell of the step", () => {
  const inner = "torchrun --nnodes=2 --nproc-per-node=8 --master-addr h --node-rank=${SLURM_NODEID:-0} t.py";
  const script = (command: string): string =>
    `#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n${command}\n`;
  const ranks = (command: string) =>
    check({ "run.sh": script(command) }).filter(({ message }) => message.includes("SLURM_NODEID is 0"));
  expect(ranks(`srun bash -c '${inner}'`)).toEqual([]);
  expect(ranks(`srun ${inner}`)).toHaveLength(1);
});

it("says one thing of a file whose aliases swell", () => {
  const [first, ...others] = [..."abcdefg"];
  const lines = others.map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefg"[at]}`).join(",")}]`);
  const text = `${first}: &a [x,x,x,x,x,x,x,x,x]\n${lines.join("\n")}\ndistributed_type: FSDP\n`;
  expect(check({ "bomb.yaml": text }).map(({ code }) => code)).toEqual(["cdr/foreign-yaml-size"]);
});

it("asks for a load where ckpt_step stands without one", () => {
  const text = "model:\n  tensor_model_parallel_size: 1\ncheckpoint:\n  ckpt_step: 5\n";
  const found = check({ "b.yaml": text }).find(({ code }) => code === "cdr/bridge-checkpoint");
  expect(found?.fix).toContain("checkpoint.load");
});

it.each([
  ["lr_scheduler_type", "cosin", "error"],
  ["save_strategy", "stepz", "error"],
  ["optim", "muonclip", "warning"],
])("%s takes no %s", (name, value, severity) => {
  const text = `torchrun --nproc_per_node 8 t.py --output_dir o --per_device_train_batch_size 4 --${name} ${value}\n`;
  const found = check({ "run.sh": text }).filter(({ code }) => code === "cdr/trainer-choice");
  expect(found.map((each) => each.severity)).toEqual([severity]);
});

it.each([
  ["optim", "adamw_apex_fused"],
  ["optim", "paged_adamw_8bit"],
  ["lr_scheduler_type", "warmup_stable_decay"],
  ["eval_strategy", "no"],
])("%s takes %s", (name, value) => {
  const text = `torchrun --nproc_per_node 8 t.py --output_dir o --per_device_train_batch_size 4 --${name} ${value}\n`;
  expect(check({ "run.sh": text }).filter(({ code }) => code === "cdr/trainer-choice")).toEqual([]);
});

it("says one thing of a word that is no number of JSON", () => {
  const text = '{ "train_batch_size": 16, "gradient_clipping": NaN }';
  const found = check({ "ds.json": text }).filter(({ code }) => code === "cdr/foreign-json");
  expect(found.map(({ message }) => message)).toEqual([expect.stringContaining("NaN is not a JSON number")]);
});

it.each([
  ["num_attention_heads: 32\n  tensor_model_parallel_size: 3", 1],
  ["num_layers: 32\n  pipeline_model_parallel_size: 5", 1],
  ["num_layers: 32\n  pipeline_model_parallel_size: 5\n  num_layers_in_first_pipeline_stage: 4", 0],
  ["num_query_groups: 2\n  tensor_model_parallel_size: 4", 0],
  ["num_moe_experts: 6\n  expert_model_parallel_size: 4", 1],
  ["ffn_hidden_size: 4097\n  tensor_model_parallel_size: 2", 1],
  ["moe_ffn_hidden_size: 1001\n  expert_tensor_parallel_size: 2", 1],
  ["vocab_size: 32001\n  should_pad_vocab: false\n  tensor_model_parallel_size: 2", 1],
  ["vocab_size: 32001\n  tensor_model_parallel_size: 2", 0],
  ["seq_length: 4098\n  sequence_parallel: true\n  tensor_model_parallel_size: 4", 1],
  ["seq_length: 4098\n  tensor_model_parallel_size: 4", 0],
  ["pipeline_model_parallel_size: 1\n  virtual_pipeline_model_parallel_size: 2", 1],
  ["virtual_pipeline_model_parallel_size: 2", 0],
  ["num_layers: 32\n  pipeline_model_parallel_size: 4\n  virtual_pipeline_model_parallel_size: 3", 1],
  ["num_layers: 32\n  pipeline_model_parallel_size: 4\n  virtual_pipeline_model_parallel_size: 2", 0],
])("a model of Bridge among its ranks: %s", (lines, count) => {
  const own = lines.includes("tensor_model") ? "" : "  tensor_model_parallel_size: 1\n";
  const found = check({ "b.yaml": `model:\n${own}  ${lines}\n` }).filter(({ code }) => code === "cdr/bridge-shape");
  expect(found).toHaveLength(count);
});
