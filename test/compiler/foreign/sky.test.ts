/** Tasks of SkyPilot: their scripts, with nodes and GPUs from the task. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import { positionAt } from "../../../dsl/source/source.ts";

const megatron =
  "pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 " +
  "--micro-batch-size 1 --global-batch-size 16 --train-iters 10 --lr 1e-4 --mock-data --bf16 --tokenizer-type NullTokenizer --vocab-size 5000";

const task = (resources: string, options: string): string =>
  `name: t\nresources:\n  accelerators: ${resources}\nnum_nodes: 2\nenvs:\n  TP: 4\nsetup: |\n  pip install megatron-core==0.15.3\nrun: |\n  torchrun \\\n` +
  "    --nnodes=$SKYPILOT_NUM_NODES --nproc_per_node=$SKYPILOT_NUM_GPUS_PER_NODE --node_rank=$SKYPILOT_NODE_RANK \\\n" +
  `    --master_addr=h --master_port=1 \\\n    ${megatron} ${options}\n`;

const told = (text: string) =>
  toldOf({ "task.yaml": text }).map(
    ({ severity, code, span }) => `${severity} ${code} ${positionAt(span.source, span.start).line + 1}`,
  );

it("runs its script on its nodes and GPUs", () => {
  expect(
    told(task("H100:8", "--tensor-model-parallel-size $TP --sequence-parallel")).filter((each) => /error/.test(each)),
  ).toEqual([]);
  expect(told(task("H100:6", "--tensor-model-parallel-size $TP")).join()).toMatch(/error cdr\/megatron-[\w-]*batch/);
});

it("gives the GPU that it asks for, where it is one", () => {
  expect(told(task("{A100: 8}", "--fp8-format hybrid")).join()).toContain("error cdr/megatron-quantized-device");
  expect(told(task("[A100:8, H100:8]", "")).join()).toContain("info cdr/foreign-unknown");
});

it("says what a task runs that starts nothing known", () => {
  expect(told("resources:\n  cloud: aws\nrun: |\n  my_tool --x 3\n")).toEqual(["info cdr/foreign-unknown 4"]);
});
