/** What a launch on Kubernetes compiles to, read back as YAML. */
import { load, loadAll } from "js-yaml";
import { describe, expect, it } from "vitest";
import { emitBundle } from "../../../../cli/bundle.ts";
import { compile } from "../../../../compiler/compile.ts";
import { alone } from "../../../support/alone.ts";

const file = (target: string, more = ""): string => `import "std/clusters" { dgx_h100, mi300x_node }
secret wandb_key = env("WANDB_API_KEY")
secret hub = kubernetes("hub/token")
store work { at = "pvc://work/lm", mount = "/work", size = 1 TiB, access = many }
data web { from = work / "text/*.txt", tokenizer = bytes }
model t { family = llama, layers = 4, d_model = 256, heads = 4, context = 512 tokens }
stage pre_train { model = t, data = web, length = 100 steps, batch = 64 samples, optimizer = adamw(lr = 1e-4)
  checkpoint { every = 50 steps, to = work / "runs" } }
cluster pod extends dgx_h100 { nodes = 2 }
cluster amd extends mi300x_node { nodes = 1 }
launch k on ${more.includes("amd") ? "amd" : "pod"} {
  target = kubernetes(namespace = "research", ${target})
  image  = "ghcr.io/lab/trainer:1.4"
  mounts = [work]
  env { WORDS = "on", KEYS = "$(HOME) and 100 $", WANDB_API_KEY = wandb_key, HF_TOKEN = hub }
}
`;

function lowered(target: string, more = ""): ReadonlyMap<string, string> {
  const compilation = compile({ path: "main.cdr", text: file(target, more) }, alone);
  expect(compilation.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(compilation.unexecuted.of([], "compile")).toEqual([]);
  return new Map(emitBundle(compilation).files.map(({ path, text }) => [path, text]));
}

// oxlint-disable-next-line typescript/no-explicit-any -- what a test reads of a manifest
const objects = (files: ReadonlyMap<string, string>, name: string): any[] =>
  loadAll(files.get(`kubernetes/${name}.yaml`) ?? "");

describe("a PyTorchJob", () => {
  const files = lowered(
    'controller = pytorchjob(retries = 2, queue = "lm"), cpu = 64, memory = 512 GiB, time = 12 h',
  );
  const [job] = objects(files, "pre-train");
  const { Master, Worker } = job.spec.pytorchReplicaSpecs;
  const [container] = Master.template.spec.containers;

  it("has one pod a node, whose operator tells ranks", () => {
    expect(job).toMatchObject({
      apiVersion: "kubeflow.org/v1",
      metadata: { name: "pre-train", namespace: "research" },
    });
    expect([Master.replicas, Worker.replicas, job.spec.nprocPerNode]).toEqual([1, 1, "8"]);
    expect(container).toMatchObject({ name: "pytorch", image: "ghcr.io/lab/trainer:1.4" });
    expect(container.env).toContainEqual({ name: "CDR_RANK_IN", value: "RANK" });
  });

  it("counts each container that a restart of the run starts, and one more", () => {
    expect(job.spec.runPolicy).toMatchObject({ backoffLimit: 2 * 2 + 1, activeDeadlineSeconds: 43_200 });
    expect(job.metadata.labels["kueue.x-k8s.io/queue-name"]).toBe("lm");
  });

  it("asks for what the file says, of the vendor's resource", () => {
    expect(container.resources.requests).toEqual({ cpu: "64", memory: "512Gi", "nvidia.com/gpu": "8" });
    const amd = objects(lowered("controller = pytorchjob", "amd"), "pre-train")[0];
    const [on] = amd.spec.pytorchReplicaSpecs.Master.template.spec.containers;
    expect(on.resources.limits).toEqual({ "amd.com/gpu": "8" });
  });

  it("names secrets and passes other values to the letter", () => {
    const values = Object.fromEntries(container.env.map(({ name, ...rest }: { name: string }) => [name, rest]));
    expect(values).toMatchObject({
      WORDS: { value: "on" },
      KEYS: { value: "$$(HOME) and 100 $$" },
      WANDB_API_KEY: { valueFrom: { secretKeyRef: { name: "cdr-secrets", key: "WANDB_API_KEY" } } },
      HF_TOKEN: { valueFrom: { secretKeyRef: { name: "hub", key: "token" } } },
    });
  });

  it("reads and writes in the folders of its mounts", () => {
    expect(container.args.slice(0, 2)).toEqual(["pre_train", "/work/runs"]);
    expect(container.volumeMounts).toContainEqual({ name: "mount-0", mountPath: "/work", subPath: "lm" });
    expect(files.get("steps/web/prepare.json")).toContain('"/work/text/*.txt"');
    expect(objects(files, "claims")[0].spec.resources.requests.storage).toBe("1Ti");
  });

  it("mounts every file that its programs read, none of them too large to be applied", () => {
    const maps = objects(files, "bundle");
    const sources = Master.template.spec.volumes[0].projected.sources;
    expect(sources.map((source: { configMap: { name: string } }) => source.configMap.name)).toEqual(
      maps.map(({ metadata }) => metadata.name),
    );
    const held = Object.assign({}, ...maps.map(({ data }) => data)) as Record<string, string>;
    const paths = Object.keys(held).map((key) => key.replaceAll("..", "/"));
    expect(paths).toEqual(
      expect.arrayContaining([
        "steps.json",
        "stages/pre_train/trainer.json",
        "trainer/cdr_trainer/node.py",
        "kubernetes/node.sh",
      ]),
    );
    for (const [key, text] of Object.entries(held)) expect(text).toBe(files.get(key.replaceAll("..", "/")));
    for (const map of maps) expect(Buffer.byteLength(JSON.stringify(map))).toBeLessThan(256 * 1024);
  });
});

it("makes of an Indexed Job a group that meets at its first pod", () => {
  const files = lowered("controller = job(retries = 2)");
  const [service, job] = objects(files, "pre-train");
  expect(service).toMatchObject({ kind: "Service", spec: { clusterIP: "None", publishNotReadyAddresses: true } });
  expect(job.spec).toMatchObject({ completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimit: 4 });
  const pod = job.spec.template;
  expect(pod.spec.subdomain).toBe(service.metadata.name);
  expect(pod.metadata.labels).toMatchObject(service.spec.selector);
  expect(pod.spec.containers[0].env).toEqual(
    expect.arrayContaining([
      { name: "CDR_RANK_IN", value: "JOB_COMPLETION_INDEX" },
      { name: "CDR_HEAD", value: "pre-train-0.pre-train:29500" },
    ]),
  );
  // The step that prepares is one process.
  expect((load(files.get("kubernetes/web.yaml") ?? "") as { spec: object }).spec).not.toHaveProperty("completions");
});

it("makes of a Volcano Job a gang in its queue", () => {
  const [job] = objects(lowered('controller = volcano(queue = "lm", retries = 2), spot = workers'), "pre-train");
  expect(job.spec).toMatchObject({ queue: "lm", minAvailable: 2, maxRetry: 3, plugins: { env: [] } });
  const [master, worker] = job.spec.tasks;
  const spotOf = (task: { template: { spec: { tolerations: { key: string }[] } } }): boolean =>
    task.template.spec.tolerations.some(({ key }) => key.includes("spot"));
  expect([spotOf(master), spotOf(worker)]).toEqual([false, true]);
  expect(worker.template.spec.containers[0].env).toContainEqual({ name: "CDR_RANK_FROM", value: "1" });
});

it("leaves out what a release does not have yet", () => {
  const policyOf = (version: string): unknown =>
    objects(lowered(`version = "${version}", controller = job`), "pre-train")[1].spec.podFailurePolicy;
  expect([policyOf("1.25"), policyOf("1.26")].map((policy) => policy === undefined)).toEqual([true, false]);
});

it("is compiled, and refused by a run", () => {
  const { unexecuted } = compile({ path: "main.cdr", text: file("controller = job") }, alone);
  expect(unexecuted.of([]).map(({ code }) => code)).toEqual(["cdr/run-compiled-only"]);
});
