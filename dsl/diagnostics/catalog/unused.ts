/** Diagnostics about what nothing reads. */
import { define } from "../diagnostic.ts";

export const unusedSecret = define<{ name: string }>({
  code: "cdr/secret-unused",
  severity: "warning",
  message: ({ name }) => `secret \`${name}\` is never used`,
  explanation: `Every target must provide the secret, although nothing reads it.`,
  fix: "Give the secret to the property that needs it, or remove it.",
});

export const unreadParam = define<{ name: string }>({
  code: "cdr/param-unread",
  severity: "warning",
  message: ({ name }) => `nothing reads param \`${name}\`: giving it a value changes nothing`,
  explanation: `A param has an effect where an expression names it: \`cluster pod { nodes = nodes }\` takes the value of \`param nodes\`. If none does,
every value that \`--set\`, a preset, an overlay, a test or the \`vary\` of a sweep gives it leads to the same run.`,
  fix: "Name the param where its value belongs, `cluster pod { nodes = nodes }`, or set what a block says, `pod.nodes`.",
});
