/** A manifest's launch, imported and compiled again, is the same launch. */
import { loadAll } from "js-yaml";
import { expect, it } from "vitest";
import { emitBundle } from "../../../cli/bundle.ts";
import { compiledText } from "../../../compiler/import/compiled.ts";
import { importLaunch } from "../../../compiler/import/import.ts";

const args =
  "torchrun, --nproc_per_node, '8', --nnodes, '2', pretrain_gpt.py, --num-layers, '24', --hidden-size, '2048', --num-attention-heads, '16', --seq-length, '2048', --max-position-embeddings, '2048', --micro-batch-size, '4', --global-batch-size, '128', --train-iters, '1000', --lr, '1e-4', --bf16, --vocab-size, '32000', --save, /ckpt/run, --load, /ckpt/run, --save-interval, '100', --tokenizer-type, NullTokenizer, --mock-data";
const pod = (name: string): string =>
  `{ metadata: { name: p }, spec: { priorityClassName: high, nodeSelector: { pool: gpu }, terminationGracePeriodSeconds: 300, restartPolicy: Never, containers: [ { name: ${name}, image: "ghcr.io/lab/megatron:1", command: [${args}], resources: { requests: { cpu: 32, memory: 256Gi }, limits: { nvidia.com/gpu: 8, memory: 256Gi } }, volumeMounts: [ { name: ckpt, mountPath: /ckpt }, { name: shm, mountPath: /dev/shm } ] } ], volumes: [ { name: ckpt, persistentVolumeClaim: { claimName: checkpoints } }, { name: shm, emptyDir: { medium: Memory, sizeLimit: 64Gi } } ] } }`;
const head = (api: string, kind: string): string =>
  `apiVersion: ${api}\nkind: ${kind}\nmetadata: { name: train, namespace: research }\n`;
const manifests = {
  pytorchjob: `${head("kubeflow.org/v1", "PyTorchJob")}spec:\n  runPolicy: { backoffLimit: 5, activeDeadlineSeconds: 86400 }\n  pytorchReplicaSpecs:\n    Master: { replicas: 1, restartPolicy: OnFailure, template: ${pod("pytorch")} }\n    Worker: { replicas: 1, restartPolicy: OnFailure, template: ${pod("pytorch")} }\n`,
  odd: `${head("kubeflow.org/v1", "PyTorchJob")}spec:\n  runPolicy: { backoffLimit: 4 }\n  pytorchReplicaSpecs:\n    Master: { replicas: 1, restartPolicy: OnFailure, template: ${pod("pytorch")} }\n    Worker: { replicas: 1, restartPolicy: OnFailure, template: ${pod("pytorch")} }\n`,
  job: `${head("batch/v1", "Job")}spec: { completionMode: Indexed, completions: 2, parallelism: 2, backoffLimit: 6, activeDeadlineSeconds: 86400, template: ${pod("main")} }\n`,
  volcano: `${head("batch.volcano.sh/v1alpha1", "Job")}spec: { queue: lm, minAvailable: 2, maxRetry: 4, policies: [ { event: PodFailed, action: RestartJob } ], tasks: [ { name: node, replicas: 2, template: ${pod("main")} } ] }\n`,
} as const;

// oxlint-disable-next-line typescript/no-explicit-any -- what a test reads of a manifest
function again(text: string): { readonly main: any; readonly file: string } {
  const made = importLaunch(
    [{ path: "job.yaml", text }],
    { supplied: { world: null, gpusPerNode: null, gpu: "h100", engines: new Map() }, launch: null },
    () => undefined,
  );
  expect(made.notRun).toEqual([]);
  expect(made.changed).toEqual([]);
  const { files } = emitBundle(compiledText(made.text ?? ""));
  const step = files.find(({ path }) => path === "kubernetes/pretrain.yaml")?.text ?? "";
  // oxlint-disable-next-line typescript/no-explicit-any
  return { main: (loadAll(step) as any[]).at(-1), file: made.text ?? "" };
}

it.each([
  ["pytorchjob", { runPolicy: { backoffLimit: 5, activeDeadlineSeconds: 86_400 } }],
  ["odd", { runPolicy: { backoffLimit: 4 } }],
  [
    "job",
    { completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimit: 6, activeDeadlineSeconds: 86_400 },
  ],
  ["volcano", { queue: "lm", minAvailable: 2, maxRetry: 4 }],
] as const)("%s", (name, spec) => {
  const { main } = again(manifests[name]);
  expect(main.metadata.namespace).toBe("research");
  expect(main.spec).toMatchObject(spec);
  const template =
    main.spec.template ?? main.spec.pytorchReplicaSpecs?.Worker.template ?? main.spec.tasks.at(-1).template;
  expect(template.spec).toMatchObject({
    priorityClassName: "high",
    nodeSelector: { pool: "gpu" },
    terminationGracePeriodSeconds: 300,
    containers: [
      {
        image: "ghcr.io/lab/megatron:1",
        resources: { requests: { cpu: "32", memory: "256Gi", "nvidia.com/gpu": "8" } },
      },
    ],
  });
  expect(template.spec.volumes).toContainEqual({ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "64Gi" } });
  expect(template.spec.volumes).toContainEqual({
    name: "mount-0",
    persistentVolumeClaim: { claimName: "checkpoints" },
  });
});

const imported = (text: string) =>
  importLaunch(
    [{ path: "job.yaml", text }],
    { supplied: { world: null, gpusPerNode: null, gpu: "h100", engines: new Map() }, launch: null },
    () => undefined,
  );

const run =
  "[torchrun, train.py, --output_dir, $(OUT), --learning_rate, '1e-4', --max_steps, '1000', --per_device_train_batch_size, '4', --bf16]";
const jobSet = `apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: { name: train, namespace: research }
spec:
  failurePolicy: { maxRestarts: 3 }
  replicatedJobs:
    - name: workers
      template:
        spec:
          parallelism: 4
          completions: 4
          backoffLimit: 0
          template:
            spec:
              hostNetwork: true
              serviceAccountName: trainer
              affinity: { podAntiAffinity: {} }
              restartPolicy: Never
              nodeSelector: { pool: gpu }
              tolerations:
                - { key: nvidia.com/gpu, operator: Exists, effect: NoSchedule }
                - { key: dedicated, operator: Exists }
              initContainers: [ { name: fetch, image: busybox } ]
              containers:
                - name: train
                  image: lab/train:1
                  workingDir: /work
                  securityContext: { privileged: true }
                  command: ${run}
                  env:
                    - { name: OUT, value: /ckpt/run }
                    - { name: HF_TOKEN, valueFrom: { secretKeyRef: { name: hf, key: token } } }
                    - { name: POD_IP, valueFrom: { fieldRef: { fieldPath: status.podIP } } }
                  resources: { limits: { nvidia.com/gpu: 8, memory: 64Gi } }
                  volumeMounts: [ { name: ckpt, mountPath: /ckpt }, { name: own, mountPath: /scratch }, { name: cfg, mountPath: /cfg } ]
                - { name: logs, image: fluentd }
              volumes:
                - { name: ckpt, persistentVolumeClaim: { claimName: checkpoints } }
                - { name: own, emptyDir: { sizeLimit: 500Gi } }
                - { name: cfg, configMap: { name: cfg } }
`;

it("names every part of a JobSet that the written file lacks, and no other", () => {
  const { changed, text, notRun } = imported(jobSet);
  expect(notRun).toEqual([]);
  expect(changed.toSorted()).toEqual(
    [
      ...["the program train.py", "the JobSet"],
      ...["`hostNetwork`", "`serviceAccountName`", "`affinity`", "`tolerations.dedicated`", "`initContainers`"],
      ...["workingDir", "securityContext", "env.POD_IP", "volumeMounts.cfg"].map(
        (part) => `\`containers.train.${part}\``,
      ),
      ...["`containers.logs`", "`volumes.cfg`"],
    ].toSorted(),
  );
  const plain = (text ?? "").replaceAll(/ +/g, " ");
  for (const part of [
    'to = "/ckpt/run"',
    "controller = job(retries = 3)",
    "memory = 64 GiB",
    'selector = "pool=gpu"',
    'secret hf_token = kubernetes("hf/token")',
    'at = "tmp://own"',
    "size = 500 GiB",
  ])
    expect(plain).toContain(part);
});

it("says what of a TrainJob its runtime decides, and takes its overrides over", () => {
  const { changed, text } = imported(`apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: { name: train }
spec:
  runtimeRef: { name: torch-distributed }
  trainer:
    image: lab/train:1
    numNodes: 2
    command: [torchrun, train.py, --output_dir, /out, --max_steps, '1000', --per_device_train_batch_size, '4', --bf16]
    resourcesPerNode: { requests: { cpu: 32, memory: 256Gi, nvidia.com/gpu: 8 } }
  podTemplateOverrides:
    - targetJobs: [ { name: node } ]
      spec:
        serviceAccountName: trainer
        volumes: [ { name: out, persistentVolumeClaim: { claimName: results } } ]
        containers: [ { name: node, volumeMounts: [ { name: out, mountPath: /out } ] } ]
`);
  expect(changed).toContain("the TrainJob");
  expect(changed).toContain("`spec.runtimeRef`");
  expect(changed).toContain("how often a failed run is started again");
  expect(changed).toContain("`spec.podTemplateOverrides.0.spec.serviceAccountName`");
  expect(changed).toContain("that pods may have more memory than they ask for");
  expect(changed.filter((what) => /numNodes|volumes|resourcesPerNode|targetJobs/.test(what))).toEqual([]);
  const plain = (text ?? "").replaceAll(/ +/g, " ");
  for (const part of ["nodes = 2", "cpu = 32", "memory = 256 GiB", 'at = "pvc://results"'])
    expect(plain).toContain(part);
});

it("says what pods of one role have otherwise", () => {
  const [master, worker] = [
    pod("pytorch"),
    pod("pytorch").replace("priorityClassName: high, ", "tolerations: [ { key: far } ], "),
  ];
  const { changed } = imported(
    `${head("kubeflow.org/v1", "PyTorchJob")}spec:\n  runPolicy: { backoffLimit: 5 }\n  pytorchReplicaSpecs:\n    Master: { replicas: 1, restartPolicy: OnFailure, template: ${master} }\n    Worker: { replicas: 1, restartPolicy: Always, template: ${worker} }\n`,
  );
  expect(changed.toSorted()).toEqual([
    "`spec.pytorchReplicaSpecs.Worker.restartPolicy`",
    "`tolerations`",
    "that `Worker` has no `template.spec.priorityClassName`",
  ]);
});
