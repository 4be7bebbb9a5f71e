/** Diagnostics about running what a file says. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const nothingToRun = define<Record<string, never>>({
  code: "cdr/run-nothing",
  severity: "error",
  message: () => "this file declares nothing that can be run",
  explanation: `A run needs a step: a \`stage\`, or \`data\`, \`tokenizer\`, \`eval\`, \`sample\`. Templates (\`abstract\`) are not run, and a file of
models, clusters and stores only brings names to others.`,
  fix: "Declare a step: a `stage`, or `data`, `tokenizer`, `eval`, `sample`.",
});

export const notExecuted = define<{ who: string; what: string }>({
  code: "cdr/run-unsupported",
  severity: "error",
  message: ({ who, what }) => `${who} cannot run yet: this version of cdrc does not carry out ${what}`,
  explanation: `The language says more than this version can do. What it cannot do is typed, checked and planned like everything else,
and refused by \`cdrc run\` and \`cdrc compile\` with the name of the step: nothing is left out silently. Steps of the same file that need
none of it run when they are named: \`cdrc run FILE STEP\`.`,
  fix: "Take out what the message names, or run the steps that need none of it by their names: `cdrc run FILE STEP`.",
});

export const kindNotExecuted = define<{ who: string; kind: string }>({
  code: "cdr/run-unsupported-kind",
  severity: "error",
  message: ({ who, kind }) =>
    `${who} cannot run yet: this version of cdrc checks ${kind} blocks and carries out none`,
  explanation: `The language has more kinds of steps than this version can run. What such a block says is typed and checked, and what
it reads is planned.`,
  fix: "Run the steps that can run by their names: `cdrc run FILE STEP`.",
});

export const runCheckpoint = define<{ step: string; stage: string; writes: string; reads: string }>({
  code: "cdr/run-checkpoint",
  severity: "error",
  message: ({ step, stage, writes, reads }) =>
    `\`${step}\` reads the checkpoint of \`${stage}\`, which is ${writes}'s; ${reads === "trainer" ? "evaluating and sampling read" : `engine ${reads} reads`} ${reads === "megatron" ? "Megatron's own alone" : "those of torch and deepspeed"}`,
  explanation:
    "Megatron saves shards of its own modules, torch and deepspeed a model of transformers; nothing here turns one into the other.",
  fix: "Train both stages on engines of one kind, or convert the checkpoint with the tools of Megatron Bridge and read it as files.",
});
