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
