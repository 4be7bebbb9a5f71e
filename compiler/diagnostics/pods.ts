/** Diagnostics about what Kubernetes refuses of a launch. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const podImage = define<{ launch: string }>({
  code: "cdr/pod-image",
  severity: "error",
  message: ({ launch }) => `launch ${launch} names no image: Kubernetes runs everything in containers`,
  explanation: `A pod's container is made from an image, with a tag or a digest: \`image = "ghcr.io/lab/trainer:1.4"\`. Its working directory is
the folder that relative paths of the file refer to.`,
  fix: 'Add `image = "registry/name:tag"` to the launch.',
});

export const podName = define<{ what: string; name: string; why: string }>({
  code: "cdr/pod-name",
  severity: "error",
  message: ({ what, name, why }) => `${what} would be called "${name}" in Kubernetes, ${why}`,
  explanation: `Objects are named after their steps, in lower case and with \`-\` for \`_\`. A pod's name is that of its object and a suffix, such
as \`-worker-6\`, and has 63 characters at most; two steps must not get the same name. Queues, priority classes and claims are names of
lower-case letters, digits and \`-\`, with single dots between them.`,
  fix: "Rename the step, or write the name that `kubectl get` lists.",
});

export const podMount = define<{ name: string; why: string }>({
  code: "cdr/pod-mount",
  severity: "error",
  message: ({ name, why }) => `\`${name}\` cannot be mounted in a pod: ${why}`,
  explanation: `A store appears in each pod at its \`mount\`, a whole path of its own:

    store corpora { at = "pvc://training-data", mount = "/data" }

\`pvc://CLAIM\` is a claim on storage of the namespace, \`pvc://CLAIM/folder\` a folder in it; \`nfs://server/path\` an NFS export; \`tmp://name\`
an empty folder that goes with its pod; \`file:///path\`, or a path instead of a store, a folder of the machine. An object store is checked, but not compiled into
a manifest yet.`,
  fix: 'Write a store with `at = "pvc://…"` and `mount = "/…"`, or take it out of `mounts`.',
});

export const podStorage = define<{ stage: string; root: string; nodes: number }>({
  code: "cdr/pod-storage",
  severity: "warning",
  message: ({ stage, root, nodes }) =>
    nodes > 1
      ? `stage ${stage} saves to ${root}, in no mount: each of ${nodes} pods has a folder of its own there, and loses it when it ends`
      : `stage ${stage} saves to ${root}, in no mount: what it saves is lost with its pod`,
  explanation: `Checkpoints, logs and prepared data are read by other pods: by the other nodes of the stage, by the same stage after a restart,
and by the steps after it. They have to be in storage that all of them mount.`,
  fix: "Mount a store, `mounts = [work]`, and save in it: `checkpoint { to = work }`.",
});

export const podResources = define<{ property: string; asked: string; why: string }>({
  code: "cdr/pod-resources",
  severity: "error",
  message: ({ property, asked, why }) => `${property} = ${asked} ${why}`,
  explanation: `A pod that asks for more than any node has is never started. Shared memory (\`shm\`) counts as the pod's memory.`,
  fix: "Ask for less, or correct the node of the cluster: `node { cpu = …, ram = … }`.",
});

export const podTime = define<{ stage: string; estimate: string; limit: string }>({
  code: "cdr/pod-time",
  severity: "warning",
  message: ({ stage, estimate, limit }) => `stage ${stage} takes about ${estimate}, but its job ends after ${limit}`,
  explanation: `\`time\` limits a job with all its restarts: Kubernetes ends its pods then, and starts them no more.`,
  fix: "Write a longer `time`, or none.",
});

export const podMemory = define<{ stage: string; asked: string; need: string }>({
  code: "cdr/pod-memory",
  severity: "error",
  message: ({ stage, asked, need }) =>
    `\`memory\` gives a pod ${asked}, but the processes of stage ${stage} take about ${need} of it`,
  explanation: `Kubernetes ends a container that takes more memory than its limit. Each process takes a few GiB even without a model, and what is
offloaded comes on top.`,
  fix: "Ask for more, or leave `memory` out, which sets no limit.",
});

export const podSecret = define<{ name: string; why: string }>({
  code: "cdr/pod-secret",
  severity: "error",
  message: ({ name, why }) => `${name} cannot be given to a pod: ${why}`,
  explanation: `A pod takes a secret from a Secret of its namespace: \`secret token = kubernetes("name/key")\`, or, of \`env("NAME")\`, from the key
NAME of the Secret \`cdr-secrets\`.`,
  fix: 'Declare it as `secret token = kubernetes("name/key")`.',
});

export const podController = define<{ what: string; why: string }>({
  code: "cdr/pod-controller",
  severity: "error",
  message: ({ what, why }) => `${what} ${why}`,
  explanation: `The controllers differ: a Job starts all its pods from one template and needs Kubernetes 1.22 for several of them; Volcano has no time
limit for a job.`,
  fix: "Choose another controller, or take the option out.",
});

export const podSelector = define<{ label: string; why: string }>({
  code: "cdr/pod-selector",
  severity: "error",
  message: ({ label, why }) => `the label "${label}" is none that a node can have: ${why}`,
  explanation: `A label is \`key=value\`; its key may have a prefix, a domain and \`/\`. Key and value have at most 63 letters, digits, \`-\`, \`_\` and
\`.\`, and begin and end with a letter or digit; a value may be empty.`,
  fix: "Write a label that `kubectl get nodes --show-labels` lists.",
});

export const podFile = define<{ file: string; size: string }>({
  code: "cdr/pod-file",
  severity: "error",
  message: ({ file, size }) => `${file} has ${size}, and Kubernetes takes 1 MiB for the files of a ConfigMap`,
  explanation: `Pods get the files of a bundle from ConfigMaps. A step's configuration is that large only if the file holds a lot of text, such as
long lists of prompts.`,
  fix: 'Keep the text in a file of the image or of a mount: `prompts = file("prompts.txt")`.',
});
