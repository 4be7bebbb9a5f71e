/** Diagnostics about running what a file says. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const nothingToRun = define<Record<string, never>>({
  code: "cdr/run-nothing",
  severity: "error",
  message: () => "this file declares nothing that can be run",
  explanation: `A run needs a step: a \`stage\`, or \`data\`, \`tokenizer\`, \`eval\`, \`sample\`. Templates (\`abstract\`) are not run, and a file of
models, clusters and stores only brings names to others.`,
});

export const notExecuted = define<{ who: string; what: string }>({
  code: "cdr/run-unsupported",
  severity: "error",
  message: ({ who, what }) => `${who} cannot run yet: this version of cdrc does not carry out ${what}`,
  explanation: `The language says more than this version can do. What it cannot do is typed, checked and planned like everything else,
and refused by \`cdrc run\` and \`cdrc compile\` with the name of the step: nothing is left out silently. Steps of the same file that need
none of it run when they are named: \`cdrc run FILE STEP\`.`,
});

export const kindNotExecuted = define<{ who: string; kind: string }>({
  code: "cdr/run-unsupported-kind",
  severity: "error",
  message: ({ who, kind }) =>
    `${who} cannot run yet: this version of cdrc checks ${kind} blocks and carries out none`,
  explanation: `The language has more kinds of steps than this version can run. What such a block says is typed and checked, and what
it reads is planned. Run the steps that can run by their names: \`cdrc run FILE STEP\`.`,
});

export const runOwnProgram = define<{ stage: string; engine: string }>({
  code: "cdr/run-own-program",
  severity: "error",
  message: ({ stage, engine }) =>
    `stage \`${stage}\` runs on ${engine}, which \`cdrc run\` does not start; \`cdrc compile -o DIR\` writes DIR/launch.sh, which does`,
  explanation:
    "Megatron-LM is a program of its own, in an environment of its own. The bundle holds one script for each such stage with its whole " +
    "command line; MEGATRON_ROOT names the folder of Megatron's programs and MEGATRON_PYTHON an interpreter that has its packages.",
});
