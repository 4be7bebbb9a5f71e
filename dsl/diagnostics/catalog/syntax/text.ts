/** Diagnostics of lexer and parser: characters, literals, comments and separators. */
import { define } from "../../diagnostic.ts";

const error = "error";

/** A control character or one that an editor does not show is named by its number. */
const visible = (text: string): string =>
  /^[\p{C}\p{Z}\p{M}]+$/u.test(text)
    ? `the invisible character ${[...text].map((c) => `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`).join(" ")}`
    : `\`${text}\``;

export const unknownCharacter = define<{ text: string }>({
  code: "cdr/syntax-character",
  severity: error,
  message: ({ text }) => `${visible(text)} means nothing outside of quotes`,
  explanation: `Names are made of letters, digits and \`_\`. Anything else, such as a path or a name of the outside world,
stands in quotes.

    data_root = "/scratch/größe"`,
  fix: "Remove the character, or put the text that it belongs to in quotes.",
});

export const encoding = define<Record<never, never>>({
  code: "cdr/syntax-encoding",
  severity: error,
  message: () => "these bytes are not UTF-8: save the file as UTF-8",
  explanation: `A file is text in UTF-8, with or without a byte order mark. Editors call it "UTF-8" where they say how a file is
saved.

    param out: Path = "größe"`,
  fix: "Save the file as UTF-8; `iconv -f latin1 -t utf-8` turns an older file into one.",
});

export const stringUnterminated = define<{ quote: string }>({
  code: "cdr/syntax-string-unterminated",
  severity: error,
  message: ({ quote }) => `this string has no closing ${quote}`,
  explanation: `A string ends on the line it begins on. A text of several lines stands between triple quotes, whose common
indentation is taken away.

    prompt = """
      ### Question:
      \${row.question}
      """`,
  fix: "Close the string on its line, or put a text of several lines between triple quotes.",
});

export const stringQuotes = define<Record<never, never>>({
  code: "cdr/syntax-string-quotes",
  severity: error,
  message: () => "strings are written in double quotes",
  explanation: `There is one kind of quotes: \`"web"\`. So that every file reads alike, single and typographic quotes are not strings.

    from = "hf://roneneldan/TinyStories"`,
  fix: "Write double quotes.",
});

export const stringPrefix = define<{ prefix: string; instead: string }>({
  code: "cdr/syntax-string-prefix",
  severity: error,
  message: ({ prefix, instead }) => `no letter stands before a string: \`${prefix}"…"\` is written ${instead}`,
  explanation: `There is one kind of string. Values are put in by \`\${…}\` in each of them, and a backslash is written twice. A string that stands
on several lines has three quotes on both sides.

    name = "step-\${run.step}"
    path = "C:\\\\data"`,
  fix: "Leave the letter out and put values in with `${…}`.",
});

export const stringEscape = define<{ escape: string }>({
  code: "cdr/syntax-string-escape",
  severity: error,
  message: ({ escape }) => `\`${escape}\` is not an escape`,
  explanation: `A backslash begins one of \`\\n\`, \`\\t\`, \`\\r\`, \`\\\\\`, \`\\"\`, \`\\$\`, \`\\u{1F600}\`. A backslash itself is written twice.

    pattern = "\\\\d+"`,
  fix: "Write an escape that the page lists, or the backslash twice.",
});

export const stringNul = define<Record<never, never>>({
  code: "cdr/syntax-string-nul",
  severity: error,
  message: () => "a text holds no NUL character",
  explanation: `No program can be given a NUL: to an operating system it is the end of an argument, a path or a variable, so what
stands behind it would be lost.

    name = "a-b"`,
  fix: "Leave it out.",
});

export const stringInterpolation = define<Record<never, never>>({
  code: "cdr/syntax-string-interpolation",
  severity: error,
  message: () => "`${` has no closing `}` in this string",
  explanation: `\`\${…}\` holds one expression. To write the two characters themselves, escape the dollar sign.

    name = "checkpoint-\${run.step}"
    cost = "\\\${literally}"`,
  fix: "Close it with `}`, or write `\\$` for the dollar sign itself.",
});

export const stringDollar = define<{ name: string }>({
  code: "cdr/syntax-string-dollar",
  severity: "warning",
  message: ({ name }) => `\`$${name}\` is plain text here: cdr puts values in with \`\${…}\``,
  explanation: `No shell reads this string before cdr does, so \`$NAME\` stays as it is. A value is put in with \`\${…}\`; the
identifier of the run is \`\${run.id}\`. If a shell is to read it later, say so with \`\\$\`.

    command = "evaluate --name \${run.id}"`,
  fix: "Write `${…}` to put a value in, or `\\$` where a shell is to read it later.",
});

export const dollar = define<{ text: string }>({
  code: "cdr/syntax-dollar",
  severity: error,
  message: ({ text }) =>
    /^\$\d/.test(text)
      ? `money has its unit behind it: \`${text.slice(1)} usd\``
      : `\`${text}\` is a shell's way to name a value`,
  explanation: `Names have no sign before them. What the environment knows comes in through a \`param\` or a \`secret\`; the run is
\`run.id\`. In \`to\` it is left out: below it each step and each run has a folder of its own.

    param out: Path = env("OUT_DIR")
    stage pretrain { checkpoint { every = 30 min, to = out } }`,
  fix: 'Leave the sign out; bring a variable of the environment in with `param name: String = env("NAME")`.',
});

export const numberForm = define<{ text: string }>({
  code: "cdr/syntax-number",
  severity: error,
  message: ({ text }) => `\`${text}\` is not how a number is written`,
  explanation: `A number has digits on both sides of its point: \`0.5\`, \`1.0\`. Underscores may group digits: \`10_000\`.`,
  fix: "Write digits on both sides of the point, with underscores to group them.",
});

export const numberComma = define<{ text: string; meant: string }>({
  code: "cdr/syntax-number-comma",
  severity: error,
  message: ({ text, meant }) => `\`${text}\` is several values, since a comma separates: write \`${meant}\``,
  explanation: `A comma ends a value, here as between the items of a list. Digits are grouped by underscores (\`10_000\`) or shortened by a
scale (\`10K\`), and the decimals of a number stand behind a point (\`0.5\`).

    length = 10_000 steps`,
  fix: "Group digits with underscores (`10_000`), write a scale (`10K`), or a point before decimals.",
});

export const unitRatio = define<{ written: string; meant: string }>({
  code: "cdr/syntax-unit",
  severity: error,
  message: ({ written, meant }) => `\`${written}\` is written \`${meant}\``,
  explanation: `A ratio of units has slashes and no blanks: \`20 tokens/param\`, \`2.10 usd/gpu/h\`. A word apart from the unit is read as something new.`,
  fix: "Write the units with a slash between them and no blanks: `tokens/s`.",
  fixFor: ({ meant }) => `Write \`${meant}\`.`,
});

export const numberSuffix = define<{ text: string; suffix: string }>({
  code: "cdr/syntax-number-suffix",
  severity: error,
  message: ({ text, suffix }) => `\`${suffix}\` cannot be glued to a number as in \`${text}\``,
  explanation: `Only a scale (\`K M B T\`, \`Ki Mi Gi Ti\`) and \`%\` are glued to a number. A unit follows after one blank.

    length = 20B tokens
    every  = 30 min
    memory = 80 GB`,
  fix: "Put one blank between the number and its unit, or write a scale: K, M, B, T, Ki, Mi, Gi, Ti.",
});

export const scaleBlank = define<{ scale: string }>({
  code: "cdr/syntax-scale",
  severity: error,
  message: ({ scale }) => `the scale is glued to its number as \`${scale}\``,
  explanation: `A scale (\`K M B T\`, \`Ki Mi Gi Ti\`) belongs to the number and stands right behind it; the unit follows after one blank.

    length = 20B tokens`,
  fix: "Write the scale right behind the number, and the unit after one blank.",
});

export const percentBlank = define<Record<never, never>>({
  code: "cdr/syntax-percent",
  severity: error,
  message: () => "`%` is glued to its number",
  explanation: `\`%\` makes a share of a number and stands right behind it: \`0.05%\`. It is never an operator: for a remainder write
\`mod(a, b)\`, to ask for divisibility \`a divides b\`.`,
  fix: "Write `%` right behind its number; for a remainder `mod(a, b)`.",
});

export const clockTime = define<{ text: string }>({
  code: "cdr/syntax-clock-time",
  severity: error,
  message: ({ text }) => `\`${text}\` is a time as Slurm writes it: here a duration has a unit`,
  explanation: `A duration is a number with \`s\`, \`min\`, \`h\` or \`d\`; the target writes it as its scheduler wants it.

    target = slurm(partition = "gpu", time = 36 h)`,
  fix: "Write the duration with a unit: `36 h`, `90 min`.",
});

export const hashComment = define<Record<never, never>>({
  code: "cdr/syntax-comment",
  severity: error,
  message: () => "a comment begins with `//`",
  explanation: `\`//\` begins a comment, \`///\` a sentence of documentation for what follows. There are no \`#\` and no \`/* … */\`.`,
  fix: "Write `//`.",
});

export const commentedNumber = define<{ comment: string; value: string }>({
  code: "cdr/syntax-floor-division",
  severity: "warning",
  message: ({ comment, value }) => `\`${comment}\` is a comment here, and the value is \`${value}\` alone`,
  explanation: `\`//\` begins a comment, and divides nothing. A quotient without its remainder is \`floor(a / b)\`.

    heads = floor(width / 64)`,
  fix: "Write `floor(a / b)`, or say in words what the comment means.",
});

export const semicolon = define<Record<never, never>>({
  code: "cdr/syntax-semicolon",
  severity: error,
  message: () => "a line break or a comma separates, never a semicolon",
  explanation: `The end of a line ends a member. Several on one line have commas between them.

    layout { micro_batch = 8 samples, zero_stage = 2 }`,
  fix: "Write a comma, or end the line.",
});

export const mergeConflict = define<Record<never, never>>({
  code: "cdr/syntax-conflict",
  severity: error,
  message: () => "a merge left its markers here: keep one side",
  explanation: `\`<<<<<<<\`, \`=======\` and \`>>>>>>>\` stand around two versions that git could not join. Only the first was read.`,
  fix: "Keep one side and remove the three lines of markers.",
});

export const leadingMinus = define<Record<never, never>>({
  code: "cdr/syntax-minus",
  severity: error,
  message: () => "a line that begins with `-` does not go on with the line before",
  explanation: `A line goes on when the next one begins with an operator, except \`-\`, which could begin a negative number. Put it at
the end of the line before.

    reward = task -
      0.01 * latency`,
  fix: "Put the `-` at the end of the line before, or a comma where a new value begins.",
});

export const separatorMissing = define<{ found: string }>({
  code: "cdr/syntax-separator",
  severity: error,
  message: ({ found }) => `${found} begins something new: put a comma or a line break before it`,
  explanation: `Members, items and arguments are separated by a comma or a line break, in \`{ }\`, \`( )\` and \`[ ]\` alike.

    moe { experts = 8, top_k = 2 }`,
  fix: "Put a comma or a line break in front of it.",
});
