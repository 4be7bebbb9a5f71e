/** Diagnostics about what happens in the course of a stage: evaluations, checkpoints, expectations, its end. */
import { counted } from "../../dsl/diagnostics/counted.ts";
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const checkpointAt = define<{ handle: string; stage: string; why: string }>({
  code: "cdr/checkpoint-at",
  severity: "error",
  message: ({ handle, stage, why }) => `\`${handle}\` does not exist when stage \`${stage}\` ends: it ${why}`,
  explanation: `\`stage.at(10_000 steps)\` is the checkpoint of that step, which \`checkpoint { every = … }\` must save and \`keep\` must not
delete before the stage ends. The final checkpoint is always kept. If checkpoints are saved by the clock, their steps are not known in advance.`,
  fix: "Name a step at which the stage saves, save at this one, or keep more: `checkpoint { every = 1000 steps, keep = all }`.",
});

export const evalNever = define<{ eval: string; why: string }>({
  code: "cdr/eval-when",
  severity: "error",
  message: ({ eval: name, why }) => `eval \`${name}\` ${why}`,
  explanation: `An \`eval\` measures either a checkpoint, when it is run, or the weights of a stage that lists it in \`evals\`, at each
\`every\`. It measures the loss on \`data\` and the \`tasks\`.`,
  fix: "Give the `eval` a `model = pretrain.last` to run by itself, or an `every` and a place in a stage's `evals`.",
});

export const periodNever = define<{
  of: string;
  name: string;
  value: string;
  stage: string;
  steps: number;
  others: number;
}>({
  code: "cdr/period-never",
  severity: "warning",
  message: ({ of, name, value, stage, steps, others }) =>
    `\`${name} = ${value}\`${of === "" ? "" : ` of \`${of}\``} goes beyond the end of stage \`${stage}\`, which has ${counted(steps, "step")}${others === 0 ? "" : `; likewise in ${counted(others, "other stage")}`}`,
  explanation: `What is to happen \`every\` 5000 steps never happens in a stage of 1000, and a ramp over 5000 steps never reaches its end.`,
  fix: "Write fewer steps, or remove it.",
});

export const checkpointDisk = define<{ count: number; each: string; whole: string; cluster: string; disk: string }>({
  code: "cdr/checkpoint-disk",
  severity: "error",
  message: ({ count, each, whole, cluster, disk }) =>
    `${count} checkpoints of ${each}, one of them being written, take ${whole}, but the disk of a node of ${cluster} has ${disk}`,
  explanation: `A run on one node saves to the node's own disk, \`node { disk = … }\`. A new checkpoint is written before the oldest is deleted, so
the disk must hold one more than \`keep\`. A run that fills the disk ends at that save.`,
  fix: "Keep fewer, `keep = last(2)`, save to a store, or use a larger disk.",
});

export const checkpointRare = define<{
  stage: string;
  failures: string;
  work: string;
  saved: string;
  /** Hours and the share of the run; `null` where nobody can say how many. */
  lost: string | null;
}>({
  code: "cdr/checkpoint-rare",
  severity: "warning",
  message: ({ stage, failures, work, saved, lost }) =>
    `\`${stage}\` trains for ${work} with about ${failures} expected failures, and ${saved}: ${lost === null ? "repeated work would take longer than the training" : `repeated work takes ${lost} of the run`}`,
  explanation: `Machines fail: Llama 3 was interrupted 419 times in 54 days of 16,384 GPUs (arXiv 2407.21783, section 3.3.4), and plans assume that
rate. A failure sends a run back to its last checkpoint, or to its start. The lost time grows exponentially with the number of failures
expected between two checkpoints (Daly 2006), so a run with several hardly ever finishes. The warning comes from a tenth of the run on; where half is
lost or more, the plan shows hours, cost and energy without the lost time.`,
  fix: "Save more often, `checkpoint { every = … }`, and let the stage resume: `resume = exact`.",
});

export const runEndless = define<{ stage: string; what: string }>({
  code: "cdr/run-endless",
  severity: "warning",
  message: ({ stage, what }) => `\`${stage}\` practically never ends: ${what}`,
  explanation: `A step of more than a month, or a run of more than a century, usually comes from a wrong number or unit: samples instead of tokens,
or a length for another cluster. The plan is still shown.`,
  fix: "Check the number and its unit (`batch = 4M tokens`, `length = 300B tokens`), or use more devices.",
});

export const expectNever = define<{ condition: string; at: number; steps: number }>({
  code: "cdr/expect-never",
  severity: "warning",
  message: ({ condition, at, steps }) =>
    `\`expect ${condition}\` is never tested: it waits for step ${at}, but the stage ends after ${counted(steps, "step")}`,
  explanation: `\`loss.at(5000 steps)\` is the loss at that step, and the condition is tested there. A stage that ends earlier would
succeed whatever its loss.`,
  fix: "Name a step within the stage, or remove the `at`.",
});

export const expectImpossible = define<{ condition: string; why: string }>({
  code: "cdr/expect-impossible",
  severity: "error",
  message: ({ condition, why }) => `\`expect ${condition}\` can never be true: ${why}`,
  explanation: `A share is at most 100 %, the entropy of a router at most the logarithm of its number of
experts (3 bits for 8 experts), and no device computes faster than its peak.`,
  fix: "Write a condition that is possible, within the limit that the message names.",
});

export const expectCertain = define<{ condition: string; why: string }>({
  code: "cdr/expect-certain",
  severity: "warning",
  message: ({ condition, why }) => `\`expect ${condition}\` is always true, so it watches nothing: ${why}`,
  explanation: `A limit outside the possible range is usually a slip: \`utilization <= 500%\` where \`50%\` was meant, or a superfluous sign.`,
  fix: "Write a limit in the range that the message names, or remove the expectation.",
});

export const expectRollback = define<{ stage: string; why: string }>({
  code: "cdr/expect-rollback",
  severity: "error",
  message: ({ stage, why }) => `stage \`${stage}\` has no checkpoint to return to: ${why}`,
  explanation: `\`else rollback(to = last)\` returns a run to an earlier checkpoint. Without
\`checkpoint { every = … }\`, a stage saves only at its end.`,
  fix: "Add `checkpoint { every = 500 steps }` to the stage, or write `else stop`.",
});
