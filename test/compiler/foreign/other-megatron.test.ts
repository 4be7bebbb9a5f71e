/** Programs under Megatron's names, or with some of its arguments, that are not the Megatron of any release. */
import { describe, expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const told = (script: string) =>
  toldOf({ "run.sh": script })
    .filter(({ severity }) => severity !== "info")
    .map(({ severity, code, message }) => ({ severity, code, message }));
const shape = "--num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 8192 --micro-batch-size 1";
const rest = "--max-position-embeddings 8192 --lr 1e-4 --train-iters 100 --bf16";
const start = "torchrun --nproc_per_node 8";

describe("a Megatron that is none of the releases", () => {
  it("is told once, with arguments that no release takes", () => {
    const own = "--attention-head-type multiquery --structured-logs --structured-logs-dir l --valid-num-workers 0";
    const found = told(`${start} pretrain_gpt.py ${shape} ${rest} ${own} --tokenizer-type TokenizerFromFile\n`);
    expect(found.map(({ severity, code }) => `${severity} ${code}`)).toEqual(["warning cdr/megatron-other"]);
    expect(found[0]?.message).toContain("--attention-head-type, --structured-logs");
  });
  it("is told once where it writes all names with underscores", () => {
    const found = told(`${start} pretrain_gpt.py ${`${shape} ${rest}`.replaceAll(/(?<=\w)-(?=\w)/g, "_")}\n`);
    expect(found.map(({ code }) => code)).toEqual(["cdr/megatron-other"]);
  });
  it("is no matter of a few arguments, each an error of its own", () => {
    const found = told(
      `${start} pretrain_gpt.py ${shape} ${rest} --valid-num-workers 0 --hiden-dropout 0 --clip_grad 1\n`,
    );
    const unrecognized = found.filter(({ code }) => code === "cdr/megatron-unrecognized");
    expect(unrecognized.map(({ severity }) => severity)).toEqual(["error", "error", "error"]);
  });
  it("is told by one argument that a fork is known by", () => {
    const layers = "--pipeline-model-parallel-size 4 --num-layer-list 5,6,6,7 --num-layers 23";
    const plain = shape.replace("--num-layers 24 ", "");
    expect(told(`${start} pretrain_gpt.py ${plain} ${rest} ${layers}\n`).map(({ code }) => code)).toEqual([
      "cdr/megatron-other",
    ]);
  });
  it("is no matter of slips, as many as they are", () => {
    const slips = "--hiden-dropout 0 --atention-dropout 0 --clip_grad 1 --weight_decay 0.1 --log-intervall 1";
    const found = told(`${start} pretrain_gpt.py ${shape} ${rest} ${slips}\n`);
    expect(found.filter(({ code }) => code === "cdr/megatron-unrecognized")).toHaveLength(5);
  });
  it("leaves a trainer of its own alone that shares some names", () => {
    const many = Array.from({ length: 13 }, (_, at) => `--rollout-choice-${at} 1`).join(" ");
    const wide = Array.from({ length: 3 }, () => `${shape} ${rest}`).join(" ");
    expect(told(`ray job submit -- python3 train.py ${wide} ${many} --tensor-model-parallel-size 3\n`)).toEqual([]);
    const own = "--precision bf16-mixed --num-gpus 8 --num-nodes 2 --num-steps 100 --max-seq-length 1024";
    const shared = "--micro-batch-size 2 --num-layers 33 --hidden-size 1280 --tensor-model-parallel-size 1";
    expect(told(`srun python3 train_esm2.py ${own} ${shared}\n`)).toEqual([]);
    expect(told(`srun python3 my_gpt.py ${shape} ${rest} --my-own 1 --tensor-model-parallel-size 3\n`)).not.toEqual(
      [],
    );
  });
});

it("experts under tensor parallelism answer without sequence parallelism, and train only with it", () => {
  const experts = "--num-experts 8 --moe-aux-loss-coeff 0.01 --tensor-model-parallel-size 2 --disable-bias-linear";
  const codes = (program: string) =>
    told(`${start} ${program} ${shape} ${rest} ${experts}\n`).map(({ code }) => code);
  expect(codes("my_gpt.py")).toContain("cdr/megatron-experts-sequence-parallel");
  expect(codes("evaluation.py")).not.toContain("cdr/megatron-experts-sequence-parallel");
});

describe("a model that comes out of its checkpoint", () => {
  const asked = "--tensor-model-parallel-size 2 --micro-batch-size 1 --lr 1e-4 --train-iters 100 --bf16";
  const codes = (words: string) => told(`${start} pretrain_gpt.py ${asked} ${words}\n`).map(({ code }) => code);

  it("is not missed on the command line", () => {
    expect(codes("--mock-data")).toContain("cdr/megatron-layers");
    expect(codes("--mock-data --load runs/a --use-checkpoint-args")).toEqual([]);
  });
  it("is what the command line says where there is no checkpoint yet", () => {
    const whole =
      "--mock-data --load runs/a --num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 64 --max-position-embeddings 64";
    const wrong = `${whole} --group-query-attention --num-query-groups 3`;
    expect(codes(`${whole} --use-checkpoint-args`)).toEqual([]);
    expect(codes(`${wrong} --use-checkpoint-args`)).not.toEqual([]);
  });
  it("keeps what the command line says where the checkpoint does not decide", () => {
    const more = "--mock-data --load runs/a --use-checkpoint-args --tensor-model-parallel-size 3";
    expect(codes(more)).toContain("cdr/megatron-world-size");
    expect(codes(`${more} --use-mp-args-from-checkpoint-args`)).not.toContain("cdr/megatron-world-size");
  });
});

describe("ranks", () => {
  const program = `pretrain_gpt.py ${shape} ${rest} --mock-data --tensor-model-parallel-size 8`;
  const refused = (script: string) =>
    told(script)
      .map(({ code }) => code)
      .includes("cdr/megatron-world-size");

  it.each([
    ["of a step are as many as nobody says where a script has no directives", `srun python ${program}`, false],
    ["of a step are one where directives say nothing of them", `#SBATCH --time 60\nsrun python ${program}`, true],
    ["of a step that gives them are those", `srun -n 4 python ${program}`, true],
    ["of tasks that are not a number are none", `#SBATCH --ntasks-per-node tasks\nsrun python ${program}`, false],
    ["of a program alone are one", `python ${program}`, true],
    [
      "of a tool alone are those that it plays",
      `python tools/merge.py ${program.replace("pretrain_gpt.py", "")}`,
      false,
    ],
  ])("%s", (_, script, expected) => {
    expect(refused(`${script}\n`)).toBe(expected);
  });
});

describe("a program that nobody knows", () => {
  const severities = (more: string) =>
    told(`${start} my_gpt.py ${shape} ${rest} --mock-data --tensor-model-parallel-size 1 --optimizer cpu ${more}\n`)
      .filter(({ code }) => code === "cdr/megatron-value-choice")
      .map(({ severity }) => severity);

  it("has Megatron's choices, unless it has arguments of its own", () => {
    expect(severities("")).toEqual(["error"]);
    expect(severities("--my-own 1")).toEqual(["warning"]);
  });
});

it("the programs of mimo have arguments of their own each", () => {
  const unrecognized = (program: string, words: string) =>
    told(`${start} examples/mimo/${program} ${shape} ${rest} ${words}\n`)
      .filter(({ code }) => /value-choice|unrecognized/.test(code))
      .map(({ message }) => message);
  expect(unrecognized("train.py", "--dataset-provider llava_vlm --model-provider llava_vlm")).toEqual([]);
  expect(unrecognized("train.py", "--llm-tp 2")).toHaveLength(1);
  expect(unrecognized("pretrain_mimo.py", "--dataset-provider mock --llm-tp 2")).toEqual([]);
});

it("an inference server that is started as a module builds no schedule", () => {
  const serves = `${shape} --max-position-embeddings 8192 --bf16 --tensor-model-parallel-size 1`;
  const codes = (program: string) => told(`${start} ${program} ${serves}\n`).map(({ code }) => code);
  expect(codes("-m examples.inference.launch_inference_server")).not.toContain("cdr/megatron-schedule-rate");
  expect(codes("-m examples.train_gpt")).toContain("cdr/megatron-schedule-rate");
});
