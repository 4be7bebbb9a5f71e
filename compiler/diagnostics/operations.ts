/** Diagnostics about everything around training: artefacts that must agree, workflows, restarts, launches. */
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

export const teacherUnfit = define<{ stage: string; teacher: string; why: string }>({
  code: "cdr/distill-unfit",
  severity: "error",
  message: ({ stage, teacher, why }) => `\`${stage}\` cannot learn from \`${teacher}\`, which ${why}`,
  explanation:
    "A student learns the teacher's predictions of each next token: the teacher must be trained, have the same tokens, and read as long a context.",
  fix: "Name the checkpoint of a stage, `teacher = pretrain.last`, or a model with published weights, tokens and context that fit the student.",
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

export const workflowTrigger = define<{ name: string; why: string }>({
  code: "cdr/workflow-trigger",
  severity: "error",
  message: ({ name, why }) => `workflow \`${name}\` ${why}`,
  explanation:
    "The system in `target` watches for triggers. `manual(choose = …)` offers jobs of the workflow by name.",
  fix: "Add `target = github`, or remove the trigger.",
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

export const listTwice = define<{ name: string; item: string }>({
  code: "cdr/list-twice",
  severity: "warning",
  message: ({ name, item }) => `\`${item}\` is listed twice in \`${name}\`, but counts once`,
  explanation: `Each item of a list counts once: a job runs once however often a workflow lists it, an overlay applies once, an eval
measures once at each time, a tracker reports once. The second mention may be a slip for another one.`,
  fix: "Remove the second one, or replace it by the one that you meant.",
});

export const sweepRuns = define<{ sweep: string; runs: number; points: number }>({
  code: "cdr/sweep-runs",
  severity: "warning",
  message: ({ sweep, runs, points }) =>
    `\`runs = ${runs}\` draws from ${points === 1 ? "one combination" : `${points} combinations`}, which is all that \`vary\` of \`${sweep}\` gives`,
  explanation: `\`runs = n\` draws n different points of a sweep at random. If \`vary\` gives fewer combinations than that, each of them runs once, and
the sweep has fewer runs than its file says.`,
  fix: "Remove `runs`, or vary over more values.",
});

export const launchIdle = define<{ processes: number; gpus: number }>({
  code: "cdr/launch-idle",
  severity: "warning",
  message: ({ processes, gpus }) =>
    `only ${processes} of a node's ${gpus} GPUs get a process; the others stay idle but are paid for`,
  explanation: `One process uses one GPU, so the default is one process per GPU of the node.`,
  fix: "Give each GPU a process, or write in the cluster how many GPUs a node has: `node { gpus = 1 }`.",
  fixFor: ({ processes, gpus }) =>
    `Give each of the ${gpus} a process, or write in the cluster how many GPUs a node has: \`node { gpus = ${processes} }\`.`,
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
