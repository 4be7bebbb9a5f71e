/** Diagnostics about formulas, and about the sets that sweeps go through. */
import { define } from "../diagnostic.ts";

export const formulaTerm = define<{ what: string; term: string }>({
  code: "cdr/formula-term",
  severity: "error",
  message: ({ what, term }) => `${what} is a formula, which cannot use ${term}`,
  explanation: `A formula can use the names that its property defines (metrics, terms of a loss, fields of a row), values of the file, and
functions such as \`min\`, \`max\`, \`abs\`.`,
  fix: "Write a name that `valid` lists, or a value of the file.",
});

export const formulaResult = define<{ what: string; expected: string; found: string }>({
  code: "cdr/formula-result",
  severity: "error",
  message: ({ what, expected, found }) => `${what} must give ${expected}, not ${found}`,
  explanation: `The units of a formula are checked like those of any other value: a filter gives true or false, a loss a plain number.`,
  fix: "Write a formula whose result has the unit in the message; for true or false, add a comparison.",
});

export const variesNothing = define<{ name: string }>({
  code: "cdr/vary-unknown",
  severity: "error",
  message: ({ name }) => `\`${name}\` is no property of the swept block, no property of another block, and no param`,
  explanation: `\`vary\` names properties of the swept block by their paths (\`optimizer.lr in [1e-4, 3e-4]\`, \`layout.micro_batch in [8 samples, 16
samples]\`), properties of other blocks of the file with the block's name (\`pod.nodes in [1, 2]\`), or params (\`scale in Scale\`).`,
  fix: "Name a property of the swept block, `optimizer.lr in [1e-4, 3e-4]`, one of another block, `pod.nodes in [1, 2]`, or a param.",
});

export const varySet = define<{ what: string; found: string; why: string }>({
  code: "cdr/vary-set",
  severity: "error",
  message: ({ what, found, why }) => `${what} cannot vary over ${found}: ${why}`,
  explanation: `\`vary\` takes a list, \`[1e-4, 3e-4]\`, an ascending range of whole numbers, \`1..3\`, or an enum. Each value is one run, so no value may
appear twice, and the number of all combinations is limited.`,
  fix: "Write the values as a list, `[1e-4, 3e-4]`, or an ascending range of whole numbers, `1..3`.",
});

export const varyEmpty = define<{ sweep: string }>({
  code: "cdr/vary-empty",
  severity: "error",
  message: ({ sweep }) => `\`vary\` of \`${sweep}\` is empty`,
  explanation: `A sweep runs its stage once for each combination of the varied values. With an empty \`vary\` it would be one ordinary run.`,
  fix: "Name a property and its values, `vary { seed in 1..3 }`, or remove the sweep.",
});
