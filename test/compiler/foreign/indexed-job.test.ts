/** Pods of an Indexed Job, each of which knows its number. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { importLaunch } from "../../../compiler/import/import.ts";

const job = (mode: string): string => `apiVersion: batch/v1
kind: Job
metadata: { name: pretrain, namespace: ml }
spec:
  completions: 4
  parallelism: 4
  ${mode}
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: trainer
          image: train:1
          command: [torchrun, --nnodes=4, --nproc_per_node=8, --node_rank=$(JOB_COMPLETION_INDEX), --master_addr=pretrain-0.pretrain, train.py]
          args: [--learning_rate, "1e-4", --per_device_train_batch_size, "1", --max_steps, "10", --output_dir, /out]
          resources: { limits: { nvidia.com/gpu: 8 } }
`;
const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
const sources = (mode: string) => [{ path: "job.yaml", text: job(mode) }];
const codes = (mode: string): readonly string[] =>
  checkForeign(sources(mode), supplied, () => undefined).diagnostics.map(({ code }) => code);

it("numbers its pods, which is each one's node rank", () => {
  expect(codes("completionMode: Indexed")).not.toContain("cdr/torchrun-endpoint");
});

it("without the mode the words stay as they are in every pod", () => {
  expect(codes("backoffLimit: 0")).toContain("cdr/torchrun-endpoint");
});

it("comes in as a plain Job on as many nodes", () => {
  const made = importLaunch(sources("completionMode: Indexed"), { supplied, launch: null }, () => undefined);
  const text = made.text ?? "";
  expect(text).toContain("controller = job(");
  expect(text).toContain("nodes = 4");
});
