/** Diagnostics of lexer and parser: what was expected where something else stands. */
import { define } from "../../diagnostic.ts";

const error = "error";

export const unexpected = define<{ expected: string; found: string }>({
  code: "cdr/syntax-unexpected",
  severity: error,
  message: ({ expected, found }) => `expected ${expected}, found ${found}`,
  explanation: `The line cannot be read from here on. A file holds declarations (\`kind name { … }\`), imports, params, secrets, \`let\`,
\`fn\`, \`enum\`, tests and assertions; a block holds \`name = value\`, bounds (\`name <= value\`) and blocks.`,
  fix: "Write what the message expects, or remove what stands there.",
});

export const valueMissing = define<{ after: string; found: string }>({
  code: "cdr/syntax-value-missing",
  severity: error,
  message: ({ after, found }) => `a value is missing after ${after}, before ${found}`,
  explanation: `After \`=\`, an operator or \`in\` stands a value: a number with its unit, a string, a name, a call, a list.

    batch     = 512 samples
    optimizer = adamw(lr = 3e-4)`,
  fix: "Write the value, or remove the name and its `=`.",
});

export const unquoted = define<{ text: string }>({
  code: "cdr/syntax-quotes",
  severity: error,
  message: ({ text }) => `\`${text}\` needs quotes: it names something outside this file`,
  explanation: `A bare word is a name of this file. Paths, addresses and names of the outside world are texts, and a \`//\` outside
quotes begins a comment.

    from = "hf://HuggingFaceFW/fineweb"
    from = "/data/corpus/*.txt"`,
  fix: "Put it in quotes.",
});

export const notAMember = define<{ what: string }>({
  code: "cdr/syntax-member",
  severity: error,
  message: ({ what }) => `${what} alone says nothing here: write \`name = value\` or \`name { … }\``,
  explanation: `A block says things about itself: properties (\`batch = 512 samples\`), bounds (\`zero_stage <= 2\`), blocks (\`layout { … }\`).
A bare value belongs to a property.`,
  fix: "Write `name = value`, or `name { … }` for a block.",
});

export const colonForEqual = define<{ name: string; isBlock?: boolean; isVaried?: boolean }>({
  code: "cdr/syntax-colon",
  severity: error,
  message: ({ name, isBlock, isVaried }) =>
    isBlock === true
      ? `what stands indented below \`${name}:\` is a block: write \`${name} { … }\`, with \`=\` in each line`
      : isVaried === true
        ? `\`in\` stands before the values that \`${name}\` runs through; \`:\` only gives a type`
        : `\`=\` gives \`${name}\` its value; \`:\` only gives a type`,
  explanation: `\`=\` gives a value everywhere, in calls too. \`:\` stands before a type, in \`param\`, \`let\` and \`fn\`.

    lr = 1e-4
    param nodes: Int = 2`,
  fix: "Write `=` in place of `:`.",
  fixFor: ({ isVaried }) => `Write \`${isVaried === true ? "in" : "="}\` in place of \`:\`.`,
});

export const equalMissing = define<{ name: string; value: string }>({
  code: "cdr/syntax-equal",
  severity: error,
  message: ({ name, value }) => `\`=\` is missing between \`${name}\` and ${value}`,
  explanation: `\`=\` gives a value, everywhere. Two names in a row declare a block.

    optimizer = adamw(lr = 3e-4)
    model gpt { layers = 12 }`,
  fix: "Write `=` between the name and its value.",
});

export const hyphenName = define<{ written: string; name: string }>({
  code: "cdr/syntax-hyphen",
  severity: error,
  message: ({ written, name }) => `\`${written}\` is a subtraction: names have underscores, as in \`${name}\``,
  explanation: `Names are made of letters, digits and \`_\`; \`-\` subtracts. A name from outside the file is written in quotes.

    cluster fleet extends dgx_a100 { nodes = 4 }`,
  fix: "Write the name with underscores, or put a name of the outside world in quotes.",
});

export const gluedWord = define<{ word: string; name: string }>({
  code: "cdr/syntax-glued",
  severity: error,
  message: ({ word, name }) => `a blank is missing in \`${word}${name}\`: it is \`${word} ${name}\``,
  explanation: `The word that declares something and its name are two words.

    param nodes: Int = 2
    let width = 4 * 512`,
  fix: "Put a blank behind the word that declares.",
});

export const importQuotes = define<{ path: string }>({
  code: "cdr/syntax-import",
  severity: error,
  message: ({ path }) => `a file is imported by its path in quotes: \`"${path}"\``,
  explanation: `An import names a file, relative to this one, or a part of the standard library, and the names that it brings.

    import "./data.cdr" { corpus }
    import "std/clusters" { dgx_h100 }`,
  fix: "Put the path in quotes, and the names that it brings in `{ }` behind it.",
});

export const blockAfterValue = define<{ value: string; instead?: string }>({
  code: "cdr/syntax-block",
  severity: error,
  message: ({ value, instead = `\`${value}\` takes its settings in \`( )\`` }) =>
    `no block follows a value: ${instead}`,
  explanation: `What stands behind \`=\` is a choice, and its settings are its arguments. To change some properties of what is
declared elsewhere, write \`with\`.

    optimizer = adamw(lr = 3e-4)
    data      = corpus with { sequence = 2048 tokens }`,
  fix: "Put the settings in `( )`, or write `with { … }` to change what is declared elsewhere.",
});

export const quotedName = define<{ name: string }>({
  code: "cdr/syntax-quoted-name",
  severity: error,
  message: ({ name }) => `\`${name}\` is a name that you give: write it without quotes`,
  explanation: `Quotes mean that the compiler does not know a name: paths, URIs, partitions. What a file declares is a bare word. Only
keys in a \`raw\` block may be quoted.

    source web { from = "hf://roneneldan/TinyStories" }`,
  fix: "Write the name without quotes.",
});

export const declarationEqual = define<{ kind: string; name: string }>({
  code: "cdr/syntax-declaration",
  severity: error,
  message: ({ kind, name }) => `\`${kind} ${name}\` declares a block: it takes \`{ … }\` and no \`=\``,
  explanation: `Kind and name declare a block. A value is named with \`let\`, a value from outside with \`param\`.

    stage pretrain { length = 20B tokens }
    let width = 4 * 512`,
  fix: "Write `kind name { … }` without `=`; name a value with `let name = …`.",
});

export const foreignBinding = define<{ word: string; name: string }>({
  code: "cdr/syntax-binding",
  severity: error,
  message: ({ word, name }) => `\`${word} ${name}\` is written \`let ${name}\``,
  explanation: `\`let\` names a value once and for all. What the user of the file may change is a \`param\`.

    let width = 4 * 512
    param nodes: Int = 2`,
  fix: "Write `let` in place of the word.",
});

export const headerOrder = define<{ clause: string }>({
  code: "cdr/syntax-header",
  severity: error,
  message: ({ clause }) => `\`${clause}\` stands once, in the order \`extends a after b on c\``,
  explanation: `The header of a block is \`[abstract] kind name [extends a] [after b, c] [on d]\`.

    launch desk extends site on bench { target = local }`,
  fix: "Write the clauses once and in the order `extends a after b on c`.",
});

export const headerWord = define<{ block: string; why: string }>({
  code: "cdr/syntax-header-word",
  severity: error,
  message: ({ block, why }) => `the header of \`${block}\` cannot be read: ${why}`,
  explanation: `Behind the kind and the name of a block stand \`extends\` with one other block, \`after\` with steps, several of them with
commas between, and \`on\` with hardware; then its settings in braces. A word that belongs to none of these is a clause that
lacks its word, or one too many.

    stage tuned extends pretrain after filtered on pod { length = 10 steps }`,
  fix: "Write the clause that the name belongs to, or remove the name.",
});
