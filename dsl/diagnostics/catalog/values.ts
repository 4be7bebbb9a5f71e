/** Diagnostics about values: their types, units and ranges, and what operators make of them. */
import { define } from "../diagnostic.ts";

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
  fix: "Write a unit of what the message names behind the number: `20B tokens`, `512 samples`, `36 h`, `80 GiB`.",
});

export const unitMismatch = define<{ what: string; expected: string; found: string }>({
  code: "cdr/unit-mismatch",
  severity: "error",
  message: ({ what, expected, found }) => `${what} is counted in ${expected}, not in ${found}`,
  explanation: `Dimensions are checked. Step, micro-step, sample and token are different things; hours and dollars are bounds, never
lengths. \`a * b\` and \`a / b\` combine units: \`20 tokens/param * 1B params\` is \`20B tokens\`.`,
  fix: "Write the value in a unit that the message names, or multiply a rate by what it is per: `20 tokens/param * MODEL.parameters.total`.",
  fixFor: ({ found }) =>
    found.includes("/")
      ? "Multiply the rate by what it is per: `20 tokens/param * MODEL.parameters.total`."
      : "Write the value in a unit that the message names.",
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

export const exponentLost = define<{ what: string; found: string; meant: string }>({
  code: "cdr/value-exponent",
  severity: "error",
  message: ({ what, found, meant }) => `${what} is ${found}, a subtraction; did you mean ${meant}?`,
  explanation: `Between two whole numbers without spaces, where a rate or another positive fraction belongs, an \`e\` was lost: \`lr = 6-4\` would
train with a rate of 2.`,
  fix: "Write the exponent, `6e-4`; a difference that is meant stands with spaces, `6 - 4`.",
});

export const wrongChoice = define<{ what: string; found: string; expected: string }>({
  code: "cdr/value-choice",
  severity: "error",
  message: ({ what, found, expected }) => `${found} is no ${expected} for ${what}`,
  explanation: `The property takes one of a fixed set of words; the valid ones are listed.`,
  fix: "Write one of the words that `valid` lists.",
});

export const wordQuoted = define<{ what: string; word: string }>({
  code: "cdr/value-quoted",
  severity: "error",
  message: ({ what, word }) => `${what} takes the word \`${word}\`, and not a text`,
  explanation: `Quotes mean that the compiler does not know what stands in them: a path, a URI, the name of a partition. A word that a
property lists, a choice, \`true\`, \`false\`, \`none\` and \`auto\` stand without them. Quotes stay where a word is no name, such as \`"1b"\`,
and around a type's own texts, \`"x+y" | "x-y"\`; a text that is computed, as by \`env("KIND")\`, is taken for the word that it is.`,
  fix: "Leave the quotes out.",
});

export const notBoundable = define<{ what: string; why?: string }>({
  code: "cdr/bound-misplaced",
  severity: "error",
  message: ({ what, why }) => `${what} takes a value (\`=\`), not a bound${why === undefined ? "" : `: ${why}`}`,
  explanation: `\`<=\`, \`>=\` and \`in\` guide the planner and the sizer where they have a choice: the layout, the shape of a model whose
size is \`auto(…)\`, the size of a cluster.`,
  fix: "Write `=` and one value.",
});

export const operands = define<{ op: string; left: string | null; right: string; why?: string }>({
  code: "cdr/operator-operands",
  severity: "error",
  message: ({ op, left, right, why }) =>
    left === null
      ? `\`${op}\` takes ${op === "not" ? "true or false, such as a comparison" : "a number"}, not ${right}`
      : `\`${op}\` cannot combine ${left} and ${right}${why === undefined ? "" : `: ${why}`}`,
  explanation: `\`+\`, \`-\` and comparisons take two values of one dimension, and a count such as layers is no share (\`5%\`); \`*\` and \`/\` combine dimensions; \`and\`, \`or\`, \`not\` take true
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

export const valueLimit = define<{ what: string; most: string }>({
  code: "cdr/value-limit",
  severity: "error",
  message: ({ what, most }) => `${what} would be longer than ${most}`,
  explanation: `A few lines that each double the one before make more than a machine can hold, so that texts and lists have a limit, each and all
together, far above what a run needs, and so has the way from a name over other names to a value. What is really so long stands in a
file that a step reads.`,
  fix: "Make it shorter, or put it into a file.",
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

export const scaleLint = define<{ written: string; binary: string }>({
  code: "cdr/scale-binary",
  severity: "info",
  message: ({ written, binary }) => `${written} is a decimal scale; did you mean ${binary}?`,
  explanation: `\`K\` is 1000 and \`Ki\` is 1024. Context lengths are usually powers of two.`,
  fix: "Write the binary scale (`Ki`, `Mi`) where a power of two is meant; otherwise leave it.",
});

export const notFinite = define<{ what: string }>({
  code: "cdr/value-infinite",
  severity: "error",
  message: ({ what }) => `${what} is no number that one can count with`,
  explanation: `The result is too large for a number, or none at all, or a whole number of more digits than are kept (beyond 2^53 neighbours are one).
No such amount can be what was meant.`,
  fix: "Write an amount that can be counted: check the factors and their scales.",
});
