/** Diagnostics about running what a file says. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const nothingToRun = define<Record<string, never>>({
  code: "cdr/run-nothing",
  severity: "error",
  message: () => "this file declares no step that can be run",
  explanation: `Only steps can be run. Templates (\`abstract\`) are not run, and models, clusters and stores only define names for
others.`,
  fix: "Declare a step: a `stage`, or `data`, `tokenizer`, `eval`, `sample`.",
});

export const notExecuted = define<{ who: string; what: string }>({
  code: "cdr/run-unsupported",
  severity: "error",
  message: ({ who, what }) => `${who} cannot run yet: this version of cdrc does not support ${what}`,
  explanation: `The language can express more than this version can run. Unsupported parts are typed, checked and planned like everything else,
but \`cdrc run\` and \`cdrc compile\` refuse the step, so that nothing is left out silently. Other steps of the same file can be run by name.`,
  fix: "Remove what the message names; where it is a step, the others run by their names: `cdrc run FILE STEP`.",
});

export const compiledOnly = define<{ who: string }>({
  code: "cdr/run-compiled-only",
  severity: "error",
  message: ({ who }) =>
    `${who} cannot run yet: this version of cdrc writes the manifests of its pods, but does not start them`,
  explanation: `\`cdrc compile FILE -o DIR\` writes what the place needs, such as the manifests of Kubernetes in \`DIR/kubernetes/\`; starting and
watching it is left to its own tools, here \`kubectl apply -f DIR/kubernetes\`.`,
  fix: "Write `cdrc compile FILE -o DIR` and start what it wrote, or choose a launch with another target: `--on LAUNCH`.",
});

export const kindNotExecuted = define<{ who: string; kind: string }>({
  code: "cdr/run-unsupported-kind",
  severity: "error",
  message: ({ who, kind }) => `${who} cannot run yet: this version of cdrc only checks ${kind} blocks`,
  explanation: `The language has more kinds of steps than this version can run. Such a block is typed and checked, and the steps that
it reads are planned.`,
  fix: "Run the other steps by their names: `cdrc run FILE STEP`.",
});

export const runCheckpoint = define<{ step: string; stage: string; writes: string; reads: string }>({
  code: "cdr/run-checkpoint",
  severity: "error",
  message: ({ step, stage, writes, reads }) =>
    `\`${step}\` reads the checkpoint of \`${stage}\`, which is ${writes}'s; ${reads === "trainer" ? "evaluating and sampling read" : `engine ${reads} reads`} ${reads === "megatron" ? "only Megatron's own" : "those of torch and deepspeed"}`,
  explanation:
    "Megatron saves shards of its own modules, torch and deepspeed save a model of transformers; cdr does not convert between them.",
  fix: "Train both stages with the same kind of engine, or convert the checkpoint with the tools of Megatron Bridge and read it as files.",
});
