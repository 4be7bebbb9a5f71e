/** Diagnostics about what surrounds training: artefacts that must agree, workflows, restarts, packages, open doors. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const modelTokenizer = define<{ stage: string; data: string; model: string; tokenizer: string }>({
  code: "cdr/model-tokenizer",
  severity: "error",
  message: ({ stage, data, model, tokenizer }) =>
    `\`${stage}\` trains \`${model}\`, whose tokens are those of \`${tokenizer}\`, on \`${data}\`, which has others`,
  explanation: `A token is a number, and a model learns what each number stands for. Data that were made with another tokenizer give
it the right numbers for the wrong texts, and nothing fails.`,
  fix: "Write `tokenizer = model.tokenizer` in the data, or name one `tokenizer` block in both.",
});

export const evalTokenizer = define<{ evaluation: string; data: string; stage: string }>({
  code: "cdr/eval-tokenizer",
  severity: "error",
  message: ({ evaluation, data, stage }) =>
    `\`${evaluation}\` measures \`${stage}\` on \`${data}\`, whose tokens are not those it was trained on`,
  explanation:
    "A token is a number, and its meaning is that of the tokenizer which made it. A loss on tokens that mean something else says nothing.",
  fix: "Measure on data with the same tokenizer: declare a `tokenizer` block and name it in both.",
});

export const teacherTokenizer = define<{ stage: string; teacher: string }>({
  code: "cdr/distill-tokenizer",
  severity: "error",
  message: ({ stage, teacher }) => `\`${stage}\` learns from \`${teacher}\`, which reads other tokens`,
  explanation:
    "Distillation compares what teacher and student make of the next token, id by id. A teacher with another tokenizer means other tokens by the same ids.",
  fix: "Train both on data with the same tokenizer: declare a `tokenizer` block and name it in both.",
});

export const pathCase = define<{ path: string; other: string }>({
  code: "cdr/path-case",
  severity: "warning",
  message: ({ path, other }) => `"${path}" and "${other}" differ in capitals alone, and stores tell them apart`,
  explanation:
    "Object stores and most file systems tell capitals apart: what is written to one path is not found at the other, and a resume starts anew.",
  fix: 'Say the place once, in a `store` or a `let`, and name it: `let kept = bucket / "checkpoints"`.',
});

export const dataRepeated = define<{ stage: string; needed: string; data: string; held: string; passes: number }>({
  code: "cdr/data-repeated",
  severity: "warning",
  message: ({ stage, needed, data, held, passes }) =>
    `\`${stage}\` reads ${needed} of \`${data}\`, which holds ${held}: ${passes} epochs, and nothing says that it may`,
  explanation: `Text that is read again teaches less each time: up to four epochs almost as much as new text, after some forty nothing
(Muennighoff et al. 2023, arXiv 2305.16264). Where that is meant, say how often it may be read: \`epochs <= n\` in the data or the source, or a \`length\` in epochs. Otherwise
train for less or bring more text.`,
  fix: "Say how often it may be read, `epochs <= n` in the data or its source or a `length` in epochs; or train for less, or bring more text.",
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
    `\`${stage}\` reads ${needed} of \`${data}\`, which holds ${held}: ${passes} passes, where ${most} are allowed`,
  explanation: `\`epochs <= n\` says how often text may come again. What a split holds out is not trained on.`,
  fix: "Train for less, bring more text, give the source a smaller `weight`, or allow more passes: `epochs <= n`.",
});

export const boundBroken = define<{ condition: string; value: string }>({
  code: "cdr/bound-broken",
  severity: "error",
  message: ({ condition, value }) => `\`${condition}\` is asked for, and it is ${value}`,
  explanation: `A bound says what must hold of the machines: \`node { ram >= 256 GB }\`, \`network >= 100 Gbps\`, \`nodes in 2..4\`. Where a
cluster, or the one it extends, says what it has, the two must agree. Where nothing says it, the least that the bound allows is planned
with; how many nodes there are within a range is chosen (\`prefer\`).`,
  fix: "Take machines that have it, or ask for less.",
});

export const boundsContradict = define<{ condition: string; others: readonly string[] }>({
  code: "cdr/bounds-contradict",
  severity: "error",
  message: ({ condition, others }) =>
    others.length === 0
      ? `\`${condition}\` leaves no value: it ends before it begins`
      : `\`${condition}\` and ${others.map((other) => `\`${other}\``).join(", ")} leave no value`,
  explanation: `Bounds accumulate: those of a block, of what it extends, of presets and overlays all hold at once.`,
  fix: "Take one of them back, or widen it until they meet.",
});

export const preferIdle = define<{ prefer: string; nodes: number }>({
  code: "cdr/prefer-idle",
  severity: "warning",
  message: ({ prefer, nodes }) =>
    `\`prefer = ${prefer}\` decides nothing: the cluster has ${nodes} node${nodes === 1 ? "" : "s"} in any case`,
  explanation: `\`prefer\` says which number of nodes is taken where \`nodes\` leaves it open. With one number there is nothing to choose.`,
  fix: "Leave the number open, `nodes in 2..16`, or take `prefer` out.",
});

export const nodesLong = define<{ first: number; to: number; last: number }>({
  code: "cdr/nodes-long",
  severity: "warning",
  message: ({ first, to, last }) =>
    `of ${first}..${last} nodes ${first}..${to} are looked at: the others are never taken`,
  explanation: `Where \`nodes\` leaves their number open, a plan is made for each number, up to 4,096 of them.`,
  fix: "Take a range that is no longer, or name the numbers that can be had: `nodes in [512, 1024, 8192]`.",
});

export const costUnknown = define<{ condition: string; cluster: string }>({
  code: "cdr/cost-unknown",
  severity: "warning",
  message: ({ condition, cluster }) =>
    `it is unknown whether \`${condition}\` holds: cluster ${cluster} has no \`price\``,
  explanation: `What a run costs is its device-hours times the price of a device.`,
  fix: "Write what a device costs in the cluster: `price = 2.10 usd/gpu/h`.",
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
    `there is nothing to measure on: data \`${data}\` holds out 0% for ${split}`,
  explanation: `\`eval { every = … }\` of a stage measures the loss on the validation split; an \`eval\` block measures what it names.`,
  fix: "Hold some text out, `split { val = 1% }` or `split { test = 1% }`, or remove the evaluation.",
});

export const workflowTime = define<{ chain: string; sum: string; bound: string }>({
  code: "cdr/workflow-time",
  severity: "error",
  message: ({ chain, sum, bound }) => `${chain}: ${sum} one after another, where the workflow has ${bound}`,
  explanation: `Steps that wait for nothing run at once, but a chain takes as long as its steps together.`,
  fix: "Give the workflow more time, give a step of the chain less, or take away what makes one wait for the other (`after`, a reference).",
});

export const repeatDeterminism = define<{ stage: string }>({
  code: "cdr/repeat-determinism",
  severity: "error",
  message: ({ stage }) =>
    `two runs of \`${stage}\` are compared byte by byte, and nothing makes its arithmetic repeat`,
  explanation: `Fast kernels add numbers in an order that changes from run to run, so the last bits differ.`,
  fix: "Give the stage `determinism = bitwise`, or compare with a tolerance: `equal = close(absolute = 1e-6)`.",
});

export const restartLoses = define<{ stage: string; why: string; what: string; keepsWeights: boolean }>({
  code: "cdr/launch-restart",
  severity: "error",
  message: ({ stage, why, what, keepsWeights }) =>
    keepsWeights
      ? `\`${stage}\` ${why}, and with ${what} its optimizer, its schedule and its data begin anew each time`
      : `\`${stage}\` ${why}, and with ${what} it begins anew each time`,
  explanation: `A run that is stopped and started again must find what it had saved, and read it: \`checkpoint { every = 30 min }\` and
\`resume = exact\`. Otherwise each restart throws the work away, and a run that is stopped often never ends.`,
  fix: "Add `checkpoint { every = 30 min }` and `resume = exact` to the stage.",
});

export const packagePins = define<{ pin: string; other: string }>({
  code: "cdr/python-pins",
  severity: "error",
  message: ({ pin, other }) => `"${pin}" and "${other}" cannot both be there`,
  explanation: `One environment, and an image with the images it is built on, holds one version of a package.`,
  fix: "Say the version once, in the `python` block that the others extend.",
});

export const packageDemand = define<{ pin: string; takes: string; other: string }>({
  code: "cdr/python-demand",
  severity: "error",
  message: ({ pin, takes, other }) => `"${pin}" needs ${takes}, but "${other}" is installed with it`,
  explanation: `A release of vLLM, torchvision, torchaudio and xFormers was built for one release of PyTorch, and transformers trains with an
accelerate that is new enough. For other combinations pip finds no solution, or replaces a package that the image was built on.`,
  fix: "Write the version that it takes, or one of its own releases that goes with the other.",
});

export const pythonRelease = define<{ torch: string; version: string; told: boolean }>({
  code: "cdr/python-release",
  severity: "error",
  message: ({ torch, version, told }) =>
    `"${torch}" was never built for Python ${version}${told ? "" : ", which is the default"}`,
  explanation: `Each release of PyTorch comes as wheels for some versions of Python: 2.5 for 3.9 to 3.13, 2.0 for 3.8 to 3.11. For
any other version pip finds no release, which shows only while the image is being built. Packages from indexes other than PyPI's and PyTorch's are not checked.`,
  fix: "Take a version of Python that `valid` lists, or another release of PyTorch.",
});

export const pythonOld = define<{ version: string; first: string }>({
  code: "cdr/python-old",
  severity: "warning",
  message: ({ version, first }) =>
    `no release of PyTorch 2 was built for Python ${version}: the first is for ${first}`,
  explanation: `An environment is what images, jobs and builds run with. Packages for training are built for the versions of Python that are kept up, and pip finds
no release of them for any other: it says so after the image was begun.`,
  fix: "Take a version of Python that `valid` lists.",
});

export const listTwice = define<{ name: string; item: string }>({
  code: "cdr/list-twice",
  severity: "warning",
  message: ({ name, item }) => `\`${item}\` stands twice in \`${name}\`, and is taken once`,
  explanation: `A list of blocks or words says which of them are meant: a job is run once however often a workflow names it, an overlay is laid once, an
eval measures once at each time, a tracker is told once. Of a second mention another one may have been meant.`,
  fix: "Leave out the second one, or write the one that was meant.",
});

export const placeScheme = define<{ scheme: string; name: string; where: string }>({
  code: "cdr/place-scheme",
  severity: "warning",
  message: ({ scheme, name, where }) =>
    `nothing that runs here opens \`${scheme}://\`, with which \`${name}\` of ${where} begins`,
  explanation: `A place is a folder, an object store, a volume of a cluster or something that is read over the web: clients of those know it by what
stands before \`://\`. With another word no program finds the place, which a run would say at its first file.`,
  fix: "Name the place by a scheme that `valid` lists, or a folder where it is mounted.",
});

export const placeSpelling = define<{ written: string; meant: string }>({
  code: "cdr/place-spelling",
  severity: "warning",
  message: ({ written, meant }) => `\`${written}\` is written \`${meant}\``,
  explanation: `A URI has two slashes behind its scheme: with one of them, \`s3:/bucket\` is a folder that is called \`s3:\`. A repository of the Hugging Face
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
    "A notebook or a shell behind an open port runs the commands of anybody who reaches it, with the rights of the job.",
  fix: "Declare a secret and give it to the service: `key = jupyter_token`.",
});

export const serviceIdle = define<{ service: string; why: string }>({
  code: "cdr/service-idle",
  severity: "error",
  message: ({ service, why }) => `service \`${service}\` ${why}`,
  explanation: `A service answers with a model, \`model = chat\`, which \`engine\` serves, or it starts a command of its own, \`command = "…"\`, which
may read a model too.`,
  fix: "Write `model = …` for an API of a model, or `command = …` for anything else.",
});

export const adaptersMissing = define<{ what: string; stage: string }>({
  code: "cdr/adapters-missing",
  severity: "error",
  message: ({ what, stage }) => `${what} adds nothing: neither stage \`${stage}\` nor its model has adapters`,
  explanation: `Adapters are small matrices beside the weights (\`adapters = lora(…)\`). Merging adds them to the weights, so that what is exported
needs nothing else. A stage without adapters trains the weights themselves.`,
  fix: "Leave it out, or give the stage `adapters = lora(…)`.",
});

export const imageRoot = define<{ image: string }>({
  code: "cdr/image-root",
  severity: "error",
  message: ({ image }) => `processes of image \`${image}\` would be root`,
  explanation: `What breaks out of a process of root is root on the node. Images have a user of their own, \`app\` where none is named.`,
  fix: "Leave `user` out, and it is `app`; or name a user without rights.",
});

export const imageUnscanned = define<{ push: string; scan: string }>({
  code: "cdr/image-unscanned",
  severity: "warning",
  message: ({ push, scan }) =>
    `\`${push}\` comes before \`${scan}\`: others have the image before its holes are known`,
  explanation: `What is found in an image after it was pushed is found too late: it is already pulled and run. An \`image\` block with
\`scan = trivy(fail = high)\` and \`to\` is scanned between building and pushing.`,
  fix: "Scan first and push after it, or let an `image` block with `scan` and `to` do both.",
});

export const imageFloating = define<{ image: string }>({
  code: "cdr/image-floating",
  severity: "warning",
  message: ({ image }) => `"${image}" names another image whenever somebody pushes`,
  explanation: `A reference without a version, or with \`latest\`, is whatever was pushed last, so that two runs of one file differ.`,
  fix: "Name a version or a digest (`name@sha256:…`), or refer to an `image` block, which goes by its digest.",
});

export const modelRemoteCode = define<{ model: string; from: string }>({
  code: "cdr/model-remote-code",
  severity: "warning",
  message: ({ model, from }) => `\`${model}\` runs Python of "${from}" as it is on the day: no commit is named`,
  explanation: `\`remote_code = true\` runs programs that come with the weights, with your rights.`,
  fix: 'Name the commit that was looked at: `from = "hf://owner/name@<40 hexadecimal digits>"`.',
});

export const launchIdle = define<{ processes: number; gpus: number }>({
  code: "cdr/launch-idle",
  severity: "warning",
  message: ({ processes, gpus }) =>
    `${processes} of a node's ${gpus} GPUs get a process; the others stay idle and are paid for`,
  explanation: `One process drives one GPU, so the default is one process per GPU of the node.`,
  fix: "Leave `processes` out, or say how many GPUs the machine has: `node { gpus = 1 }`.",
});

export const launchNodes = define<{ cluster: string; nodes: number; reaches: string }>({
  code: "cdr/launch-nodes",
  severity: "warning",
  message: ({ cluster, nodes, reaches }) => `${reaches}, and cluster \`${cluster}\` has ${nodes} nodes`,
  explanation: `A stage that is planned for several nodes cannot start where the target reaches fewer: a local one is the machine that
reads the file, where \`cdrc run\` refuses it; \`ssh(hosts = …)\` is the hosts that it lists.`,
  fix: "Choose a target that reaches all of them, `slurm(…)`, `kubernetes(…)` or `ssh(…)` with as many hosts, or a cluster of fewer nodes.",
});

export const launchChoice = define<{ first: string; valid: readonly string[] }>({
  code: "cdr/launch-choice",
  severity: "info",
  message: ({ first, valid }) =>
    `nothing says which of ${valid.length} launches is meant, and the steps are planned for the first, \`${first}\``,
  explanation: `Without a word the first launch with \`target = local\` is taken, which costs nothing to start. Where a file has several and
none of them is local, \`cdrc check\`, \`plan\` and \`compile\` take the first that is written and say so; \`cdrc run\` starts none until one is named.`,
  fix: "Name one: `--on NAME`, or `--target slurm` for the first with that target; or declare the usual place, `launch here { target = local }`.",
  fixFor: ({ valid }) => `Name one: ${valid.map((name) => `\`--on ${name}\``).join(" or ")}.`,
});

export const clusterIdle = define<Record<string, never>>({
  code: "cdr/cluster-idle",
  severity: "info",
  message: () => "no launch places anything on this cluster: the stages are planned for one process of this machine",
  explanation: `A cluster says what machines are; a launch says that the stages run there. A file with one launch is planned for its cluster,
a file with none for the machine that reads it.`,
  fix: "Add a launch: `launch hpc on pod { target = slurm() }`, with this cluster's name instead of `pod`.",
});

export const modelShares = define<{ sum: number }>({
  code: "cdr/model-shares",
  severity: "error",
  message: ({ sum }) => `the kinds of layers are shares and sum to ${sum}%, not to 100%`,
  explanation: `\`stack(rwkv = 75%, attention = 25%)\` gives each kind its share of the layers, one kind after another. What is more than all
of them would be lost, and what is missing would be given to a kind that did not ask for it.`,
  fix: "Write shares that sum to 100%.",
});

export const modelPattern = define<{ layers: number; listed: number; kinds: string }>({
  code: "cdr/model-pattern",
  severity: "error",
  message: ({ layers, listed, kinds }) => `layers = ${layers}, and the pattern lists ${listed} (${kinds})`,
  explanation: `A pattern has one letter for each layer, and what other papers count as one layer may be two here: attention or a
Mamba-2 part is one, the feed-forward part that follows it another.`,
  fix: "Leave `layers` out, and it follows from the pattern; or write a pattern with one letter for each layer.",
});
