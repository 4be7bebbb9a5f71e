/** Diagnostics about values: types, units, ranges, and the operands of operators. */
import { define } from "../diagnostic.ts";

export const typeMismatch = define<{ what: string; expected: string; found: string }>({
  code: "cdr/type-mismatch",
  severity: "error",
  message: ({ what, expected, found }) => `${what} must be ${expected}, not ${found}`,
  explanation: `Each property has a type; hovering over it in an editor, or \`cdrc explain\`, shows it.`,
  fix: "Write a value of the type in the message.",
});

export const unitMissing = define<{ what: string; expected: string; found: string }>({
  code: "cdr/unit-missing",
  severity: "error",
  message: ({ what, expected, found }) => `${what} needs a unit: ${found} of what? It is counted in ${expected}`,
  explanation: `The unit decides what a number means: \`length = 20B tokens\`, \`20_345 steps\` and \`3 epochs\` are three different
runs, and \`batch = 480\` could be samples or tokens.`,
  fix: "Write one of these units after the number: `20B tokens`, `512 samples`, `36 h`, `80 GiB`.",
});

/** What a rate is multiplied by, by what it is counted per. */
const multipliers: Readonly<Partial<Record<string, string>>> = {
  param: "the parameters: `20 tokens/param * MODEL.parameters.total`",
  gpu: "the GPUs: `… * CLUSTER.gpus`",
  node: "the nodes: `… * CLUSTER.nodes`",
  s: "a time",
  h: "a time",
};

export const unitMismatch = define<{ what: string; expected: string; found: string }>({
  code: "cdr/unit-mismatch",
  severity: "error",
  message: ({ what, expected, found }) => `${what} is counted in ${expected}, not in ${found}`,
  explanation: `Dimensions are checked. Steps, micro-steps, samples and tokens are different units; hours and dollars are limits, never
lengths. \`a * b\` and \`a / b\` combine units: \`20 tokens/param * 1B params\` is \`20B tokens\`.`,
  fix: "Write the value in the unit that the message names, or multiply a rate by its denominator: `20 tokens/param * MODEL.parameters.total`.",
  fixFor: ({ expected, found }) => {
    const per = expected.includes("/") ? undefined : found.split("/")[1];
    if (per === undefined) return "Write the value in the unit that the message names.";
    return `Multiply the rate by ${multipliers[per] ?? `a number of ${per}s`}.`;
  },
});

export const unitUnknown = define<{ unit: string }>({
  code: "cdr/unit-unknown",
  severity: "error",
  message: ({ unit }) => `there is no unit \`${unit}\``,
  explanation: `Units: tokens, samples, steps, micro_steps, epochs, batches, params, bytes (KB MB GB TB = powers of 1000, KiB MiB GiB TiB =
powers of 1024), s ms min h d, usd, gpus, nodes, cores, chars, docs, files, Gbps, TFLOPS, %. Scales are written before them: K M B T Ki Mi Gi Ti.`,
  fix: "Write one of the units that `valid` lists.",
});

export const outOfRange = define<{ what: string; found: string; allowed: string }>({
  code: "cdr/value-range",
  severity: "error",
  message: ({ what, found, allowed }) => `${what} is ${found}, but must be ${allowed}`,
  explanation: `The value has the right type but is out of range. Shares are written with \`%\`: \`dropout = 20%\`.`,
  fix: "Write a value in the range that the message names.",
});

export const exponentLost = define<{ what: string; found: string; meant: string }>({
  code: "cdr/value-exponent",
  severity: "error",
  message: ({ what, found, meant }) => `${what} is ${found}, a subtraction; did you mean ${meant}?`,
  explanation: `Where a rate or another positive fraction is expected, two whole numbers around a \`-\` without spaces have probably lost an \`e\`:
\`lr = 6-4\` would train with a rate of 2.`,
  fix: "Write the exponent, `6e-4`; if you mean the difference, put spaces around the `-`: `6 - 4`.",
});

export const wrongChoice = define<{ what: string; found: string; expected: string }>({
  code: "cdr/value-choice",
  severity: "error",
  message: ({ what, found, expected }) => `${found} is not a valid ${expected} for ${what}`,
  explanation: `The property takes one of a fixed set of words.`,
  fix: "Write one of the words that `valid` lists.",
});

export const wordQuoted = define<{ what: string; word: string }>({
  code: "cdr/value-quoted",
  severity: "error",
  message: ({ what, word }) => `${what} takes the word \`${word}\`, without quotes`,
  explanation: `Quotes are for text that the compiler does not know: a path, a URI, the name of a partition. The words of a property, choices,
\`true\`, \`false\`, \`none\` and \`auto\` are written without them. Words that are not names keep their quotes, such as \`"1b"\`, and so do
the texts of a type, \`"x+y" | "x-y"\`; a computed text, such as \`env("KIND")\`, stands for the word that it spells.`,
  fix: "Remove the quotes.",
});

export const notBoundable = define<{ what: string; takes?: string; why?: string }>({
  code: "cdr/bound-misplaced",
  severity: "error",
  message: ({ what, takes = "a value (`=`), not a bound", why }) =>
    `${what} takes ${takes}${why === undefined ? "" : `: ${why}`}`,
  explanation: `The bounds \`<=\`, \`>=\` and \`in\` limit the choices of the planner and the sizer: the layout, the shape of a model whose
size is \`auto(…)\`, the size of a cluster. A budget has only an upper bound: \`time <= 3 d\`.`,
  fix: "Write `=` and one value.",
});

export const operands = define<{ op: string; left: string | null; right: string; why?: string }>({
  code: "cdr/operator-operands",
  severity: "error",
  message: ({ op, left, right, why }) =>
    left === null
      ? `\`${op}\` takes ${op === "not" ? "true or false, such as a comparison" : "a number"}, not ${right}`
      : `\`${op}\` cannot combine ${left} and ${right}${why === undefined ? "" : `: ${why}`}`,
  explanation: `\`+\`, \`-\` and comparisons take two values of the same dimension, and a count such as layers is not a share (\`5%\`); \`*\` and \`/\`
combine dimensions; \`and\`, \`or\`, \`not\` take true or false; \`in\` takes a list or a range; \`divides\` takes two whole numbers.`,
  fix: "Bring both sides to the same dimension or type, or use an operator that fits them.",
});

export const noMember = define<{ name: string; of: string }>({
  code: "cdr/member-unknown",
  severity: "error",
  message: ({ name, of }) => `${of} has no \`${name}\``,
  explanation: `A dot is followed by a property of a block, a field of a record, or a result of a step (\`pretrain.last\`).`,
  fix: "Write a member that `valid` lists.",
});

export const valueLimit = define<{ what: string; most: string }>({
  code: "cdr/value-limit",
  severity: "error",
  message: ({ what, most }) => `${what} would be longer than ${most}`,
  explanation: `A few lines that each double the one before can exceed the memory of a machine. So the length of texts and lists, alone and
together, and the length of a chain of names are limited, far above the needs of any run. Put longer content into a file that a
step reads.`,
  fix: "Make it shorter, or put it into a file.",
});

export const notExhaustive = define<{ missing: string }>({
  code: "cdr/match-incomplete",
  severity: "error",
  message: ({ missing }) => `this match has no row for ${missing}`,
  explanation: `A \`match\` must cover every possible value, or end with \`else => …\`.`,
  fix: "Add a row for each missing value, or `else => …`.",
});

export const neverMatches = define<{ pattern: string }>({
  code: "cdr/match-dead",
  severity: "error",
  message: ({ pattern }) => `${pattern} can never match here`,
  explanation: `The matched value can never be this pattern, or an earlier row already covers it.`,
  fix: "Remove the row, or correct its pattern.",
});

export const scaleLint = define<{ written: string; binary: string }>({
  code: "cdr/scale-binary",
  severity: "info",
  message: ({ written, binary }) => `${written} is a decimal scale; did you mean ${binary}?`,
  explanation: `\`K\` is 1000 and \`Ki\` is 1024. Context lengths are usually powers of two.`,
  fix: "Write the binary scale (`Ki`, `Mi`) if you mean a power of two; otherwise leave it.",
});

export const notFinite = define<{ what: string; why: string }>({
  code: "cdr/value-infinite",
  severity: "error",
  message: ({ what, why }) => `${what} is ${why}`,
  explanation: `The result is too large for a number, not a number (such as 0 / 0), or a whole number beyond 2^53, where neighbouring numbers can no
longer be told apart.`,
  fix: "Check the factors and their scales.",
});
