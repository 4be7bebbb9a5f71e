/** What the written file says of itself, and what `cdrc check` says of the files that it was made of. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { importLaunch } from "../../../compiler/import/import.ts";
import { compiledText } from "../../../compiler/import/compiled.ts";
import { errorsIn } from "../../../dsl/diagnostics/diagnostic.ts";

const supplied = { world: null, gpusPerNode: null, gpu: "h100" };

const imported = (path: string, text: string) =>
  importLaunch([{ path, text }], { supplied, launch: null }, () => undefined);

const manifest = (policy: string, more: string): string => `apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: { name: gpt }
spec:
  nprocPerNode: "8"
  pytorchReplicaSpecs:
${["Master", "Worker"]
  .map(
    (role) => `    ${role}:
      replicas: 1
      restartPolicy: ${policy}
      template:
        spec:
          volumes: [{ name: shm, emptyDir: { medium: Memory } }]
          containers:
            - name: pytorch
              image: nvcr.io/nvidia/pytorch:25.01-py3
              env: [{ name: CUDA_DEVICE_MAX_CONNECTIONS, value: "1" }]
              command: [torchrun, pretrain_gpt.py, --tensor-model-parallel-size, "2", --num-layers, "24", --hidden-size, "2048", --num-attention-heads, "16", --seq-length, "2048", --max-position-embeddings, "2048", --micro-batch-size, "2", --global-batch-size, "256", --train-iters, "1000", --lr, "1e-4", --bf16, --data-path, /data/a_text_document, --vocab-file, v.json, --merge-file, m.txt${more}]
              volumeMounts: [{ name: shm, mountPath: /dev/shm }]
              resources: { limits: { nvidia.com/gpu: 8 } }
`,
  )
  .join("")}`;

const told = (text: string): readonly string[] =>
  checkForeign([{ path: "job.yaml", text }], supplied, () => undefined).diagnostics.flatMap(({ severity, code }) =>
    severity === "info" ? [] : [code],
  );

it.each([
  ["OnFailure", "", true, "pytorchjob(retries = 0)"],
  ["Never", "", false, "pytorchjob(retries = 0)"],
  ["OnFailure", ", --save, /ckpt, --load, /ckpt, --save-interval, '100'", false, "controller = pytorchjob, shm"],
])("tells of restarts with %s%s, and writes a file for them that compiles", (policy, more, isTold, controller) => {
  const text = manifest(policy, more);
  expect(told(text).includes("cdr/kubernetes-restart-anew")).toBe(isTold);
  const made = imported("job.yaml", text);
  expect(made.text).toContain(controller);
  expect(made.guesses.some(({ name }) => name === "target")).toBe(isTold);
  expect(errorsIn(made.problems)).toBe(0);
});

it("says what of the written file is not run, and nothing where all of it is", () => {
  const script =
    "#!/bin/bash\naccelerate launch --num_processes 8 train.py --model_name_or_path gpt2 --dataset_name wikitext --max_steps 100 --per_device_train_batch_size 8 --block_size 1024 --learning_rate 5e-5\n";
  const saysOf = (name: string, text: string): boolean[] => {
    const { diagnostics, text: made } = imported(name, text);
    return [
      diagnostics.some(({ code }) => code === "cdr/import-not-run"),
      compiledText(made ?? "").unexecuted.of([], "compile").length > 0,
    ];
  };
  expect(saysOf("job.yaml", manifest("OnFailure", ""))).toEqual([false, false]);
  expect(
    saysOf("other.sh", script.replace("--max_steps", "--attn_implementation flash_attention_3 --max_steps")),
  ).toEqual([true, true]);
  expect(saysOf("run.sh", script)).toEqual([false, false]);
});
