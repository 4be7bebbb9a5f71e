/** Diagnostics about formulas, and about the sets that sweeps go through. */
import { define } from "../diagnostic.ts";

export const formulaTerm = define<{ what: string; term: string }>({
  code: "cdr/formula-term",
  severity: "error",
  message: ({ what, term }) => `${what} is a formula, and ${term} is not a name that it can use`,
  explanation: `A formula uses the names that its property lists (metrics, terms of a loss, fields of a row), of values of the file, and
of functions such as \`min\`, \`max\`, \`abs\`.`,
  fix: "Write a name that `valid` lists, or a value of the file.",
});

export const formulaResult = define<{ what: string; expected: string; found: string }>({
  code: "cdr/formula-result",
  severity: "error",
  message: ({ what, expected, found }) => `${what} gives ${found}, and must give ${expected}`,
  explanation: `The units of a formula are checked like those of any other value: a filter gives true or false, a loss a plain number.`,
  fix: "Write a formula whose result has the unit that the message names; for true or false add a comparison.",
});

export const variesNothing = define<{ name: string }>({
  code: "cdr/vary-unknown",
  severity: "error",
  message: ({ name }) => `\`${name}\` is neither a property of what is swept nor a param of this file`,
  explanation: `\`vary\` names leaves of the swept block as an amendment does (\`optimizer.lr in [1e-4, 3e-4]\`, \`layout.micro_batch in [8 samples, 16
samples]\`), or params of the file (\`scale in Scale\`).`,
  fix: "Name a leaf of the swept block, `optimizer.lr in [1e-4, 3e-4]`, or a param of the file.",
});

export const varySet = define<{ what: string; found: string; why: string }>({
  code: "cdr/vary-set",
  severity: "error",
  message: ({ what, found, why }) => `${what} cannot run through ${found}: ${why}`,
  explanation: `A set of \`vary\` is a list, \`[1e-4, 3e-4]\`, a range of whole numbers, \`1..3\`, or an enum. Each value is one run, so it stands
there once, and all combinations together must be few enough to be listed.`,
  fix: "Write the values one by one, `[1e-4, 3e-4]`, or a range of whole numbers that goes up, `1..3`.",
});

export const varyEmpty = define<{ sweep: string }>({
  code: "cdr/vary-empty",
  severity: "error",
  message: ({ sweep }) => `\`vary\` of \`${sweep}\` names nothing that varies`,
  explanation: `A sweep runs its stage at each combination of what varies. With nothing there it would be one run like any other.`,
  fix: "Name what varies, `vary { seed in 1..3 }`, or remove the sweep.",
});
