/** Diagnostics about what is set from outside, and about what a file asserts. */
import { define } from "../diagnostic.ts";

export const assertUncertain = define<{ condition: string; values: string }>({
  code: "cdr/assert-uncertain",
  severity: "warning",
  message: ({ condition, values }) => `not sure: ${condition}${values === "" ? "" : ` (${values})`}`,
  explanation: `The condition is about an estimate, and within its interval both outcomes are possible. A limit that is certainly missed is
an error, one that may be missed a warning; one that is certainly kept passes.`,
  fix: "Leave more room between the estimate and the limit, or calibrate the cluster, which makes the estimate narrower.",
});

export const assertFailed = define<{ condition: string; values: string }>({
  code: "cdr/assert-failed",
  severity: "error",
  message: ({ condition, values }) => `not true: ${condition}${values === "" ? "" : ` (${values})`}`,
  explanation: `An \`assert\` states what must hold before a run starts. \`else warn\` makes it a warning.`,
  fix: "Change what the condition compares (its values are in the message), or the limit; `else warn` makes it a warning.",
});

export const paramMissing = define<{ name: string; how: string }>({
  code: "cdr/param-missing",
  severity: "error",
  message: ({ name, how }) => `\`param ${name}\` has no value: ${how}`,
  explanation: `A param without a default is set with \`--set NAME=VALUE\`, by a preset, or by the environment variable it names.`,
  fix: "Give it with `--set NAME=VALUE`, in a preset, in the environment variable that it names, or as a default in the file.",
});

export const setUnknown = define<{ name: string }>({
  code: "cdr/set-unknown",
  severity: "error",
  message: ({ name }) => `\`--set ${name}\`: there is no such param or property`,
  explanation: `\`--set\` changes a param of any file of the program (\`--set nodes=4\`) or a leaf of a block (\`--set pretrain.seed=7\`).`,
  fix: "Name a param of the program (`--set nodes=4`) or a leaf of a block (`--set pretrain.seed=7`).",
});

export const setAmbiguous = define<{ name: string; files: readonly string[] }>({
  code: "cdr/set-ambiguous",
  severity: "error",
  message: ({ name, files }) =>
    `\`--set ${name}\`: ${files.join(" and ")} each declare such a param. Import the one that is meant: \`import "…" { ${name} }\``,
  explanation: `A param is known by its name in the whole program. Where several imported files have one of the same name, the file that is
compiled says which is meant: what it declares or imports by that name, also as \`import "./a.cdr" { nodes as a_nodes }\`, is what
\`--set\` changes, and no other.`,
  fix: 'Import the one that is meant into the file that is compiled: `import "./a.cdr" { nodes }`.',
});

export const unusedSecret = define<{ name: string }>({
  code: "cdr/secret-unused",
  severity: "warning",
  message: ({ name }) => `secret \`${name}\` is used nowhere`,
  explanation: `A secret that nothing reads is asked for on every target for nothing.`,
  fix: "Give it to the property that needs it, or remove it.",
});

export const secretWritten = define<{ what: string; instead: string }>({
  code: "cdr/secret-written",
  severity: "error",
  message: ({ what, instead }) => `${what} is a secret, and secrets are never written in a file: ${instead}`,
  explanation: `Keys and tokens must not be in version control, in a bundle or in a log. A \`secret\` says where the target finds the key, and the
property that needs it names the secret. Replace a key that was ever written in a file.

    secret wandb_key = env("WANDB_API_KEY")
    stage pretrain { track = wandb(key = wandb_key) }`,
  fix: 'Declare `secret name = env("NAME")`, name it there, and replace the key that was written by a new one.',
});

export const secretMisused = define<{ name: string }>({
  code: "cdr/secret-misused",
  severity: "error",
  message: ({ name }) =>
    `secret \`${name}\` can only be given to a property that takes a secret, such as \`key\` or a variable of \`env\``,
  explanation: `Secrets never reach a file, a log or an argument list, so they cannot be part of other values.`,
  fix: "Give the secret to a property that takes one, such as `key`, or to a variable of `env`.",
});
