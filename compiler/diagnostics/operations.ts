/** Diagnostics about everything around training: artefacts that must agree, workflows, restarts, packages, security. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const modelTokenizer = define<{ stage: string; data: string; model: string; tokenizer: string }>({
  code: "cdr/model-tokenizer",
  severity: "error",
  message: ({ stage, data, model, tokenizer }) =>
    `\`${stage}\` trains \`${model}\`, which uses tokenizer \`${tokenizer}\`, on \`${data}\`, which uses another`,
  explanation: `A token is a number, and a model learns what each number means. In data of another tokenizer the same numbers mean
other texts, and no error shows it.`,
  fix: "Write `tokenizer = model.tokenizer` in the data, or name one `tokenizer` block in both.",
});

export const evalTokenizer = define<{ evaluation: string; data: string; stage: string }>({
  code: "cdr/eval-tokenizer",
  severity: "error",
  message: ({ evaluation, data, stage }) =>
    `\`${evaluation}\` measures \`${stage}\` on \`${data}\`, which uses another tokenizer than its training data`,
  explanation:
    "A token is a number whose meaning depends on the tokenizer. A loss on tokens of another tokenizer is meaningless.",
  fix: "Evaluate on data with the same tokenizer: declare a `tokenizer` block and name it in both.",
});

export const teacherTokenizer = define<{ stage: string; teacher: string }>({
  code: "cdr/distill-tokenizer",
  severity: "error",
  message: ({ stage, teacher }) => `\`${stage}\` learns from \`${teacher}\`, which uses another tokenizer`,
  explanation:
    "Distillation compares the predictions of teacher and student for the next token, id by id. With another tokenizer, the same ids mean other tokens.",
  fix: "Train both on data with the same tokenizer: declare a `tokenizer` block and name it in both.",
});

export const pathCase = define<{ path: string; other: string }>({
  code: "cdr/path-case",
  severity: "warning",
  message: ({ path, other }) => `"${path}" and "${other}" differ only in case, but stores are case-sensitive`,
  explanation:
    "Object stores and most file systems are case-sensitive: a file written to one path is not found at the other, and a resumed run starts from scratch.",
  fix: 'Write the path once, in a `store` or a `let`, and use its name: `let kept = bucket / "checkpoints"`.',
});

export const dataRepeated = define<{ stage: string; needed: string; data: string; held: string; passes: number }>({
  code: "cdr/data-repeated",
  severity: "warning",
  message: ({ stage, needed, data, held, passes }) =>
    `\`${stage}\` reads ${needed} of \`${data}\`, which holds ${held}: ${passes} epochs, which the file does not allow explicitly`,
  explanation: `Repeated text teaches less each time: up to four epochs almost as much as new text, after about forty nothing
(Muennighoff et al. 2023, arXiv 2305.16264). So more than one epoch must be allowed explicitly: by \`epochs <= n\` in the data or the source, or by a
\`length\` in epochs.`,
  fix: "Allow it, by `epochs <= n` in the data or its source or by a `length` in epochs; or train for less, or add text.",
});

export const dataExhausted = define<{
  stage: string;
  needed: string;
  data: string;
  held: string;
  passes: number;
  most: number;
}>({
  code: "cdr/data-exhausted",
  severity: "error",
  message: ({ stage, needed, data, held, passes, most }) =>
    `\`${stage}\` reads ${needed} of \`${data}\`, which holds ${held}: ${passes} passes, but ${most} are allowed`,
  explanation: `\`epochs <= n\` limits how often text is repeated. Text that a split holds out is not trained on.`,
  fix: "Train for less, add text, give the source a smaller `weight`, or allow more passes: `epochs <= n`.",
});

export const boundBroken = define<{ condition: string; value: string }>({
  code: "cdr/bound-broken",
  severity: "error",
  message: ({ condition, value }) => `\`${condition}\` is required, but the value is ${value}`,
  explanation: `A bound is a requirement on the machines: \`node { ram >= 256 GB }\`, \`network >= 100 Gbps\`, \`nodes in 2..4\`. If a
cluster, or the one it extends, gives the value, it must satisfy the bound. If not, the plan assumes the least that the bound allows;
the number of nodes within a range is chosen (\`prefer\`).`,
  fix: "Use machines that satisfy it, or relax the bound.",
});

export const boundsContradict = define<{ condition: string; others: readonly string[] }>({
  code: "cdr/bounds-contradict",
  severity: "error",
  message: ({ condition, others }) =>
    others.length === 0
      ? `\`${condition}\` is an empty range: it ends before it begins`
      : `\`${condition}\` and ${others.map((other) => `\`${other}\``).join(", ")} exclude each other`,
  explanation: `Bounds accumulate: those of a block, of the block that it extends, of presets and overlays apply together.`,
  fix: "Remove one of them, or widen it until they overlap.",
});

export const preferIdle = define<{ prefer: string; nodes: number }>({
  code: "cdr/prefer-idle",
  severity: "warning",
  message: ({ prefer, nodes }) =>
    `\`prefer = ${prefer}\` has no effect: the cluster always has ${nodes} node${nodes === 1 ? "" : "s"}`,
  explanation: `\`prefer\` chooses the number of nodes if \`nodes\` leaves it open. With a fixed number there is no choice.`,
  fix: "Leave the number open, `nodes in 2..16`, or remove `prefer`.",
});

export const nodesLong = define<{ first: number; to: number; last: number }>({
  code: "cdr/nodes-long",
  severity: "warning",
  message: ({ first, to, last }) => `of ${first}..${last} nodes only ${first}..${to} are tried`,
  explanation: `If \`nodes\` leaves the number open, a plan is made for each number, up to 4,096 of them.`,
  fix: "Shorten the range, or list the available numbers: `nodes in [512, 1024, 8192]`.",
});

export const costUnknown = define<{ condition: string; cluster: string }>({
  code: "cdr/cost-unknown",
  severity: "warning",
  message: ({ condition, cluster }) =>
    `it is unknown whether \`${condition}\` holds: cluster ${cluster} has no \`price\``,
  explanation: `The cost of a run is its device-hours times the price of a device.`,
  fix: "Write the price of a device in the cluster: `price = 2.10 usd/gpu/h`.",
});

export const energyUnknown = define<{ condition: string; cluster: string }>({
  code: "cdr/energy-unknown",
  severity: "warning",
  message: ({ condition, cluster }) =>
    `it is unknown whether \`${condition}\` holds: the device of cluster ${cluster} has no \`power\``,
  explanation: `The upper limit of a run's energy is its device-hours times the rated power of a device, times 1.82 for the rest of the node
(as in a DGX H100).`,
  fix: "Write the figure of the data sheet in the device's block: `gpu mine { power = 700 W }`.",
});

export const evalNothing = define<{ data: string; split?: string }>({
  code: "cdr/eval-nothing",
  severity: "error",
  message: ({ data, split = "validation" }) =>
    `data \`${data}\` has no text for this evaluation: it holds out 0% for ${split}`,
  explanation: `\`eval { every = … }\` of a stage measures the loss on the validation split; an \`eval\` block measures on the split that it names.`,
  fix: "Hold out some text, `split { val = 1% }` or `split { test = 1% }`, or remove the evaluation.",
});

export const workflowTime = define<{ chain: string; sum: string; bound: string }>({
  code: "cdr/workflow-time",
  severity: "error",
  message: ({ chain, sum, bound }) => `${chain} take ${sum} one after another, but the workflow has ${bound}`,
  explanation: `Independent steps run at the same time, but a chain takes the sum of its steps.`,
  fix: "Give the workflow more time, give a step of the chain less, or remove a dependency (`after`, a reference).",
});

export const repeatDeterminism = define<{ stage: string }>({
  code: "cdr/repeat-determinism",
  severity: "error",
  message: ({ stage }) =>
    `two runs of \`${stage}\` are compared byte by byte, but its arithmetic is not deterministic`,
  explanation: `Fast kernels add numbers in an order that varies from run to run, so the last bits differ.`,
  fix: "Give the stage `determinism = bitwise`, or compare with a tolerance: `equal = close(absolute = 1e-6)`.",
});

export const restartLoses = define<{ stage: string; why: string; what: string; keepsWeights: boolean }>({
  code: "cdr/launch-restart",
  severity: "error",
  message: ({ stage, why, what, keepsWeights }) =>
    keepsWeights
      ? `\`${stage}\` ${why}, but with ${what} its optimizer, schedule and data start from scratch each time`
      : `\`${stage}\` ${why}, but with ${what} it starts from scratch each time`,
  explanation: `A restarted run must have saved its state, and must load it: \`checkpoint { every = 30 min }\` and
\`resume = exact\`. Otherwise each restart loses all work, and a run that is stopped often never ends.`,
  fix: "Add `checkpoint { every = 30 min }` and `resume = exact` to the stage.",
});

export const packagePins = define<{ pin: string; other: string }>({
  code: "cdr/python-pins",
  severity: "error",
  message: ({ pin, other }) => `"${pin}" and "${other}" cannot both be installed`,
  explanation: `An environment, and an image together with its base images, holds one version of each package.`,
  fix: "Write the version once, in the `python` block that the others extend.",
});

export const packageDemand = define<{ pin: string; takes: string; other: string }>({
  code: "cdr/python-demand",
  severity: "error",
  message: ({ pin, takes, other }) => `"${pin}" needs ${takes}, but "${other}" is installed with it`,
  explanation: `A release of vLLM, torchvision, torchaudio and xFormers was built for one release of PyTorch, and transformers trains with an
accelerate that is new enough. For other combinations pip finds no solution, or replaces a package that the image was built on.`,
  fix: "Write the version that it needs, or a release of its own that fits the other package.",
});

export const pythonRelease = define<{ torch: string; version: string; told: boolean }>({
  code: "cdr/python-release",
  severity: "error",
  message: ({ torch, version, told }) =>
    `"${torch}" was never built for Python ${version}${told ? "" : ", which is the default"}`,
  explanation: `Each release of PyTorch comes as wheels for some versions of Python: 2.5 for 3.9 to 3.13, 2.0 for 3.8 to 3.11. For
any other version pip finds no release, which shows only while the image is being built. Packages from indexes other than PyPI's and PyTorch's are not checked.`,
  fix: "Use a version of Python that `valid` lists, or another release of PyTorch.",
});

export const pythonOld = define<{ version: string; first: string }>({
  code: "cdr/python-old",
  severity: "warning",
  message: ({ version, first }) =>
    `no release of PyTorch 2 was built for Python ${version}: the first is for ${first}`,
  explanation: `Packages for training are built only for maintained versions of Python. For any other version pip finds no release, which shows
only while the image is being built.`,
  fix: "Use a version of Python that `valid` lists.",
});

export const listTwice = define<{ name: string; item: string }>({
  code: "cdr/list-twice",
  severity: "warning",
  message: ({ name, item }) => `\`${item}\` is listed twice in \`${name}\`, but counts once`,
  explanation: `Each block or word of a list counts once: a job runs once however often a workflow lists it, an overlay applies once, an eval
measures once at each time, a tracker reports once. The second mention may be a slip for another one.`,
  fix: "Remove the second one, or replace it by the one that you meant.",
});

export const placeScheme = define<{ scheme: string; name: string; where: string }>({
  code: "cdr/place-scheme",
  severity: "warning",
  message: ({ scheme, name, where }) =>
    `no program here can open \`${scheme}://\`, the scheme of \`${name}\` in ${where}`,
  explanation: `A place is a folder, an object store, a volume of a cluster or a web address; the scheme before \`://\` selects the client. With an
unknown scheme, a run fails at its first file.`,
  fix: "Write a scheme that `valid` lists, or a folder where the place is mounted.",
});

export const placeSpelling = define<{ written: string; meant: string }>({
  code: "cdr/place-spelling",
  severity: "warning",
  message: ({ written, meant }) => `\`${written}\` is written \`${meant}\``,
  explanation: `A URI has two slashes after its scheme: \`s3:/bucket\`, with one, is a folder called \`s3:\`. A repository of the Hugging Face
Hub is \`hf://owner/name\`, not the address of its page.`,
  fix: "Write the place as a URI: `s3://bucket/folder`, `hf://owner/name`.",
  fixFor: ({ meant }) => `Write \`"${meant}"\`.`,
});

export const serviceOpen = define<{ service: string; port: number; why: string }>({
  code: "cdr/service-open",
  severity: "warning",
  message: ({ service, port, why }) =>
    `anyone who reaches port ${port} can do everything that \`${service}\` can: ${why}`,
  explanation:
    "A notebook or a shell on an open port runs the commands of anyone who reaches it, with the rights of the job.",
  fix: "Declare a secret and give it to the service: `key = jupyter_token`.",
});

export const serviceIdle = define<{ service: string; why: string }>({
  code: "cdr/service-idle",
  severity: "error",
  message: ({ service, why }) => `service \`${service}\` ${why}`,
  explanation: `A service either serves a model, \`model = chat\`, with its \`engine\`, or starts a command of its own, \`command = "…"\`, which
may also read a model.`,
  fix: "Write `model = …` to serve a model, or `command = …` for anything else.",
});

export const adaptersMissing = define<{ what: string; stage: string }>({
  code: "cdr/adapters-missing",
  severity: "error",
  message: ({ what, stage }) => `${what} has no effect: neither stage \`${stage}\` nor its model has adapters`,
  explanation: `Adapters are small matrices beside the weights (\`adapters = lora(…)\`). Merging adds them to the weights, so that the exported
model is complete. A stage without adapters trains the weights themselves.`,
  fix: "Remove it, or give the stage `adapters = lora(…)`.",
});

export const imageRoot = define<{ image: string }>({
  code: "cdr/image-root",
  severity: "error",
  message: ({ image }) => `processes of image \`${image}\` would run as root`,
  explanation: `An attacker who breaks out of a process of root is root on the node. Images have a user of their own, \`app\` by default.`,
  fix: "Remove `user`, which is `app` by default; or name an unprivileged user.",
});

export const imageUnscanned = define<{ push: string; scan: string }>({
  code: "cdr/image-unscanned",
  severity: "warning",
  message: ({ push, scan }) => `\`${push}\` comes before \`${scan}\`: the image is published before it is scanned`,
  explanation: `A vulnerability that is found after the push is found too late: the image may already be in use. An \`image\` block with
\`scan = trivy(fail = high)\` and \`to\` is scanned between building and pushing.`,
  fix: "Scan before the push, or let an `image` block with `scan` and `to` do both.",
});

export const imageFloating = define<{ image: string }>({
  code: "cdr/image-floating",
  severity: "warning",
  message: ({ image }) => `"${image}" is not pinned: each push changes the image`,
  explanation: `A reference without a version, or with \`latest\`, means the last pushed image, so two runs of the same file can differ.`,
  fix: "Name a version or a digest (`name@sha256:…`), or refer to an `image` block, which is pinned by its digest.",
});

export const modelRemoteCode = define<{ model: string; from: string }>({
  code: "cdr/model-remote-code",
  severity: "warning",
  message: ({ model, from }) => `\`${model}\` runs the current Python code of "${from}", since no commit is pinned`,
  explanation: `\`remote_code = true\` runs programs that come with the weights, with your permissions.`,
  fix: 'Pin the commit that you reviewed: `from = "hf://owner/name@<40 hexadecimal digits>"`.',
});

export const launchIdle = define<{ processes: number; gpus: number }>({
  code: "cdr/launch-idle",
  severity: "warning",
  message: ({ processes, gpus }) =>
    `only ${processes} of a node's ${gpus} GPUs get a process; the others stay idle but are paid for`,
  explanation: `One process uses one GPU, so the default is one process per GPU of the node.`,
  fix: "Remove `processes`, or write how many GPUs the machine has: `node { gpus = 1 }`.",
});

export const launchNodes = define<{ cluster: string; nodes: number; reaches: string }>({
  code: "cdr/launch-nodes",
  severity: "warning",
  message: ({ cluster, nodes, reaches }) => `${reaches}, but cluster \`${cluster}\` has ${nodes} nodes`,
  explanation: `A stage that is planned for several nodes cannot start on a target that reaches fewer: a local target is only this machine,
where \`cdrc run\` refuses the stage; \`ssh(hosts = …)\` reaches the listed hosts.`,
  fix: "Choose a target that reaches all of them, `slurm(…)`, `kubernetes(…)` or `ssh(…)` with as many hosts, or a cluster with fewer nodes.",
});

export const launchChoice = define<{ first: string; valid: readonly string[] }>({
  code: "cdr/launch-choice",
  severity: "info",
  message: ({ first, valid }) =>
    `the file has ${valid.length} launches and none is chosen: the steps are planned for the first, \`${first}\``,
  explanation: `By default the first launch with \`target = local\` is used, which costs nothing to start. If a file has several launches and
none of them is local, \`cdrc check\`, \`plan\` and \`compile\` use the first one; \`cdrc run\` starts nothing until you choose one.`,
  fix: "Choose one: `--on NAME`, or `--target slurm` for the first with that target; or declare a default, `launch here { target = local }`.",
  fixFor: ({ valid }) => `Choose one: ${valid.map((name) => `\`--on ${name}\``).join(" or ")}.`,
});

export const clusterIdle = define<Record<string, never>>({
  code: "cdr/cluster-idle",
  severity: "info",
  message: () => "no launch uses this cluster: the stages are planned for one process on this machine",
  explanation: `A cluster describes machines; a launch makes the stages run there. A file with a launch is planned for its cluster, a file
without one for this machine.`,
  fix: "Add a launch: `launch hpc on pod { target = slurm() }`, with this cluster's name instead of `pod`.",
});

export const modelShares = define<{ sum: number }>({
  code: "cdr/model-shares",
  severity: "error",
  message: ({ sum }) => `the shares of the kinds of layers sum to ${sum}%, not to 100%`,
  explanation: `\`stack(rwkv = 75%, attention = 25%)\` gives each kind its share of the layers, one kind after another. The shares must
cover all layers exactly.`,
  fix: "Write shares that sum to 100%.",
});

export const modelPattern = define<{ layers: number; listed: number; kinds: string }>({
  code: "cdr/model-pattern",
  severity: "error",
  message: ({ layers, listed, kinds }) => `layers = ${layers}, but the pattern lists ${listed} (${kinds})`,
  explanation: `A pattern has one letter for each layer. A layer of a paper may be two layers here: attention or a
Mamba-2 part is one, the feed-forward part after it another.`,
  fix: "Remove `layers`, which then follows from the pattern; or write a pattern with one letter for each layer.",
});
