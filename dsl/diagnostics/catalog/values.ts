/** Diagnostics about properties, types, units and values. */
import { define } from "../diagnostic.ts";

export const unknownProperty = define<{ name: string; where: string; hint: string | null }>({
  code: "cdr/property-unknown",
  severity: "error",
  message: ({ name, where, hint }) => `${where} has no \`${name}\`${hint === null ? "" : `: ${hint}`}`,
  explanation: `Nothing is silently ignored: a name that the block does not know is an error, with the nearest name it knows.`,
  fix: "Write the name that is meant, or remove the line; the block's page lists what it has.",
});

export const foreignProperty = define<{ name: string; instead: string }>({
  code: "cdr/property-foreign",
  severity: "error",
  message: ({ name, instead }) => `\`${name}\` is another tool's name: ${instead}`,
  explanation: `cdr has one name for each thing and derives what follows from others (accumulation, world size, dtype flags), so
that no two of them can disagree.`,
  fix: "Write what the message says in its place.",
});

export const missingProperty = define<{ name: string; where: string; doc: string }>({
  code: "cdr/property-missing",
  severity: "error",
  message: ({ name, where, doc }) => `${where} needs \`${name}\`: ${doc}`,
  explanation: `Every other property has a default or is derived; this one only you can know.`,
  fix: "Add the property.",
});

export const amendNothing = define<{ name: string; where: string }>({
  code: "cdr/amend-nothing",
  severity: "error",
  message: ({ name, where }) => `${where} has no \`${name}\` to amend`,
  explanation: `\`a.b = v\` and \`a { … }\` change what is there. To make it, write it with \`=\` or declare it with its kind.`,
  fix: "Write it with `=`, or declare the block with its kind.",
});

export const blockAssigned = define<{ name: string }>({
  code: "cdr/block-assigned",
  severity: "error",
  message: ({ name }) => `\`${name}\` is a block: write \`${name} { … }\` without \`=\``,
  explanation: `A group of settings is a block and takes no \`=\`. \`${"name"} = none\` removes it; \`= auto\` gives it back to the compiler.`,
  fix: "Leave the `=` out: `name { … }`.",
});

export const typeMismatch = define<{ what: string; expected: string; found: string }>({
  code: "cdr/type-mismatch",
  severity: "error",
  message: ({ what, expected, found }) => `${what} is ${expected}, not ${found}`,
  explanation: `Each property has a type; hover or \`cdrc explain\` show it.`,
  fix: "Write a value of the type that the message names.",
});

export const unitMissing = define<{ what: string; expected: string; found: string }>({
  code: "cdr/unit-missing",
  severity: "error",
  message: ({ what, expected, found }) => `${what} needs a unit: ${found} of what? It is counted in ${expected}`,
  explanation: `The unit decides what a number means: \`length = 20B tokens\`, \`20_345 steps\` and \`3 epochs\` are three different
runs, and \`batch = 480\` could be samples or tokens.`,
  fix: "Write the unit behind the number: `20B tokens`, `512 samples`.",
});

export const unitMismatch = define<{ what: string; expected: string; found: string }>({
  code: "cdr/unit-mismatch",
  severity: "error",
  message: ({ what, expected, found }) => `${what} is counted in ${expected}, not in ${found}`,
  explanation: `Dimensions are checked. Step, micro-step, sample and token are different things; hours and dollars are bounds, never
lengths. \`a * b\` and \`a / b\` combine units: \`20 tokens/param * 1B params\` is \`20B tokens\`.`,
  fix: "Write the value in a unit that the message names, or multiply a rate by what it is per: `20 tokens/param * small.parameters.total`.",
});

export const unitUnknown = define<{ unit: string }>({
  code: "cdr/unit-unknown",
  severity: "error",
  message: ({ unit }) => `there is no unit \`${unit}\``,
  explanation: `Units: tokens, samples, steps, micro_steps, epochs, batches, params, bytes (KB MB GB TB = powers of 1000, KiB MiB GiB TiB =
powers of 1024), s ms min h d, usd, gpus, nodes, cores, chars, docs, files, Gbps, TFLOPS, %. Scales stand before them: K M B T Ki Mi Gi Ti.`,
  fix: "Write one of the units that `valid` lists.",
});

export const outOfRange = define<{ what: string; found: string; allowed: string }>({
  code: "cdr/value-range",
  severity: "error",
  message: ({ what, found, allowed }) => `${what} is ${found}, and must be ${allowed}`,
  explanation: `The value has the right type and makes no sense there. Shares are written with \`%\`: \`dropout = 20%\`.`,
  fix: "Write a value inside the range that the message names.",
});

export const wrongChoice = define<{ what: string; found: string; expected: string }>({
  code: "cdr/value-choice",
  severity: "error",
  message: ({ what, found, expected }) => `${found} is no ${expected} for ${what}`,
  explanation: `The property takes one of a fixed set of words; the valid ones are listed.`,
  fix: "Write one of the words that `valid` lists.",
});

export const notBoundable = define<{ what: string }>({
  code: "cdr/bound-misplaced",
  severity: "error",
  message: ({ what }) => `${what} takes a value (\`=\`), not a bound`,
  explanation: `\`<=\`, \`>=\` and \`in\` guide the planner and the sizer where they have a choice: the layout, the shape of a model whose
size is \`auto(…)\`, the size of a cluster.`,
  fix: "Write `=` and one value.",
});

export const operands = define<{ op: string; left: string | null; right: string }>({
  code: "cdr/operator-operands",
  severity: "error",
  message: ({ op, left, right }) =>
    left === null
      ? `\`${op}\` takes ${op === "not" ? "true or false, such as a comparison" : "a number"}, not ${right}`
      : `\`${op}\` cannot combine ${left} and ${right}`,
  explanation: `\`+\`, \`-\` and comparisons take two values of one dimension; \`*\` and \`/\` combine dimensions; \`and\`, \`or\`, \`not\` take true
and false; \`in\` takes a list or a range; \`divides\` takes two whole numbers.`,
  fix: "Bring both sides to one dimension or type, or take the operator that fits them.",
});

export const noMember = define<{ name: string; of: string }>({
  code: "cdr/member-unknown",
  severity: "error",
  message: ({ name, of }) => `${of} has no \`${name}\``,
  explanation: `After a dot stands a property of a block, a field of a record, or something that a step makes (\`pretrain.last\`).`,
  fix: "Write a member that `valid` lists.",
});

export const notCallable = define<{ what: string; instead?: string | undefined }>({
  code: "cdr/call-not-callable",
  severity: "error",
  message: ({ what, instead }) => `${what} cannot be called${instead === undefined ? "" : `: ${instead}`}`,
  explanation: `Functions (\`fn\`), built-in functions and the choices of a property take arguments in parentheses.`,
  fix: "Leave the parentheses out, or call a function that is declared.",
});

export const argumentUnknown = define<{ name: string; of: string }>({
  code: "cdr/argument-unknown",
  severity: "error",
  message: ({ name, of }) => `\`${of}\` has no argument \`${name}\``,
  explanation: `Arguments are named: \`adamw(lr = 6e-4)\`.`,
  fix: "Write an argument that `valid` lists.",
});

export const argumentExcess = define<{ of: string; takes: readonly string[]; given: number }>({
  code: "cdr/argument-excess",
  severity: "error",
  message: ({ of, takes, given }) => {
    const names = takes.map((name) => `\`${name}\``).join(", ");
    const arity =
      takes.length === 0 ? "nothing" : `${takes.length} argument${takes.length === 1 ? "" : "s"} (${names})`;
    return `\`${of}\` takes ${arity}, and is given ${given}`;
  },
  explanation: `A function takes what its declaration lists. Several values for one parameter stand in a list.

    fn twice(x: Int) = x * 2
    let four = twice(2)`,
  fix: "Give as many arguments as it takes, or put several values for one in a list.",
});

export const callLimit = define<{ name: string; most: string }>({
  code: "cdr/call-limit",
  severity: "error",
  message: ({ name, most }) => `a call of \`${name}\` leads to over ${most} further calls`,
  explanation: `The same call is computed once, so that even long chains of functions are short work. Where each of many calls is another one,
checking a file would take minutes.`,
  fix: "Compute it outside and write the result, or let the function look at fewer cases.",
});

export const valueLimit = define<{ what: string; most: string }>({
  code: "cdr/value-limit",
  severity: "error",
  message: ({ what, most }) => `${what} would be longer than ${most}`,
  explanation: `A few lines that each double the one before make more than a machine can hold, so that texts and lists have a limit, each and all
together, far above what a run needs. What is really so long stands in a file that a step reads.`,
  fix: "Make it shorter, or put it into a file.",
});

export const argumentPositional = define<{ of: string }>({
  code: "cdr/argument-unnamed",
  severity: "error",
  message: ({ of }) => `the arguments of \`${of}\` are written with their names`,
  explanation: `\`adamw(3e-4)\` does not say what 3e-4 is; \`adamw(lr = 3e-4)\` does.`,
  fix: "Write the argument's name: `adamw(lr = 3e-4)`.",
});

export const argumentMissing = define<{ name: string; of: string; doc: string }>({
  code: "cdr/argument-missing",
  severity: "error",
  message: ({ name, of, doc }) => `\`${of}\` needs \`${name}\`: ${doc}`,
  explanation: `Arguments without a default must be written.`,
  fix: "Add the argument.",
});

export const argumentTwice = define<{ name: string }>({
  code: "cdr/argument-twice",
  severity: "error",
  message: ({ name }) => `\`${name}\` is given twice`,
  explanation: `An argument is given once, by its name or by its place.`,
  fix: "Remove one of the two.",
});

export const setTwice = define<{ name: string; where?: string }>({
  code: "cdr/property-twice",
  severity: "error",
  message: ({ name, where = "this block" }) => `\`${name}\` is set twice in ${where}`,
  explanation: `Nothing depends on order, so a block says each thing once.`,
  fix: "Remove one of the two lines.",
});

export const notExhaustive = define<{ missing: string }>({
  code: "cdr/match-incomplete",
  severity: "error",
  message: ({ missing }) => `this match says nothing for ${missing}`,
  explanation: `A \`match\` covers every value of what it looks at, or ends with \`else => …\`.`,
  fix: "Add a row for each value that is missing, or `else => …`.",
});

export const neverMatches = define<{ pattern: string }>({
  code: "cdr/match-dead",
  severity: "error",
  message: ({ pattern }) => `${pattern} can never match here`,
  explanation: `The pattern is no value of what the match looks at, or an earlier row takes it.`,
  fix: "Remove the row, or correct its pattern.",
});

export const assertUncertain = define<{ condition: string; values: string }>({
  code: "cdr/assert-uncertain",
  severity: "warning",
  message: ({ condition, values }) => `not sure: ${condition}${values === "" ? "" : ` (${values})`}`,
  explanation: `The condition speaks of an estimate, and inside its interval both outcomes are possible: an estimate that misses a limit for
certain is an error, one that may miss it a warning, one that keeps it for certain passes.`,
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
  message: ({ what, instead }) => `${what} is a secret, and no secret stands in a file: ${instead}`,
  explanation: `What opens a door must not lie in version control, in a bundle or in a log. A \`secret\` says where the target finds it, and a
property that takes one names it. A key that was written into a file once should be replaced by a new one.

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

export const scaleLint = define<{ written: string; binary: string }>({
  code: "cdr/scale-binary",
  severity: "info",
  message: ({ written, binary }) => `${written} is a decimal scale; did you mean ${binary}?`,
  explanation: `\`K\` is 1000 and \`Ki\` is 1024. Context lengths are usually powers of two.`,
  fix: "Write the binary scale (`Ki`, `Mi`) where a power of two is meant; otherwise leave it.",
});

export const formulaTerm = define<{ what: string; term: string }>({
  code: "cdr/formula-term",
  severity: "error",
  message: ({ what, term }) => `${what} is a formula, and ${term} is nothing that it may speak of`,
  explanation: `A formula speaks of the names that its property lists (metrics, terms of a loss, fields of a row), of values of the file, and
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
  fix: "Name what varies, `vary { seed in 1..3 }`, or remove the group.",
});

export const notFinite = define<{ what: string }>({
  code: "cdr/value-infinite",
  severity: "error",
  message: ({ what }) => `${what} is no number that one can count with`,
  explanation: `The result is too large for a number, or none at all: no such amount can be what was meant.`,
  fix: "Write an amount that can be counted: check the factors and their scales.",
});
