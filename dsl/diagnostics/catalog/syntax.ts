/** Diagnostics of lexer and parser: what cannot be read as cdr, and what other languages write in its place. */
import { define } from "../diagnostic.ts";

const error = "error";

// ---- characters and literals -------------------------------------------------------------------------------------

export const unknownCharacter = define<{ text: string }>({
  code: "cdr/syntax-character",
  severity: error,
  message: ({ text }) => `\`${text}\` means nothing outside of quotes`,
  explanation: `Names are made of letters, digits and \`_\`. Anything else, such as a path or a name of the outside world,
stands in quotes.

    data_root = "/scratch/größe"`,
});

export const encoding = define<Record<never, never>>({
  code: "cdr/syntax-encoding",
  severity: error,
  message: () => "these bytes are not UTF-8: save the file as UTF-8",
  explanation: `A file is text in UTF-8, with or without a byte order mark. Editors call it "UTF-8" where they say how a file is
saved; \`iconv -f latin1 -t utf-8\` turns an older file into one.

    param out: Path = "größe"`,
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
});

export const stringQuotes = define<Record<never, never>>({
  code: "cdr/syntax-string-quotes",
  severity: error,
  message: () => "strings stand in double quotes",
  explanation: `There is one kind of quotes: \`"web"\`. So that every file reads alike, single and typographic quotes are not strings.

    from = "hf://roneneldan/TinyStories"`,
});

export const stringEscape = define<{ escape: string }>({
  code: "cdr/syntax-string-escape",
  severity: error,
  message: ({ escape }) => `\`${escape}\` is not an escape`,
  explanation: `A backslash begins one of \`\\n\`, \`\\t\`, \`\\r\`, \`\\0\`, \`\\\\\`, \`\\"\`, \`\\$\`, \`\\u{1F600}\`. A backslash itself is written twice.

    pattern = "\\\\d+"`,
});

export const stringInterpolation = define<Record<never, never>>({
  code: "cdr/syntax-string-interpolation",
  severity: error,
  message: () => "`${` has no closing `}` in this string",
  explanation: `\`\${…}\` holds one expression. To write the two characters themselves, escape the dollar sign.

    name = "checkpoint-\${run.step}"
    cost = "\\\${literally}"`,
});

export const stringDollar = define<{ name: string }>({
  code: "cdr/syntax-string-dollar",
  severity: "warning",
  message: ({ name }) => `\`$${name}\` is plain text here: cdr puts values in with \`\${…}\``,
  explanation: `No shell reads this string before cdr does, so \`$NAME\` stays as it is. A value is put in with \`\${…}\`; the
identifier of the run is \`\${run.id}\`. If a shell is to read it later, say so with \`\\$\`.

    dir = "runs/\${run.id}"`,
});

export const dollar = define<{ text: string }>({
  code: "cdr/syntax-dollar",
  severity: error,
  message: ({ text }) => `\`${text}\` is a shell's way to name a value`,
  explanation: `Names have no sign before them. What the environment knows comes in through a \`param\` or a \`secret\`; the run is
\`run.id\`.

    param out: Path = env("OUT_DIR")
    stage pretrain { dir = out / run.id }`,
});

export const numberForm = define<{ text: string }>({
  code: "cdr/syntax-number",
  severity: error,
  message: ({ text }) => `\`${text}\` is not how a number is written`,
  explanation: `A number has digits on both sides of its point: \`0.5\`, \`1.0\`. Underscores may group digits: \`10_000\`.`,
});

export const numberSuffix = define<{ text: string; suffix: string }>({
  code: "cdr/syntax-number-suffix",
  severity: error,
  message: ({ text, suffix }) => `\`${suffix}\` cannot be glued to a number as in \`${text}\``,
  explanation: `Only a scale (\`K M B T\`, \`Ki Mi Gi Ti\`) and \`%\` are glued to a number. A unit follows after one blank.

    length = 20B tokens
    every  = 30 min
    memory = 80 GB`,
});

export const scaleBlank = define<{ scale: string }>({
  code: "cdr/syntax-scale",
  severity: error,
  message: ({ scale }) => `the scale is glued to its number as \`${scale}\``,
  explanation: `A scale (\`K M B T\`, \`Ki Mi Gi Ti\`) belongs to the number and stands right behind it; the unit follows after one blank.

    length = 20B tokens`,
});

export const percentBlank = define<Record<never, never>>({
  code: "cdr/syntax-percent",
  severity: error,
  message: () => "`%` is glued to its number",
  explanation: `\`%\` makes a share of a number and stands right behind it: \`0.05%\`. It is never an operator: for a remainder write
\`mod(a, b)\`, to ask for divisibility \`a divides b\`.`,
});

export const clockTime = define<{ text: string }>({
  code: "cdr/syntax-clock-time",
  severity: error,
  message: ({ text }) => `\`${text}\` is a time as Slurm writes it: here a duration has a unit`,
  explanation: `A duration is a number with \`s\`, \`min\`, \`h\` or \`d\`; the target writes it as its scheduler wants it.

    target = slurm(partition = "gpu", time = 36 h)`,
});

// ---- comments and separators -------------------------------------------------------------------------------------

export const hashComment = define<Record<never, never>>({
  code: "cdr/syntax-comment",
  severity: error,
  message: () => "a comment begins with `//`",
  explanation: `\`//\` begins a comment, \`///\` a sentence of documentation for what follows. There are no \`#\` and no \`/* … */\`.`,
});

export const semicolon = define<Record<never, never>>({
  code: "cdr/syntax-semicolon",
  severity: error,
  message: () => "a line break or a comma separates, never a semicolon",
  explanation: `The end of a line ends a member. Several on one line have commas between them.

    layout { micro_batch = 8 samples, zero_stage = 2 }`,
});

export const leadingMinus = define<Record<never, never>>({
  code: "cdr/syntax-minus",
  severity: error,
  message: () => "a line that begins with `-` does not go on with the line before",
  explanation: `A line goes on when the next one begins with an operator, except \`-\`, which could begin a negative number. Put it at
the end of the line before.

    reward = task -
      0.01 * latency`,
});

export const separatorMissing = define<{ found: string }>({
  code: "cdr/syntax-separator",
  severity: error,
  message: ({ found }) => `${found} begins something new: put a comma or a line break before it`,
  explanation: `Members, items and arguments are separated by a comma or a line break, in \`{ }\`, \`( )\` and \`[ ]\` alike.

    moe { experts = 8, top_k = 2 }`,
});

// ---- brackets ----------------------------------------------------------------------------------------------------

export const bracketUnclosed = define<{ open: string; close: string }>({
  code: "cdr/syntax-bracket-unclosed",
  severity: error,
  message: ({ open, close }) => `\`${open}\` has no closing \`${close}\`; it was expected here`,
  explanation: `Every bracket is closed. Where the closing one is missing is guessed from the indentation.`,
});

export const bracketUnopened = define<{ close: string }>({
  code: "cdr/syntax-bracket-unopened",
  severity: error,
  message: ({ close }) => `\`${close}\` closes nothing`,
  explanation: `No bracket of this kind is open here: the closing one is superfluous, or an opening one is missing above.`,
});

export const bracketMismatched = define<{ open: string; close: string; wanted: string }>({
  code: "cdr/syntax-bracket-mismatched",
  severity: error,
  message: ({ open, close, wanted }) => `\`${open}\` is closed by \`${wanted}\`, not by \`${close}\``,
  explanation: `\`{ }\` holds members, \`( )\` arguments, \`[ ]\` the items of a list; each is closed by its own kind.`,
});

export const tooDeep = define<Record<never, never>>({
  code: "cdr/syntax-depth",
  severity: error,
  message: () => "this is nested too deeply to be read",
  explanation: `Brackets, operators and interpolations may be nested a few hundred levels deep. Give the inner parts names with \`let\`.`,
});

export const bracketMissing = define<{ close: string }>({
  code: "cdr/syntax-bracket-missing",
  severity: error,
  message: ({ close }) => `a \`{\` is missing here: \`${close}\` below closes nothing`,
  explanation: `The members of a block stand in \`{ }\`; the opening bracket ends the line of the header.

    stage pretrain {
      length = 20B tokens
    }`,
});

// ---- what was expected -------------------------------------------------------------------------------------------

export const unexpected = define<{ expected: string; found: string }>({
  code: "cdr/syntax-unexpected",
  severity: error,
  message: ({ expected, found }) => `expected ${expected}, found ${found}`,
  explanation: `The line cannot be read from here on. A file holds declarations (\`kind name { … }\`), imports, params, secrets, \`let\`,
\`fn\`, \`enum\`, tests and assertions; a block holds \`name = value\`, bounds (\`name <= value\`) and blocks.`,
});

export const valueMissing = define<{ after: string; found: string }>({
  code: "cdr/syntax-value-missing",
  severity: error,
  message: ({ after, found }) => `a value is missing after ${after}, before ${found}`,
  explanation: `After \`=\`, an operator or \`in\` stands a value: a number with its unit, a string, a name, a call, a list.

    batch     = 512 samples
    optimizer = adamw(lr = 3e-4)`,
});

export const notAMember = define<{ what: string }>({
  code: "cdr/syntax-member",
  severity: error,
  message: ({ what }) => `${what} alone says nothing here: write \`name = value\` or \`name { … }\``,
  explanation: `A block says things about itself: properties (\`batch = 512 samples\`), bounds (\`zero_stage <= 2\`), blocks (\`layout { … }\`).
A bare value belongs to a property.`,
});

export const colonForEqual = define<{ name: string }>({
  code: "cdr/syntax-colon",
  severity: error,
  message: ({ name }) => `\`=\` gives \`${name}\` its value; \`:\` only gives a type`,
  explanation: `\`=\` gives a value everywhere, in calls too. \`:\` stands before a type, in \`param\`, \`let\` and \`fn\`.

    lr = 1e-4
    param nodes: Int = 2`,
});

export const equalMissing = define<{ name: string; value: string }>({
  code: "cdr/syntax-equal",
  severity: error,
  message: ({ name, value }) => `\`=\` is missing between \`${name}\` and ${value}`,
  explanation: `\`=\` gives a value, everywhere. Two names in a row declare a block.

    optimizer = adamw(lr = 3e-4)
    model gpt { layers = 12 }`,
});

export const hyphenName = define<{ written: string; name: string }>({
  code: "cdr/syntax-hyphen",
  severity: error,
  message: ({ written, name }) => `\`${written}\` is a subtraction: names have underscores, as in \`${name}\``,
  explanation: `Names are made of letters, digits and \`_\`; \`-\` subtracts. A name of the outside world stands in quotes.

    cluster fleet extends dgx_a100 { nodes = 4 }`,
});

export const importQuotes = define<{ path: string }>({
  code: "cdr/syntax-import",
  severity: error,
  message: ({ path }) => `a file is imported by its path in quotes: \`"${path}"\``,
  explanation: `An import names a file, relative to this one, or a part of the standard library, and the names that it brings.

    import "./data.cdr" { corpus }
    import "std/clusters" { dgx_h100 }`,
});

export const blockAfterValue = define<{ value: string }>({
  code: "cdr/syntax-block",
  severity: error,
  message: ({ value }) => `no block follows a value: \`${value}\` takes its settings in \`( )\``,
  explanation: `What stands behind \`=\` is a choice, and its settings are its arguments. To change some properties of what is
declared elsewhere, write \`with\`.

    optimizer = adamw(lr = 3e-4)
    data      = corpus with { sequence = 2048 tokens }`,
});

export const quotedName = define<{ name: string }>({
  code: "cdr/syntax-quoted-name",
  severity: error,
  message: ({ name }) => `\`${name}\` is a name that you give: write it without quotes`,
  explanation: `Quotes mean that the compiler does not know a name: paths, URIs, partitions. What a file declares is a bare word. Only
keys in a \`raw\` block may be quoted.

    source web { from = "hf://roneneldan/TinyStories" }`,
});

export const declarationEqual = define<{ kind: string; name: string }>({
  code: "cdr/syntax-declaration",
  severity: error,
  message: ({ kind, name }) => `\`${kind} ${name}\` declares a block: it takes \`{ … }\` and no \`=\``,
  explanation: `Kind and name declare a block. A value is named with \`let\`, a value from outside with \`param\`.

    stage pretrain { length = 20B tokens }
    let width = 4 * 512`,
});

export const foreignBinding = define<{ word: string; name: string }>({
  code: "cdr/syntax-binding",
  severity: error,
  message: ({ word, name }) => `\`${word} ${name}\` is written \`let ${name}\``,
  explanation: `\`let\` names a value once and for all. What the user of the file may change is a \`param\`.

    let width = 4 * 512
    param nodes: Int = 2`,
});

export const headerOrder = define<{ clause: string }>({
  code: "cdr/syntax-header",
  severity: error,
  message: ({ clause }) => `\`${clause}\` stands once, in the order \`extends a after b on c\``,
  explanation: `The header of a block is \`[abstract] kind name [extends a] [after b, c] [on d]\`.

    launch desk extends site on bench { target = local }`,
});

// ---- what other languages write ----------------------------------------------------------------------------------

export const foreignOperator = define<{ found: string; instead: string }>({
  code: "cdr/syntax-operator",
  severity: error,
  message: ({ found, instead }) => `\`${found}\` is not an operator here: ${instead}`,
  explanation: `The operators are \`or\`, \`and\`, \`not\`, \`== != < <= > >=\`, \`in\`, \`divides\`, \`..\`, \`+ -\`, \`* /\`, \`of\`. A remainder is
\`mod(a, b)\`, a power \`pow(a, b)\`. A member is changed with \`=\`; there is no \`+=\`, since order means nothing.`,
});

export const notIn = define<Record<never, never>>({
  code: "cdr/syntax-not-in",
  severity: error,
  message: () => "`not` stands before the whole comparison: `not x in xs`",
  explanation: `\`not\` negates the comparison that follows it.

    keep = [not source in [recall, text]]`,
});

export const chainedComparison = define<{ op: string }>({
  code: "cdr/syntax-chained",
  severity: error,
  message: ({ op }) => `a second \`${op}\` cannot be chained: join two comparisons with \`and\``,
  explanation: `Comparisons and ranges have two sides. For a value between two others use a range.

    assert loss >= 2.0 and loss <= 3.2
    assert loss in 2.0..3.2`,
});

export const yamlList = define<Record<never, never>>({
  code: "cdr/syntax-list-item",
  severity: error,
  message: () => "a list stands in `[ ]`, without dashes",
  explanation: `The items of a list are separated by commas or line breaks.

    tasks = [hellaswag, arc_easy]`,
});

export const tuple = define<Record<never, never>>({
  code: "cdr/syntax-tuple",
  severity: error,
  message: () => "a list of values stands in `[ ]`",
  explanation: `Round brackets call or group; they hold one value when they group.

    betas = [0.9, 0.95]`,
});

export const controlFlow = define<{ word: string }>({
  code: "cdr/syntax-control-flow",
  severity: error,
  message: ({ word }) => `\`${word}\` is no member: choices and repetition are values here`,
  explanation: `Order means nothing in a file, so there are no statements that choose or repeat. \`when = condition\` makes a block
conditional; \`if c then a else b\`, \`match\` and \`[f(x) for x in xs]\` are values.

    source math { when = large, from = "hf://open-web-math/open-web-math" }
    sequence = if large then 4096 tokens else 2048 tokens`,
});

export const foreignFunction = define<{ word: string }>({
  code: "cdr/syntax-function",
  severity: error,
  message: ({ word }) => `\`${word}\` does not exist: a function is \`fn name(a: Int) = value\``,
  explanation: `A function is one expression; it has no effect and does not call itself.

    fn warmup(total: Steps): Steps = min(2000 steps, total / 100)`,
});

export const trailingCondition = define<Record<never, never>>({
  code: "cdr/syntax-condition",
  severity: error,
  message: () => "a condition comes first: `if c then a else b`",
  explanation: `A choice between two values begins with its condition.

    sequence = if large then 4096 tokens else 2048 tokens`,
});

export const comprehensionPlace = define<Record<never, never>>({
  code: "cdr/syntax-comprehension",
  severity: error,
  message: () => "`for` makes the whole list: it cannot stand beside other items",
  explanation: `A list is either written out or computed. Join two lists with \`+\`.

    seeds = [0] + [2 * n for n in 1..8]`,
});
