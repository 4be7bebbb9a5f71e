/** Diagnostics about how blocks fit together. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";
import { article } from "../../dsl/diagnostics/article.ts";

export const noSource = define<{ name: string }>({
  code: "cdr/data-source",
  severity: "error",
  message: ({ name }) => `data \`${name}\` has no text: give it \`from = …\`, or \`source\` blocks`,
  explanation: `One source is \`from = "corpus/**/*.md"\`; a mixture has blocks: \`source web { from = …, weight = 80% }\`.`,
  fix: 'Write `from = "corpus/**/*.md"`, or `source` blocks for a mixture.',
});

export const bothSources = define<{ name: string }>({
  code: "cdr/data-sources-twice",
  severity: "error",
  message: ({ name }) => `data \`${name}\` has both \`from\` and \`source\` blocks`,
  explanation: `Each fact is written once: with both, it would be unclear which of them the text comes from.`,
  fix: "Move the value of `from` into a `source` block.",
});

export const weights = define<{ sum: string }>({
  code: "cdr/data-weights",
  severity: "error",
  message: ({ sum }) => `the weights of the sources sum to ${sum}, not to 100%`,
  explanation: `Weights are either all shares (\`%\`) that sum to 100 %, or all plain numbers, which count as parts.`,
  fix: "Change the shares until they sum to 100%, or write plain numbers, which count as parts.",
});

export const mixedWeights = define<{ source: string; isShare: boolean; isWritten: boolean }>({
  code: "cdr/data-weights-mixed",
  severity: "error",
  message: ({ source, isShare, isWritten }) =>
    `${isWritten ? `the weight of \`${source}\` is a ${isShare ? "share (%)" : "part"}` : `\`${source}\` has no weight, which means one part`}, but others are ${isShare ? "parts" : "shares (%)"}`,
  explanation: `Weights are either all shares (\`%\`) that sum to 100 %, or all plain numbers, which count as parts.`,
  fix: "Write all weights with `%`, or all without.",
});

export const sequenceConflict = define<{ data: string; first: string; second: string }>({
  code: "cdr/data-sequence",
  severity: "error",
  message: ({ data, first, second }) =>
    `data \`${data}\` is packed to one length, but ${first} and ${second} need different ones`,
  explanation:
    "Samples are packed once, to the data's `sequence` or to the `context` of the stage that reads them, and all stages read the same file.",
  fix: "Write one length everywhere, or give a stage data of its own: `data = corpus with { sequence = 512 tokens }`.",
});

export const stepCycle = define<{ chain: string }>({
  code: "cdr/step-cycle",
  severity: "error",
  message: ({ chain }) => `these steps wait for each other: ${chain}`,
  explanation:
    "A step runs after the steps that it refers to. In a cycle each waits for the one before, and none can start.",
  fix: "Remove one of the references, or an `after`, to break the cycle.",
});

export const unknownLaunch = define<{ name: string; near: string | null }>({
  code: "cdr/launch-unknown",
  severity: "error",
  message: ({ name, near }) =>
    `this file has no launch \`${name}\`${near === null ? "" : `; did you mean \`${near}\`?`}`,
  explanation: `\`--on NAME\` chooses a \`launch\` of the file, \`--target local|slurm\` the first launch with that target, or its defaults.`,
  fix: "Name a launch that `valid` lists, or write `--target local` for the first with that target.",
});

export const stagePlace = define<{ stage: string; asked: string; planned: string }>({
  code: "cdr/stage-place",
  severity: "warning",
  message: ({ stage, asked, planned }) =>
    `\`${stage}\` is planned on ${planned}, not on \`${asked}\`: the launch places every step of a run`,
  explanation: `A launch names the cluster that a run is planned for, and all steps run there. \`on\` in the header of a stage only states where it
belongs, which is checked against the launch; it does not move the stage, and \`cdrc run\` refuses a stage with it.`,
  fix: "Remove `on` from the stage, and run it on a launch of its own: `launch site on pod { … }`, `--on site`.",
  fixFor: ({ asked }) =>
    `Remove \`on ${asked}\`, and run the stage with \`--on\` a launch of that cluster: \`launch site on ${asked} { … }\`.`,
});

export const clusterShape = define<{ processes: string; found: string }>({
  code: "cdr/launch-processes",
  severity: "error",
  message: ({ processes, found }) => `${processes} do not fit on ${found}`,
  explanation: `\`local(processes = n)\` starts n processes on one machine; the cluster gives the number of devices of a node.`,
  fix: "Lower `processes` to the number of devices of the machine, or name a cluster with enough.",
});

export const tokenizerMismatch = define<{ stage: string; from: string }>({
  code: "cdr/stage-tokenizer",
  severity: "error",
  message: ({ stage, from }) => `\`${stage}\` continues from \`${from}\`, but its data has another tokenizer`,
  explanation: `A model identifies tokens by number, so both stages must read data made with the same tokenizer.`,
  fix: "Declare a `tokenizer` block and use it in both, or write `tokenizer = corpus.tokenizer` in the second data.",
});

export const modelMismatch = define<{ stage: string; from: string }>({
  code: "cdr/stage-model",
  severity: "error",
  message: ({ stage, from }) => `\`${stage}\` continues from \`${from}\`, but trains another model`,
  explanation: `Weights can only be loaded into the model that they come from: another one has other matrices, or matrices of other sizes. A model
whose matrices are the same, with a longer context or another rotation, takes them itself:

    model longer extends small { from = pretrain.last, context = 8Ki tokens }`,
  fix: "Give both stages the same `model`, or let a model of the same shapes take the weights: `model longer extends m { from = a.last, context = … }`.",
});

export const launchEnvValue = define<{ name: string; found: string }>({
  code: "cdr/launch-env-value",
  severity: "error",
  message: ({ name, found }) =>
    `the environment variable ${name} must be a text, a plain number, true or false, or a secret, not ${found}`,
  explanation: `An environment variable is a text. A value without a unique spelling (a number with a unit, a list, a block) must be written in the form
that its reader expects: \`TIMEOUT = "90"\`, \`HOSTS = "a,b"\`.`,
  fix: 'Write the value as a text in quotes: `TIMEOUT = "90"`, `HOSTS = "a,b"`.',
});

export const launchEnvName = define<{ name: string }>({
  code: "cdr/launch-env-name",
  severity: "error",
  message: ({ name }) => `${JSON.stringify(name)} is not the name of an environment variable`,
  explanation: `A shell can pass only variables whose names consist of letters, digits and \`_\`, and do not begin with a digit.`,
  fix: "Write a name of letters, digits and `_` that does not begin with a digit.",
});

export const launchEnvOwned = define<{ name: string; by: string }>({
  code: "cdr/launch-env-owned",
  severity: "error",
  message: ({ name, by }) => `${name} is set for each process by ${by}, from the launch's cluster`,
  explanation: `The number of processes, the rank of each and the address where they meet follow from the cluster and the target
(\`cluster pod { nodes = 2 }\`, \`local(processes = 4)\`). Another value would contradict it.`,
  fix: "Remove the variable, and change the cluster (`nodes = 2`) or the target (`local(processes = 4)`).",
});

export const calibrationBeyond = define<{ name: string; measured: string; peak: string; gpu: string }>({
  code: "cdr/calibration-beyond",
  severity: "error",
  message: ({ name, measured, peak, gpu }) =>
    `\`${name} = ${measured}\` cannot be a measurement: the data sheet of ${gpu} has ${peak} at most`,
  explanation: `A calibration holds measurements of one device, which replace the planner's own figures. No product is faster
than the peak of the data sheet, except for clocks up to a tenth above it: a higher figure is that of a whole node, or in another unit.`,
  fix: "Measure it with `cdrc calibrate`, write the figure of one device, or correct the peak of the `gpu`.",
});

export const figureUnlikely = define<{ name: string; found: string; least: string; most: string }>({
  code: "cdr/figure-unlikely",
  severity: "warning",
  message: ({ name, found, least, most }) => `\`${name}\` is ${found}, but known machines have ${least} to ${most}`,
  explanation: `The figures of a device, and of what connects devices, decide the layout and every estimate. One that is many times beyond
all known machines was usually written in another unit (GB/s for TB/s, PFLOPS for TFLOPS) or is that of a whole node.`,
  fix: "Write the figure of one device as its data sheet has it, with the data sheet's unit.",
});

export const launchDevices = define<{
  name: string;
  written: string;
  shown: number;
  processes: number;
  cluster: string;
}>({
  code: "cdr/launch-devices",
  severity: "error",
  message: ({ name, written, shown, processes, cluster }) =>
    `${name} = "${written}" makes ${shown === 1 ? "one device" : `${shown} devices`} of a node visible, but \`${cluster}\` starts ${processes} processes there`,
  explanation: `Each process of a node uses the visible device of its own number. With fewer visible devices than processes, the first
process without a device ends the run.`,
  fix: "Remove the variable, list as many devices as processes, or start fewer: `local(processes = 1)`, `node { gpus = 1 }`.",
});

export const checkpointMetric = define<{ written: string }>({
  code: "cdr/checkpoint-metric",
  severity: "error",
  message: ({ written }) => `checkpoints cannot be compared by \`${written}\``,
  explanation: `Each checkpoint records the last measured loss on the validation split, \`val.loss\`. The best
checkpoint is the one with the lowest; other measures are not supported yet.`,
  fix: "Write `best(val.loss)`, or `last`.",
});

export const bestUnmeasured = define<{ stage: string; what: string }>({
  code: "cdr/checkpoint-unmeasured",
  severity: "error",
  message: ({ stage, what }) =>
    `\`${what}\` needs the validation loss, but stage \`${stage}\` never measures it: add \`eval { every = … }\` to it`,
  explanation: `The best checkpoint is the one with the lowest loss on the validation split. A stage measures that loss only if it has an
\`eval\` block. Without one, use the \`last\` checkpoint, or rank runs by the training loss, which every stage measures: \`min(loss)\`.`,
  fix: "Add `eval { every = 500 steps }` to the stage, or use the `last` checkpoint.",
});

export const rawUnknown = define<{ name: string; block: string }>({
  code: "cdr/raw-unknown",
  severity: "error",
  message: ({ name, block }) => `${article(block)} has no \`raw ${name}\``,
  explanation: `A stage may have \`raw deepspeed { … }\`, merged into the configuration of that engine; a launch may have \`raw sbatch { … }\` with
further options for the scheduler. A block that nothing reads would have no effect, so it is an error.`,
  fix: "Write `raw deepspeed`, `raw megatron` or `raw sbatch` in the block that reads it, or remove the block.",
});

export const rawUnread = define<{ name: string; target: string }>({
  code: "cdr/raw-unread",
  severity: "warning",
  message: ({ name, target }) => `\`raw ${name}\` has no effect: the launch's target is ${target}`,
  explanation: `\`raw sbatch { … }\` holds options of Slurm's sbatch, and only \`target = slurm(…)\` calls it.`,
  fix: "Give the launch `target = slurm(…)`, or remove the block.",
});

export const rawEmpty = define<{ name: string }>({
  code: "cdr/raw-empty",
  severity: "warning",
  message: ({ name }) => `\`raw ${name}\` is empty`,
  explanation: `A raw block holds settings under the names that the engine or the scheduler gives them; an empty one has no effect.`,
  fix: "Remove the block, or write a setting into it.",
});

export const rawOption = define<{ name: string; found: string }>({
  code: "cdr/raw-option",
  severity: "error",
  message: ({ name, found }) =>
    `\`${name}\` of \`raw sbatch\` is ${found}: an option must be a text, a plain number, or true or false`,
  explanation: `Each line of \`raw sbatch { … }\` becomes \`#SBATCH --name=value\`. Lists, blocks and numbers with units have no form that
Slurm would read correctly.`,
  fix: 'Write the text that sbatch expects, in quotes: `gres = "gpu:8"`, `time = "36:00:00"`.',
});

export const splitShares = define<{ what: string }>({
  code: "cdr/data-split",
  severity: "error",
  message: ({ what }) => `${what} leaves nothing to train on`,
  explanation: `\`val\` is the share of the documents that is held out, \`train\` the rest. Together they are 100 %, and some documents must be
left to train on.`,
  fix: "Write `split { val = 1% }`, with a share below 100%.",
});

export const splitTrain = define<{ train: string; left: string }>({
  code: "cdr/data-split-train",
  severity: "error",
  message: ({ train, left }) => `train = ${train}, but ${left} of the documents are not held out`,
  explanation: `All documents that are not held out are trained on, so \`val\` alone is enough: \`split { val = 1% }\`. If \`train\` is written too,
it must be the rest.`,
  fix: "Remove `train`, or write the rest; to read less of the text, write `limit = 100 files`.",
});

export const lengthFraction = define<{ length: string }>({
  code: "cdr/stage-length",
  severity: "error",
  message: ({ length }) => `length = ${length} is not a finite number of whole steps`,
  explanation: `A stage takes a finite number of whole steps. Tokens, samples and epochs may be any finite
amount; they are rounded up to whole steps.`,
  fix: "Write whole steps, `length = 1000 steps`, or any amount of tokens, samples or epochs.",
});

export const processesTwice = define<{ gpus: number; processes: number }>({
  code: "cdr/launch-processes-twice",
  severity: "error",
  message: ({ gpus, processes }) =>
    `\`gpus = ${gpus}\` and \`processes = ${processes}\` both set the number of processes`,
  explanation: `One process runs on each GPU, so \`local(gpus = 2)\` starts two; \`local(processes = 2)\` does the same on a machine without GPUs.`,
  fix: "Write one of the two.",
});
