/** Rules that speak only where it is sure that their tool reads what they judge. */
import { describe, expect, it } from "vitest";
import { readJson } from "../../../compiler/foreign/documents/json.ts";
import { surely } from "../../../compiler/foreign/documents/recognise.ts";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import { textOf } from "../../../compiler/foreign/shell/text.ts";
import type { Files } from "../../../compiler/foreign/rules/rule.ts";

/** `severity code` of all that is more than an aside, with `code` alone where it is given. */
const told = (files: Files, code = ""): readonly string[] =>
  toldOf(files)
    .filter((each) => each.code.includes(code) && (code !== "" || each.severity !== "info"))
    .map((each) => `${each.severity} ${each.code}`);

const braces =
  "{\n  # sizes\n  \"pipe-parallel-size\": 1, # one stage\n  'num-layers': 12,\n  hidden-size: 768,\n}\n";

it("a file whose name says YAML is YAML, with braces, comments and a last comma too", () => {
  expect(told({ "13B.yml": braces }, "foreign-")).toEqual([]);
  expect(new Set(told({ "13B.json": braces }, "foreign-"))).toEqual(new Set(["error cdr/foreign-json"]));
});

it("a configuration of GPT-NeoX holds DeepSpeed's options too", () => {
  const own = "model_parallel_size: 2\ndata_impl: mmap\nattention_type: grouped\n";
  const engine =
    "train_micro_batch_size_per_gpu: 4\nzero_optimization: {stage: 1}\nsteps_per_print: 10\nwall_clock_breakdown: true\n";
  expect(told({ "34B.yml": own + engine }, "deepspeed-ignored")).toEqual([]);
  expect(told({ "ds.yml": engine.replace("steps", "step") }, "deepspeed-ignored")).toEqual([
    "warning cdr/deepspeed-ignored",
  ]);
});

it("numbers with an exponent are what the reader of the file makes of them", () => {
  const part = (name: string) => `${name}:\n  _component_: torchtune.${name}\n`;
  const tune = `${part("model")}${part("tokenizer")}optimizer:\n  _component_: torch.optim.AdamW\n  lr: 2e-5\n`;
  const lit = "model_name: a\nprecision: bf16-true\ntrain:\n  global_batch_size: 8\n  min_lr: 6e-5\n";
  const neox = "pipe-parallel-size: 1\nnum-layers: 12\nhidden-size: 768\nmin_lr: 6e-5\n";
  const texts = [tune, lit, neox].map((text) => told({ "a.yaml": text }, "yaml-number-text").length);
  expect(texts).toEqual([0, 0, 1]);
});

it("sequence parallelism without tensor parallelism is switched off by NeMo 1 and the newer Bridge, and refused by the older", () => {
  const model = "model:\n  tensor_model_parallel_size: 1\n  sequence_parallel: true\n";
  const trainer = "trainer:\n  devices: 8\n  num_nodes: 1\n";
  const installed = (specifier: string): readonly string[] =>
    told({ "a.yaml": model, "requirements.txt": `megatron-bridge${specifier}\n` }, "bridge");
  expect(installed("==0.3.1")).toEqual(["error cdr/bridge-sequence-parallel"]);
  expect(["==0.4.0", ">=0.4", "==0.6.2"].flatMap(installed)).toEqual([]);
  expect([installed("<0.5"), told({ "a.yaml": model }, "bridge")]).toEqual([
    ["info cdr/bridge-sequence-parallel"],
    ["info cdr/bridge-sequence-parallel"],
  ]);
  expect(told({ "a.yaml": `${trainer}${model}` })).toEqual([]);
});

it("a conversion of NeMo's launcher is no training", () => {
  const trainer = "trainer:\n  devices: 1\n  num_nodes: 1\nmodel:\n  pipeline_model_parallel_size: 16\n";
  const model = "  tensor_model_parallel_size: 1\n";
  expect(told({ "a.yaml": `${trainer}${model}` })).toEqual(["error cdr/bridge-world"]);
  expect(told({ "a.yaml": `run:\n  nemo_file_name: a.nemo\n${trainer}${model}` }, "bridge")).toEqual([]);
});

it("half weights under DeepSpeed have a scaler of its own", () => {
  const run = "torchrun --nproc_per_node 8 train.py --torch_dtype float16 --fp16 --output_dir out";
  expect(told({ "run.sh": `${run}\n` }, "half-weights")).toEqual(["error cdr/trainer-half-weights"]);
  expect(told({ "run.sh": `${run} --deepspeed zero3.json\n` }, "half-weights")).toEqual([]);
});

it("nodes of a program are those of Lightning's Trainer where devices stand beside them", () => {
  const job = "#!/bin/bash\n#SBATCH --nodes=4\nsrun --nodes=1 --ntasks=1 python drive.py --num-nodes 4";
  expect(told({ "job.sbatch": `${job}\n` }, "trainer-processes")).toEqual([]);
  expect(told({ "job.sbatch": `${job} --devices 1\n` }, "trainer-processes")).toEqual([
    "error cdr/slurm-trainer-processes",
  ]);
});

it("a hostfile that a loop writes has as many lines as nobody knows", () => {
  const loop = (from: string) => `for host in ${from}; do echo "$host slots=8" >> hosts; done`;
  const job = (from: string) =>
    `${loop(from)}\ndeepspeed --hostfile hosts train.py --deepspeed --deepspeed_config ds.json\n`;
  const ds = '{ "train_batch_size": 64, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 1 }';
  const codes = (from: string) => told({ "run.sh": job(from), "ds.json": ds }, "batch-product");
  expect(codes("$(scontrol show hostnames $SLURM_JOB_NODELIST)")).toEqual([]);
  expect(codes("a b c")).toEqual(["error cdr/deepspeed-batch-product"]);
  expect(codes("a b c d")).toEqual([]);
});

it("a slip in fsdp_config is told wherever it stands", () => {
  const start = "torchrun --nproc_per_node 8 run_clm.py --output_dir out --fsdp full_shard --fsdp_config";
  const config = '{"fsdp_sharding_strategi": "FULL_SHARD", "transformer_layer_cls_to_wrap": ["LlamaDecoderLayer"]}';
  const found = ["warning cdr/trainer-fsdp-keys"];
  expect(told({ "run.sh": `${start} '${config}'\n` }, "fsdp-keys")).toEqual(found);
  expect(told({ "run.sh": `${start} fsdp.json\n`, "fsdp.json": config }, "fsdp-keys")).toEqual(found);
  expect(told({ "run.sh": `${start} '${config.replace("egi", "egy")}'\n` }, "fsdp-keys")).toEqual([]);
});

it("a template of Helm is told once, as one that is not read", () => {
  const chart = "{{- if .Values.train }}\napiVersion: v1\nkind: Pod\nmetadata: {{ .Values.name }}\n{{- end }}\n";
  expect(told({ "pod.yaml": chart }, "foreign-")).toEqual(["info cdr/foreign-unreadable"]);
});

const rank = (value: string): string =>
  `export RANK=${value}\ntorchrun --nnodes=4 --nproc_per_node=8 --master_addr $HEAD --node_rank=$RANK train.py\n`;
const job = "#!/bin/bash\n#SBATCH -N 4\n#SBATCH --ntasks-per-node=1\n";

it("a variable of Slurm is replaced early in a batch script alone", () => {
  const early = "slurm-expanded-early";
  const node = rank('${SLURM_PROCID:-"0"}');
  expect(told({ "node.sh": node }, early)).toEqual([]);
  expect(told({ "node.sh": node, "job.sbatch": `${job}srun bash node.sh\n` }, early)).toEqual([]);
  expect(
    told({ "job.sbatch": `${job}${rank("$SLURM_PROCID").replace("torchrun", "srun torchrun")}` }, early),
  ).toEqual(["error cdr/slurm-expanded-early"]);
  expect(told({ "job.sbatch": `${job.replace("4", "1")}srun ${rank("$SLURM_PROCID")}` }, early)).toEqual([]);
});

it("a hostfile has the form of the launcher that reads it", () => {
  const start = "--nproc_per_node 4 --hostfile hosts train.py --lr 1e-4\n";
  expect(told({ hosts: "node1\nnode2\n", "run.sh": `colossalai run ${start}` }, "hostfile-lines")).toEqual([]);
  expect(told({ hosts: "node1\nnode1 slots=8\n", "run.sh": `mpirun -np 8 ${start}` }, "hostfile-lines")).toEqual([]);
  expect(told({ hosts: "node1\nnode2 slots=8\n", "run.sh": `deepspeed ${start}` }, "hostfile-lines")).toEqual([
    "error cdr/hostfile-lines",
  ]);
});

it.each([
  ["axolotl-quants/Llama-4-Maverick-17B-128E-Linearized", "Llama4TextDecoderLayer", false],
  ["meta-llama/Llama-3.2-11B-Vision-Instruct", "MllamaSelfAttentionDecoderLayer", false],
  ["mistralai/Mixtral-8x7B-v0.1", "MixtralSparseMoeBlock", false],
  ["mistralai/Mixtral-8x7B-v0.1", "MistralDecoderLayer", true],
  ["meta-llama/Meta-Llama-3.1-8B", "LlamaDecoderLayer", false],
  ["meta-llama/Meta-Llama-3.1-8B", "Qwen2DecoderLayer", true],
  ["google-t5/t5-base", "LlamaDecoderLayer", true],
])("FSDP wraps classes that a model surely has not: %s, %s", (model, layer, isWrong) => {
  const file = `base_model: ${model}\nsequence_len: 2048\nmicro_batch_size: 1\nfsdp:\n  - full_shard\nfsdp_config:\n  fsdp_transformer_layer_cls_to_wrap: ${layer}\n`;
  expect(told({ "a.yml": file }, "fsdp-wrap-class")).toEqual(isWrong ? ["error cdr/fsdp-wrap-class"] : []);
});

it("groups of completions are TRL's in TRL's programs", () => {
  const options = "--output_dir out --per_device_train_batch_size 1 --num_generations";
  const swift = `swift rlhf --rlhf_type grpo --teacher_model big ${options} 1\n`;
  expect(told({ "run.sh": swift }, "trl-")).toEqual([]);
  const own =
    "accelerate launch --num_processes 3 open_instruct/grpo.py --output_dir out --per_device_train_batch_size 1\n";
  expect(told({ "run.sh": own }, "trl-")).toEqual([]);
  expect(told({ "run.sh": `trl grpo ${options} 1\n` }, "trl-")).toEqual(["error cdr/trl-generations"]);
});

it.each([
  ["tasks/main.py --task MNLI --epochs 5", false],
  ["my_tasks.py --epochs 5", false],
  ["tools/merge_mp_partitions.py", false],
  ["examples/run_text_generation_server.py", false],
  ["finetune.py", true],
  ["pretrain_gpt.py", true],
])("a schedule is asked of programs of Megatron that train by it: %s", (program, isAsked) => {
  const sizes = "--num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 1024";
  const model = `${sizes} --max-position-embeddings 1024 --micro-batch-size 1 --tensor-model-parallel-size 1`;
  const asked = told({ "run.sh": `torchrun --nproc_per_node=8 ${program} ${model}\n` }, "megatron-schedule");
  expect(asked.length > 0).toBe(isAsked);
});

it("layers of a mamba in GPT-NeoX share no width among heads", () => {
  const model =
    "pipe_parallel_size: 1\ndata_impl: mmap\nhidden_size: 1024\nnum_attention_heads: 12\nnum_layers: 48\n";
  expect(told({ "m.yml": `${model}attention_config: [[["mamba"], 48]]\n` }, "neox-model")).toEqual([]);
  expect(told({ "m.yml": `${model}attention_config: [[["global"], 48]]\n` }, "neox-model")).toEqual([
    "error cdr/neox-model",
  ]);
});

const dense =
  "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --train-iters 10 --lr 1e-4 --bf16 --tokenizer-type NullTokenizer --vocab-size 1000";

it("what is wrong under every release of Transformer Engine is wrong where none is named", () => {
  const clip = (words: string): readonly string[] =>
    told({ "run.sh": `${dense} --mock-data --qk-clip ${words}\n` }, "qk-clip");
  expect(clip("--qk-clip-alpha 1.5")).toEqual(["error cdr/megatron-qk-clip"]);
  expect(clip("--qk-clip-threshold 0")).toEqual(["error cdr/megatron-qk-clip"]);
  // Only a release before 2.9 refuses this.
  expect(clip("--qk-clip-alpha 0.5")).toEqual([]);
});

it("weights of a blend pair with sets, as far as its words are known", () => {
  const blend = (words: string): readonly string[] =>
    told({ "run.sh": `${dense} --data-path ${words}\n` }, "data-weights-odd");
  expect(blend("0.5 a 0.5")).toEqual(["error cdr/megatron-data-weights-odd"]);
  expect(blend("a 0.5 b 0.5")).toEqual(["error cdr/megatron-data-weights-odd"]);
  expect(blend("0.5 a 0.5 b")).toEqual([]);
  expect(blend("a b c")).toEqual([]);
  expect(blend("0.5 a $MORE")).toEqual([]);
  expect(blend("$(cat blend.txt)")).toEqual([]);
});

it("a trainer with sections of its own for the model and the data is none of those that share its words", () => {
  const own = (rest: string): string =>
    `type: sft\nmicro_batch_size: 1\ngradient_accumulation_steps: 2\n${rest}optimizer:\n  learning_rate: 1.0e-5\nscheduler:\n  name: linear\n`;
  const model = "model:\n  name_or_path: meta-llama/Llama-3.1-8B\ndeepspeed:\n  zero_optimization:\n    stage: 3\n";
  const codes = (text: string): readonly string[] => [...new Set(toldOf({ "a.yaml": text }).map(({ code }) => code))];
  expect(codes(own(model))).toEqual(["cdr/foreign-kind"]);
  expect(codes(own("base_model: m\nsequence_len: 2048\n"))).toContain("cdr/axolotl-kind");
});

it("an empty list turns nothing on", () => {
  const args = (fsdp: string): string =>
    `{"output_dir":"out","per_device_train_batch_size":1,"fsdp":${fsdp},"deepspeed":{"zero_optimization":{"stage":2},"train_micro_batch_size_per_gpu":"auto"}}`;
  expect(told({ "args.json": args("[]") }, "fsdp")).toEqual([]);
  expect(told({ "args.json": args('["full_shard"]') }, "fsdp-deepspeed")).toEqual([
    "error cdr/trainer-fsdp-deepspeed",
  ]);
});

describe("a program that lies beside", () => {
  const launch = {
    "ds.json": '{ "train_micro_batch_size_per_gpu": 2, "zero_optimization": { "stage": 2 } }',
    "run.sh":
      "deepspeed --num_gpus 8 src/train.py --output_dir o --per_device_train_batch_size 4 --deepspeed ds.json --resume_from_checkpoint\n",
  };
  const parsed = "from transformers import HfArgumentParser\nfrom looping import Loop\n";
  const mismatch = (files: Files): readonly string[] => told({ ...launch, ...files }, "mismatch");
  it("may hand its configuration to DeepSpeed in a module of its own, and then compares nothing", () => {
    const looping = (text: string): Files => ({ "src/train.py": parsed, "src/looping.py": text });
    const engine = "import deepspeed\nengine = deepspeed.initialize(config=args.deepspeed)\n";
    expect(mismatch(looping(engine))).toEqual([]);
    expect(mismatch(looping(`from transformers import Trainer\n${engine}`))).toHaveLength(1);
    expect(mismatch({})).toEqual(["error cdr/trainer-deepspeed-mismatch"]);
  });
  it("has types of its own for the options that it declares", () => {
    const declared = "@dataclass\nclass Arguments:\n    resume_from_checkpoint: bool = field(default=False)\n";
    const typed = (files: Files): readonly string[] => told({ ...launch, ...files }, "trainer-type");
    expect(typed({ "src/train.py": parsed })).toHaveLength(1);
    expect(typed({ "src/train.py": "from .own import Arguments\n", "src/own.py": declared })).toEqual([]);
  });
  it("may wrap ms-swift, which has words of its own", () => {
    const swift = {
      "run.sh":
        "torchrun --nproc_per_node 8 src/sft.py --fsdp fsdp2 --per_device_train_batch_size 1 --output_dir o\n",
    };
    expect(told(swift, "fsdp")).toEqual(["warning cdr/trainer-fsdp-options"]);
    expect(told({ ...swift, "src/sft.py": "from swift.pipelines import sft_main\nsft_main()\n" }, "fsdp")).toEqual(
      [],
    );
  });
});

it("three words of DeepSpeed and no other are a configuration of it, wherever they lie", () => {
  const isSure = (text: string): boolean => {
    const { root } = readJson(textOf({ path: "ds.json", text }));
    return root !== undefined && surely(root, "deepspeed");
  };
  const sizes = '"train_batch_size": 2, "gradient_accumulation_steps": 1';
  expect(isSure(`{ ${sizes}, "fp16": { "enabled": true } }`)).toBe(true);
  expect([isSure(`{ ${sizes} }`), isSure(`{ ${sizes}, "fp16": true, "vocab": 3 }`)]).toEqual([false, false]);
});
