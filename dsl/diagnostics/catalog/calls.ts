/** Diagnostics about calls and their arguments. */
import { define } from "../diagnostic.ts";

export const notCallable = define<{ what: string; instead?: string | undefined }>({
  code: "cdr/call-not-callable",
  severity: "error",
  message: ({ what, instead }) => `${what} cannot be called${instead === undefined ? "" : `: ${instead}`}`,
  explanation: `Only functions (\`fn\`), built-in functions and the choices of a property take arguments in parentheses.`,
  fix: "Remove the parentheses, or call a declared function.",
});

export const argumentUnknown = define<{ name: string; others?: readonly string[]; of: string }>({
  code: "cdr/argument-unknown",
  severity: "error",
  message: ({ name, others = [], of }) =>
    `\`${of}\` has no argument ${[name, ...others].map((each) => `\`${each}\``).join(" and no ")}`,
  explanation: `Arguments are named: \`adamw(lr = 6e-4)\`.`,
  fix: "Write an argument that `valid` lists.",
});

export const argumentExcess = define<{ of: string; takes: readonly string[]; given: number }>({
  code: "cdr/argument-excess",
  severity: "error",
  message: ({ of, takes, given }) => {
    const names = takes.map((name) => `\`${name}\``).join(", ");
    const arity =
      takes.length === 0 ? "no arguments" : `${takes.length} argument${takes.length === 1 ? "" : "s"} (${names})`;
    return `\`${of}\` takes ${arity}, not ${given}`;
  },
  explanation: `A function takes the parameters that its declaration lists. To pass several values for one parameter, write a list.

    fn twice(x: Int) = x * 2
    let four = twice(2)`,
  fix: "Remove the extra arguments, or write several values for one parameter as a list.",
});

export const callLimit = define<{ name: string; most: string }>({
  code: "cdr/call-limit",
  severity: "error",
  message: ({ name, most }) => `a call of \`${name}\` leads to over ${most} further calls`,
  explanation: `Identical calls are computed once, so even long chains of functions are fast. With this many different calls, checking the
file would take minutes.`,
  fix: "Compute the value outside of the file and write the result, or reduce the number of different calls.",
});

export const argumentPositional = define<{ of: string; bounded?: string }>({
  code: "cdr/argument-unnamed",
  severity: "error",
  message: ({ of, bounded }) =>
    bounded === undefined
      ? `the arguments of \`${of}\` need their names`
      : `\`${bounded}\` of \`${of}\` takes a value, not a bound`,
  explanation: `\`adamw(3e-4)\` does not say what 3e-4 is; \`adamw(lr = 3e-4)\` does. Only properties of a block take bounds, \`layers <= 48\`.`,
  fix: "Write the argument's name: `adamw(lr = 3e-4)`.",
});

export const argumentMissing = define<{
  of: string;
  missing: readonly { readonly name: string; readonly doc: string }[];
}>({
  code: "cdr/argument-missing",
  severity: "error",
  message: ({ of, missing }) => {
    const [one, ...others] = missing;
    if (others.length === 0) return `\`${of}\` needs \`${one?.name}\`: ${one?.doc}`;
    const all = missing.map(({ name, doc }) => `\`${name}\` (${doc})`);
    return `\`${of}\` needs ${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
  },
  explanation: `Arguments without a default must be written.`,
  fix: "Add the missing arguments.",
  fixFor: ({ of, missing }) => {
    const all = missing.map(({ name }) => `${name} = …`).join(", ");
    return `Add the argument${missing.length === 1 ? "" : "s"}: \`${of}(${all})\`.`;
  },
});

export const argumentTwice = define<{ name: string }>({
  code: "cdr/argument-twice",
  severity: "error",
  message: ({ name }) => `\`${name}\` is given twice`,
  explanation: `Each argument may be given once, by name or by position.`,
  fix: "Remove one of the two.",
});
