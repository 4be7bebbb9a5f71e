/** Diagnostics about how blocks fit together. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

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
  message: ({ sum }) => `the weights of the sources are shares and sum to ${sum}, not to 100%`,
  explanation: `Weights are all \`%\` and sum to 100 %, or all plain numbers and are taken as parts.`,
  fix: "Change the shares until they sum to 100%, or write plain numbers, which are taken as parts.",
});

export const mixedWeights = define<{ source: string; isShare: boolean; isWritten: boolean }>({
  code: "cdr/data-weights-mixed",
  severity: "error",
  message: ({ source, isShare, isWritten }) =>
    `${isWritten ? `the weight of \`${source}\` is a ${isShare ? "share (%)" : "part"}` : `\`${source}\` has no weight, which is one part`}, and ${isShare ? "others are parts" : "others are shares (%)"}`,
  explanation: `Weights are all \`%\` and sum to 100 %, or all plain numbers and are taken as parts.`,
  fix: "Write all weights with `%`, or none.",
});

export const sequenceConflict = define<{ data: string; first: string; second: string }>({
  code: "cdr/data-sequence",
  severity: "error",
  message: ({ data, first, second }) =>
    `data \`${data}\` is packed once, and ${first} and ${second} want different lengths`,
  explanation:
    "Samples are packed once, to one length, and both stages would read the same file. Neither could read it at its own length.",
  fix: "Give one of the stages data of its own: `data = corpus with { sequence = 512 tokens }`.",
});

export const stepCycle = define<{ chain: string }>({
  code: "cdr/step-cycle",
  severity: "error",
  message: ({ chain }) => `these steps wait for each other: ${chain}`,
  explanation:
    "References between steps are their order. In a circle each would wait for the one before, and none could start.",
  fix: "Take away one of the references, or an `after`, that close the circle.",
});

export const unknownLaunch = define<{ name: string; near: string | null }>({
  code: "cdr/launch-unknown",
  severity: "error",
  message: ({ name, near }) =>
    `this file has no launch \`${name}\`${near === null ? "" : `; did you mean \`${near}\`?`}`,
  explanation: `\`--on NAME\` takes a \`launch\` of the file, \`--target local|slurm\` the first launch with that target, or its defaults.`,
  fix: "Name a launch of the file; `valid` lists them, and `--target local` takes the first with that target.",
});

export const stagePlace = define<{ stage: string; asked: string; planned: string }>({
  code: "cdr/stage-place",
  severity: "warning",
  message: ({ stage, asked, planned }) =>
    `\`${stage}\` is planned on ${planned}, not on \`${asked}\`: the launch places every step of a run`,
  explanation: `A launch names the cluster that a run is planned for, and all its steps go there. \`on\` in the header of a stage says where it
belongs, and is checked against the launch; it does not move the stage, and \`cdrc run\` refuses a stage with it.`,
  fix: "Take `on` away from the stage, and run it on a launch of its own: `launch site on pod { … }`, `--on site`.",
  fixFor: ({ asked }) =>
    `Take \`on ${asked}\` away, and run the stage with \`--on\` a launch of that cluster: \`launch site on ${asked} { … }\`.`,
});

export const clusterShape = define<{ processes: string; found: string }>({
  code: "cdr/launch-processes",
  severity: "error",
  message: ({ processes, found }) => `${processes} do not fit on ${found}`,
  explanation: `\`local(processes = n)\` starts n processes on one machine; a cluster says how many devices a node has.`,
  fix: "Lower `processes` to the devices of the machine, or name a cluster that has as many.",
});

export const tokenizerMismatch = define<{ stage: string; from: string }>({
  code: "cdr/stage-tokenizer",
  severity: "error",
  message: ({ stage, from }) => `\`${stage}\` goes on from \`${from}\`, but its data has another tokenizer`,
  explanation: `Weights know tokens by number, so both stages must read data made with one tokenizer.`,
  fix: "Declare a `tokenizer` block and give it to both, or write `tokenizer = corpus.tokenizer` in the second data.",
});

export const modelMismatch = define<{ stage: string; from: string }>({
  code: "cdr/stage-model",
  severity: "error",
  message: ({ stage, from }) => `\`${stage}\` goes on from \`${from}\`, but trains another model`,
  explanation:
    "Weights fit the model that they were made for: another one has matrices of other sizes, or other matrices, and they cannot be read into it.",
  fix: "Give both stages the same `model`.",
});

export const launchEnvValue = define<{ name: string; found: string }>({
  code: "cdr/launch-env-value",
  severity: "error",
  message: ({ name, found }) =>
    `the environment variable ${name} is a text, a plain number, true or false, or a secret, not ${found}`,
  explanation: `An environment variable is a text. A value without a unique spelling (a number with a unit, a list, a block) must be written in the form
that its reader expects: \`TIMEOUT = "90"\`, \`HOSTS = "a,b"\`.`,
  fix: 'Write the value as a text in quotes: `TIMEOUT = "90"`, `HOSTS = "a,b"`.',
});

export const launchEnvName = define<{ name: string }>({
  code: "cdr/launch-env-name",
  severity: "error",
  message: ({ name }) => `${JSON.stringify(name)} is not the name of an environment variable`,
  explanation: `Names of environment variables are letters, digits and \`_\`, and begin with no digit; a shell can pass no other.`,
  fix: "Write a name of letters, digits and `_` that begins with no digit.",
});

export const launchEnvOwned = define<{ name: string; by: string }>({
  code: "cdr/launch-env-owned",
  severity: "error",
  message: ({ name, by }) => `${name} is set for each process by ${by}, from the launch's cluster`,
  explanation: `The number of processes, the rank of each and the address where they meet follow from the cluster and the target
(\`cluster pod { nodes = 2 }\`, \`local(processes = 4)\`). Another value would contradict it.`,
  fix: "Leave the variable out, and change the cluster (`nodes = 2`) or the target (`local(processes = 4)`).",
});

export const calibrationBeyond = define<{ name: string; measured: string; peak: string; gpu: string }>({
  code: "cdr/calibration-beyond",
  severity: "error",
  message: ({ name, measured, peak, gpu }) =>
    `\`${name} = ${measured}\` cannot have been measured: the data sheet of ${gpu} has ${peak} at most`,
  explanation: `A calibration says what was measured of one device, and the planner reckons with it in the place of its own figures. No product is faster
than the peak of the data sheet, but for clocks that run a tenth above it: a figure beyond it is that of a node, or in another unit.`,
  fix: "Measure it, `cdrc calibrate`, write what one device reaches, or correct the peak of the `gpu`.",
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
    `${name} = "${written}" shows a node ${shown === 1 ? "one device" : `${shown} devices`}, and \`${cluster}\` starts ${processes} processes there`,
  explanation: `Each process of a node takes the device of its own number among those that it is shown. Where fewer are shown than
processes start, the first one without a device ends the run.`,
  fix: "Leave the variable out, list as many devices as processes, or start fewer: `local(processes = 1)`, `node { gpus = 1 }`.",
});

export const checkpointMetric = define<{ written: string }>({
  code: "cdr/checkpoint-metric",
  severity: "error",
  message: ({ written }) => `\`best(${written})\`: checkpoints cannot be compared by \`${written}\``,
  explanation: `A checkpoint is kept with the loss on the validation split that was measured last before it, \`val.loss\`. The best
one is the one with the lowest; there is no other measure yet.`,
  fix: "Write `best(val.loss)`, or `last`.",
});

export const bestUnmeasured = define<{ stage: string; what: string }>({
  code: "cdr/checkpoint-unmeasured",
  severity: "error",
  message: ({ stage, what }) =>
    `\`${what}\` needs the validation loss, and stage \`${stage}\` never measures it: add \`eval { every = … }\` to it`,
  explanation: `The best checkpoint is the one with the lowest loss on the validation split. A stage measures that loss where it has an
\`eval\` block, say \`eval { every = 500 steps }\`; without one, ask for the \`last\` checkpoint, or rank runs by what every stage measures: \`min(loss)\`.`,
  fix: "Add `eval { every = 500 steps }` to the stage, or ask for the `last` checkpoint.",
});

export const rawUnknown = define<{ name: string; block: string }>({
  code: "cdr/raw-unknown",
  severity: "error",
  message: ({ name, block }) => `nothing in a ${block} reads \`raw ${name}\``,
  explanation: `A stage has \`raw deepspeed { … }\`, laid over the configuration of that engine; a launch has \`raw sbatch { … }\`, more
options for the scheduler. A block that nothing reads would have no effect, so it is an error.`,
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
  message: ({ name }) => `\`raw ${name}\` says nothing`,
  explanation: `A raw block holds settings in the words of the engine or the scheduler; an empty one changes nothing.`,
  fix: "Remove the block, or write a setting into it.",
});

export const rawOption = define<{ name: string; found: string }>({
  code: "cdr/raw-option",
  severity: "error",
  message: ({ name, found }) =>
    `\`${name}\` of \`raw sbatch\` is ${found}: an option is a text, a plain number, or true or false`,
  explanation: `What stands in \`raw sbatch { … }\` becomes \`#SBATCH --name=value\`. Lists, blocks and numbers with units have no form there that
Slurm would read as they were meant: write the text that sbatch expects, such as \`gres = "gpu:8"\` or \`time = "36:00:00"\`.`,
  fix: 'Write the text that sbatch expects, in quotes: `gres = "gpu:8"`, `time = "36:00:00"`.',
});

export const splitShares = define<{ what: string }>({
  code: "cdr/data-split",
  severity: "error",
  message: ({ what }) => `${what} leaves nothing to train on`,
  explanation: `\`val\` is the share of the documents that is held out and \`train\` what is left: \`split { val = 1% }\`. Some of them must
be left to train on, and both together are 100 %.`,
  fix: "Write `split { val = 1% }`, with a share below 100%.",
});

export const splitTrain = define<{ train: string; left: string }>({
  code: "cdr/data-split-train",
  severity: "error",
  message: ({ train, left }) => `train = ${train}, but ${left} of the documents is left over`,
  explanation: `What is not held out is trained on, so \`val\` says it all: \`split { val = 1% }\`. A \`train\` that is written too must be the
rest. To read less of the text, limit the files: \`limit = 100 files\`.`,
  fix: "Leave `train` out, or write what is left over; to read less of the text write `limit = 100 files`.",
});

export const lengthFraction = define<{ length: string }>({
  code: "cdr/stage-length",
  severity: "error",
  message: ({ length }) => `length = ${length} is no number of steps that can be taken`,
  explanation: `A stage takes whole steps, and an end must come: \`length = 1000 steps\`. Tokens, samples and epochs may be any finite
amount; they are rounded up to whole steps.`,
  fix: "Write whole steps, `length = 1000 steps`, or any amount of tokens, samples or epochs.",
});

export const processesTwice = define<{ gpus: number; processes: number }>({
  code: "cdr/launch-processes-twice",
  severity: "error",
  message: ({ gpus, processes }) =>
    `\`gpus = ${gpus}\` and \`processes = ${processes}\` both say how many processes there are`,
  explanation: `One process runs on each GPU, so \`local(gpus = 2)\` starts two; \`local(processes = 2)\` does the same on a machine without.`,
  fix: "Write one of the two.",
});
