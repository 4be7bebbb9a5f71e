/** Diagnostics about what is set from outside, and about what a file asserts. */
import { define } from "../diagnostic.ts";

export const assertUncertain = define<{ condition: string; values: string }>({
  code: "cdr/assert-uncertain",
  severity: "warning",
  message: ({ condition, values }) => `not sure: ${condition}${values === "" ? "" : ` (${values})`}`,
  explanation: `The condition depends on an estimate, and within its interval of error both outcomes are possible. If the limit is certainly
exceeded, the assertion is an error; if it may be exceeded, a warning; otherwise it passes.`,
  fix: "Leave more room between the estimate and the limit, or calibrate the cluster, which narrows the interval.",
});

export const assertFailed = define<{ condition: string; values: string }>({
  code: "cdr/assert-failed",
  severity: "error",
  message: ({ condition, values }) => `not true: ${condition}${values === "" ? "" : ` (${values})`}`,
  explanation: `An \`assert\` states a condition that must be true before a run starts. \`else warn\` makes it a warning.`,
  fix: "Change the compared values (the message shows them) or the limit; `else warn` makes it a warning.",
});

export const paramMissing = define<{ name: string; how: string }>({
  code: "cdr/param-missing",
  severity: "error",
  message: ({ name, how }) => `\`param ${name}\` has no value: ${how}`,
  explanation: `A param without a default must be set with \`--set NAME=VALUE\`, by a preset, or by the environment variable that it names.`,
  fix: "Set it with `--set NAME=VALUE`, in a preset or in the environment variable that it names, or write a default in the file.",
});

export const setUnknown = define<{ name: string }>({
  code: "cdr/set-unknown",
  severity: "error",
  message: ({ name }) => `\`--set ${name}\`: no param or property has this name`,
  explanation: `\`--set\` changes a param of any file of the program (\`--set nodes=4\`) or a property of a block (\`--set pretrain.seed=7\`).`,
  fix: "Name a param of the program (`--set nodes=4`) or a property of a block (`--set pretrain.seed=7`).",
});

export const setAmbiguous = define<{ name: string; files: readonly string[] }>({
  code: "cdr/set-ambiguous",
  severity: "error",
  message: ({ name, files }) =>
    `\`--set ${name}\` is ambiguous: ${files.join(" and ")} each declare this param. Import the one you mean: \`import "…" { ${name} }\``,
  explanation: `\`--set\` looks for a param of that name in the whole program. If several imported files declare one, it changes the param
that the compiled file itself declares or imports by that name, also as \`import "./a.cdr" { nodes as a_nodes }\`, and no other.`,
  fix: 'Import the param you mean into the compiled file: `import "./a.cdr" { nodes }`.',
});

export const secretWritten = define<{ what: string; instead: string }>({
  code: "cdr/secret-written",
  severity: "error",
  message: ({ what, instead }) => `${what} is a secret, and secrets are never written in a file: ${instead}`,
  explanation: `Keys and tokens must not be in version control, in a bundle or in a log. A \`secret\` says where the target finds the key, and the
property that needs it names the secret. Replace a key that was ever written in a file.

    secret wandb_key = env("WANDB_API_KEY")
    stage pretrain { track = wandb(key = wandb_key) }`,
  fix: 'Declare `secret name = env("NAME")`, use its name here, and replace the exposed key by a new one.',
});

export const secretMisused = define<{ name: string }>({
  code: "cdr/secret-misused",
  severity: "error",
  message: ({ name }) =>
    `secret \`${name}\` cannot be used here: only properties such as \`key\` and variables of \`env\` take a secret`,
  explanation: `Secrets are never written to a file, a log or an argument list, so they cannot be part of other values.`,
  fix: "Give the secret to a property that takes one, such as `key`, or to a variable of `env`.",
});
