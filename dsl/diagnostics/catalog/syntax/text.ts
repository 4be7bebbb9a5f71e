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
  message: ({ text }) => `${visible(text)} is not allowed outside of quotes`,
  explanation: `Names consist of letters, digits and \`_\`. Anything else, such as a path or a name from outside the file,
needs quotes.

    data_root = "/scratch/größe"`,
  fix: "Remove the character, or put the text that it belongs to in quotes.",
});

export const encoding = define<Record<never, never>>({
  code: "cdr/syntax-encoding",
  severity: error,
  message: () => "these bytes are not UTF-8: save the file as UTF-8",
  explanation: `Files must be text in UTF-8, with or without a byte order mark. Editors call this encoding "UTF-8" in their settings.

    param out: Path = "größe"`,
  fix: "Save the file as UTF-8; `iconv -f latin1 -t utf-8` converts an older file.",
});

export const stringUnterminated = define<{ quote: string }>({
  code: "cdr/syntax-string-unterminated",
  severity: error,
  message: ({ quote }) => `this string has no closing ${quote}`,
  explanation: `A string ends on the line that it begins on. Text of several lines is written between triple quotes; its common
indentation is removed.

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
  explanation: `The only quotes are double quotes, \`"web"\`; single and typographic quotes do not make strings.

    from = "hf://roneneldan/TinyStories"`,
  fix: "Write double quotes.",
});

export const stringPrefix = define<{ prefix: string; instead: string }>({
  code: "cdr/syntax-string-prefix",
  severity: error,
  message: ({ prefix, instead }) => `strings have no prefix: \`${prefix}"…"\` is written ${instead}`,
  explanation: `All strings are alike: each can insert values with \`\${…}\`, and a backslash is written twice. A string of several lines has
three quotes on both sides.

    name = "step-\${run.step}"
    path = "C:\\\\data"`,
  fix: "Remove the letter and insert values with `${…}`.",
});

export const stringEscape = define<{ escape: string }>({
  code: "cdr/syntax-string-escape",
  severity: error,
  message: ({ escape }) => `\`${escape}\` is not an escape`,
  explanation: `A backslash begins one of \`\\n\`, \`\\t\`, \`\\r\`, \`\\\\\`, \`\\"\`, \`\\$\`, \`\\u{1F600}\`. A backslash itself is written twice.

    pattern = "\\\\d+"`,
  fix: "Write one of the escapes above, or double the backslash.",
});

export const stringNul = define<Record<never, never>>({
  code: "cdr/syntax-string-nul",
  severity: error,
  message: () => "a string cannot contain a NUL character",
  explanation: `An operating system ends an argument, a path or a variable at a NUL character, so the text after it would be
lost.

    name = "a-b"`,
  fix: "Remove the NUL character.",
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
  message: ({ name }) => `\`$${name}\` is plain text here: cdr inserts values with \`\${…}\``,
  explanation: `No shell reads this string before cdr does, so \`$NAME\` stays as it is. Insert a value with \`\${…}\`; the
identifier of the run is \`\${run.id}\`. If a shell reads the string later, write \`\\$\`.

    command = "evaluate --name \${run.id}"`,
  fix: "Write `${…}` to insert a value, or `\\$` if a shell reads the string later.",
});

export const dollar = define<{ text: string }>({
  code: "cdr/syntax-dollar",
  severity: error,
  message: ({ text }) =>
    /^\$\d/.test(text)
      ? `the unit of an amount of money goes after it: \`${text.slice(1)} usd\``
      : `\`${text}\` is shell syntax`,
  explanation: `Names have no \`$\`. A variable of the environment comes in through a \`param\` or a \`secret\`; the run's identifier is
\`run.id\`. It is not needed in \`to\`: each step and each run gets a folder of its own there.

    param out: Path = env("OUT_DIR")
    stage pretrain { checkpoint { every = 30 min, to = out } }`,
  fix: 'Remove the `$`; read a variable of the environment with `param name: String = env("NAME")`.',
});

export const numberForm = define<{ text: string }>({
  code: "cdr/syntax-number",
  severity: error,
  message: ({ text }) => `\`${text}\` is not a valid number`,
  explanation: `A number has digits on both sides of its decimal point: \`0.5\`, \`1.0\`. Underscores may group digits: \`10_000\`.`,
  fix: "Write digits on both sides of the decimal point, and underscores to group them.",
});

export const numberComma = define<{ text: string; meant: string }>({
  code: "cdr/syntax-number-comma",
  severity: error,
  message: ({ text, meant }) => `the comma splits \`${text}\` into several values: write \`${meant}\``,
  explanation: `A comma separates values. Digits are grouped by underscores (\`10_000\`) or shortened by a scale (\`10K\`), and decimals
follow a point (\`0.5\`).

    length = 10_000 steps`,
  fix: "Group digits with underscores (`10_000`), write a scale (`10K`), or put a point before decimals.",
});

export const unitRatio = define<{ written: string; meant: string }>({
  code: "cdr/syntax-unit",
  severity: error,
  message: ({ written, meant }) => `\`${written}\` is written \`${meant}\``,
  explanation: `A ratio of units has slashes and no spaces: \`20 tokens/param\`, \`2.10 usd/gpu/h\`. A word separated from the unit is read as something else.`,
  fix: "Write the units with a slash between them and no spaces: `tokens/s`.",
  fixFor: ({ meant }) => `Write \`${meant}\`.`,
});

export const numberSuffix = define<{ text: string; suffix: string }>({
  code: "cdr/syntax-number-suffix",
  severity: error,
  message: ({ text, suffix }) => `\`${suffix}\` cannot follow a number without a space, as in \`${text}\``,
  explanation: `Only a scale (\`K M B T\`, \`Ki Mi Gi Ti\`) or \`%\` directly follows a number. A unit follows after a space.

    length = 20B tokens
    every  = 30 min
    memory = 80 GB`,
  fix: "Put a space between the number and its unit, or write a scale: K, M, B, T, Ki, Mi, Gi, Ti.",
});

export const scaleBlank = define<{ scale: string }>({
  code: "cdr/syntax-scale",
  severity: error,
  message: ({ scale }) => `the scale directly follows its number, as \`${scale}\``,
  explanation: `A scale (\`K M B T\`, \`Ki Mi Gi Ti\`) directly follows the number; the unit follows after a space.

    length = 20B tokens`,
  fix: "Write the scale directly after the number, and the unit after a space.",
});

export const percentBlank = define<Record<never, never>>({
  code: "cdr/syntax-percent",
  severity: error,
  message: () => "`%` must directly follow its number",
  explanation: `\`%\` turns the number before it into a share: \`0.05%\`. It is not an operator: a remainder is \`mod(a, b)\`, a test of
divisibility \`a divides b\`.`,
  fix: "Write `%` directly after its number; for a remainder, write `mod(a, b)`.",
});

export const clockTime = define<{ text: string }>({
  code: "cdr/syntax-clock-time",
  severity: error,
  message: ({ text }) => `\`${text}\` is Slurm's notation: a duration needs a unit here`,
  explanation: `A duration is a number with \`s\`, \`min\`, \`h\` or \`d\`; the target converts it for its scheduler.

    target = slurm(partition = "gpu", time = 36 h)`,
  fix: "Write the duration with a unit: `36 h`, `90 min`.",
});

export const hashComment = define<Record<never, never>>({
  code: "cdr/syntax-comment",
  severity: error,
  message: () => "a comment begins with `//`",
  explanation: `\`//\` begins a comment, \`///\` documents the next declaration. \`#\` and \`/* … */\` do not exist.`,
  fix: "Write `//`.",
});

export const commentedNumber = define<{ comment: string; value: string }>({
  code: "cdr/syntax-floor-division",
  severity: "warning",
  message: ({ comment, value }) => `\`${comment}\` is a comment, so the value is only \`${value}\``,
  explanation: `\`//\` begins a comment; it is not an operator. Integer division is \`floor(a / b)\`.

    heads = floor(width / 64)`,
  fix: "Write `floor(a / b)`, or reword the comment.",
});

export const semicolon = define<Record<never, never>>({
  code: "cdr/syntax-semicolon",
  severity: error,
  message: () => "members are separated by line breaks or commas, not by semicolons",
  explanation: `A line break ends a member. Several members on one line are separated by commas.

    layout { micro_batch = 8 samples, zero_stage = 2 }`,
  fix: "Write a comma, or end the line.",
});

export const mergeConflict = define<Record<never, never>>({
  code: "cdr/syntax-conflict",
  severity: error,
  message: () => "unresolved merge conflict: keep one side",
  explanation: `\`<<<<<<<\`, \`=======\` and \`>>>>>>>\` mark two versions that git could not merge. Only the first was read.`,
  fix: "Keep one side and remove the three lines of markers.",
});

export const leadingMinus = define<Record<never, never>>({
  code: "cdr/syntax-minus",
  severity: error,
  message: () => "a line that begins with `-` does not continue the line before",
  explanation: `A line that begins with an operator continues the line before, except with \`-\`, which could begin a negative number. Put the
\`-\` at the end of the line before.

    reward = task -
      0.01 * latency`,
  fix: "Move the `-` to the end of the line before, or write a comma before a new value.",
});

export const separatorMissing = define<{ found: string }>({
  code: "cdr/syntax-separator",
  severity: error,
  message: ({ found }) => `a comma or a line break is missing before ${found}`,
  explanation: `Members, items and arguments are separated by commas or line breaks, in \`{ }\`, \`( )\` and \`[ ]\` alike.

    moe { experts = 8, top_k = 2 }`,
  fix: "Put a comma or a line break before it.",
});
