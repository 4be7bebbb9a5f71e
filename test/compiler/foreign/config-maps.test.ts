/** Configurations in a ConfigMap of the same manifest are those of the launch, at their places in the YAML. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const job = (words: string): string => `---
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: t
        image: a/b:1
        command: [${words}]
        resources: {limits: {nvidia.com/gpu: 8}}
        volumeMounts: [{name: c, mountPath: /c}, {name: s, mountPath: /dev/shm}]
      volumes: [{name: c, configMap: {name: c}}, {name: s, emptyDir: {medium: Memory}}]
`;

const deepspeed = `  ds.json: |
    {"zero_optimization": {"stage": 2},
     "train_batch_size": 10, "train_micro_batch_size_per_gpu": 4}
`;

const told = (data: string, words: string): readonly string[] =>
  toldOf({
    "job.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n${data}${job(words)}`,
  })
    .filter(({ code }) => /deepspeed|foreign/.test(code))
    .map(({ code, span }) => `${code}:${span.source.text.slice(0, span.start).split("\n").length}`);

it.each([
  [
    deepspeed,
    'deepspeed, --num_gpus, "8", train.py, --deepspeed_config, /c/ds.json',
    ["cdr/deepspeed-batch-positive:7"],
  ],
  [
    deepspeed,
    'deepspeed, --num_gpus, "8", train.py, --deepspeed_config=/c/ds.json',
    ["cdr/deepspeed-batch-positive:7"],
  ],
  [deepspeed.replace("10", "32"), 'deepspeed, --num_gpus, "8", train.py, --deepspeed_config=/c/ds.json', []],
  [`${deepspeed}  other.yaml: "a: {b"\n`, 'python, train.py, "8"', []],
  [
    `${deepspeed}  acc.yaml: |\n    distributed_type: DEEPSPEED\n    num_machines: 1\n    num_processes: 8\n    deepspeed_config:\n      deepspeed_config_file: /c/ds.json\n`,
    "accelerate, launch, --config_file, /c/acc.yaml, train.py",
    ["cdr/deepspeed-batch-positive:7"],
  ],
])("%s%s", (data, words, expected) => {
  expect(told(data, words)).toEqual(expected);
});

const script = `  train.sh: |
    #!/bin/bash
    set -e
    torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 \\
      --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 8 \\
      --lr 1e-4 --train-iters 10 --mock-data --tokenizer-type NullTokenizer --vocab-size 1000 \\
      --tensor-model-parallel-size \${TP:-3}
`;

const rightly = script.replace(":-3", ":-4");

function started(data: string, words: string, edit = (manifest: string): string => manifest): readonly string[] {
  const manifest = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n${data}${job(words)}`;
  return toldOf({ "job.yaml": edit(manifest) })
    .filter(({ code }) => /megatron-world|deepspeed-batch|foreign-no/.test(code))
    .map(({ code, span }) => `${code}:${span.source.text.slice(0, span.start).split("\n").length}`);
}

it.each([
  ["bash, /c/train.sh"],
  ["/c/train.sh"],
  ['sh, -c, "exec bash /c/train.sh --flag"'],
  ['bash, -c, "cp /c/train.sh /tmp/t.sh && bash /tmp/t.sh"'],
])("a script in a ConfigMap is read where a container starts it: %s", (words) => {
  expect(started(script, words)).toEqual(["cdr/megatron-world-size:11"]);
  expect(started(rightly, words)).toEqual([]);
});

it("sees the variables of its container, and configurations beside it", () => {
  const env = (manifest: string): string =>
    manifest.replace("        image:", "        env: [{name: TP, value: '5'}]\n        image:");
  expect(started(rightly, "bash, /c/train.sh", env)).toEqual(["cdr/megatron-world-size:22"]);
  const both = `${deepspeed}  go.sh: |\n    deepspeed --num_gpus 8 train.py --deepspeed_config /c/ds.json\n`;
  expect(started(both, "bash, /c/go.sh")).toEqual(["cdr/deepspeed-batch-positive:7"]);
});

it("is the one of the volume that is mounted there", () => {
  const two = (manifest: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata:\n${rightly}---\n${manifest}`;
  expect(started(script, "bash, /c/train.sh", two)).toEqual(["cdr/megatron-world-size:23"]);
  const items = (manifest: string): string =>
    manifest.replace("configMap: {name: c}", "configMap: {name: c, items: [{key: train.sh, path: go.sh}]}");
  expect(started(script, "bash, /c/go.sh", items)).toEqual(["cdr/megatron-world-size:11"]);
  const part = (manifest: string): string =>
    manifest.replace("mountPath: /c}", "mountPath: /run/train.sh, subPath: train.sh}");
  expect(started(script, "bash, /run/train.sh", part)).toEqual(["cdr/megatron-world-size:11"]);
});

it("is not read where nothing starts it", () => {
  expect(started(script, "python, train.py")).toEqual([]);
});
