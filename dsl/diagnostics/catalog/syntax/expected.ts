/** Diagnostics of lexer and parser: expected one thing, found another. */
import { define } from "../../diagnostic.ts";

const error = "error";

export const unexpected = define<{ expected: string; found: string }>({
  code: "cdr/syntax-unexpected",
  severity: error,
  message: ({ expected, found }) => `expected ${expected}, found ${found}`,
  explanation: `The rest of the line cannot be read. A file holds declarations (\`kind name { … }\`), imports, params, secrets, \`let\`,
\`fn\`, \`enum\`, tests and assertions; a block holds \`name = value\`, bounds (\`name <= value\`) and blocks.`,
  fix: "Write what the message expects, or remove what was found.",
});

export const valueMissing = define<{ after: string; found: string }>({
  code: "cdr/syntax-value-missing",
  severity: error,
  message: ({ after, found }) => `a value is missing after ${after}, before ${found}`,
  explanation: `\`=\`, an operator or \`in\` must be followed by a value: a number with its unit, a string, a name, a call, a list.

    batch     = 512 samples
    optimizer = adamw(lr = 3e-4)`,
  fix: "Write the value, or remove the name and its `=`.",
});

export const unquoted = define<{ text: string }>({
  code: "cdr/syntax-quotes",
  severity: error,
  message: ({ text }) => `\`${text}\` needs quotes: it names something outside this file`,
  explanation: `A word without quotes is a name of this file. Paths, addresses and names from outside the file need quotes; outside of
quotes, \`//\` begins a comment.

    from = "hf://HuggingFaceFW/fineweb"
    from = "/data/corpus/*.txt"`,
  fix: "Put it in quotes.",
});

export const notAMember = define<{ what: string }>({
  code: "cdr/syntax-member",
  severity: error,
  message: ({ what }) => `${what} alone has no meaning here: write \`name = value\` or \`name { … }\``,
  explanation: `A block holds properties (\`batch = 512 samples\`), bounds (\`zero_stage <= 2\`) and blocks (\`layout { … }\`).
A value needs a property that it belongs to.`,
  fix: "Write `name = value`, or `name { … }` for a block.",
});

export const abstractAmends = define<{ name: string }>({
  code: "cdr/syntax-abstract",
  severity: error,
  message: ({ name }) => `\`abstract ${name}\` has no kind: only a declaration can be abstract`,
  explanation: `A template is declared with \`abstract\`, a kind and a name. A block that is amended keeps being what it is.

    abstract stage base { seed = 7 }`,
  fix: "Write the kind before the name to declare a template; to amend a block, leave out `abstract`.",
});

export const colonForEqual = define<{ name: string; isBlock?: boolean; isVaried?: boolean }>({
  code: "cdr/syntax-colon",
  severity: error,
  message: ({ name, isBlock, isVaried }) =>
    isBlock === true
      ? `the indented lines below \`${name}:\` are a block: write \`${name} { … }\`, with \`=\` in each line`
      : isVaried === true
        ? `\`${name}\` gets its values with \`in\`; \`:\` only gives a type`
        : `\`${name}\` gets its value with \`=\`; \`:\` only gives a type`,
  explanation: `Values are always given with \`=\`, in calls too. \`:\` precedes a type, in \`param\`, \`let\` and \`fn\`.

    lr = 1e-4
    param nodes: Int = 2`,
  fix: "Write `=` instead of `:`.",
  fixFor: ({ isVaried }) => `Write \`${isVaried === true ? "in" : "="}\` instead of \`:\`.`,
});

export const equalMissing = define<{ name: string; value: string }>({
  code: "cdr/syntax-equal",
  severity: error,
  message: ({ name, value }) => `\`=\` is missing between \`${name}\` and ${value}`,
  explanation: `Values are always given with \`=\`. Two names in a row declare a block.

    optimizer = adamw(lr = 3e-4)
    model gpt { layers = 12 }`,
  fix: "Write `=` between the name and its value.",
});

export const hyphenName = define<{ written: string; name: string }>({
  code: "cdr/syntax-hyphen",
  severity: error,
  message: ({ written, name }) =>
    `\`${written}\` is read as a subtraction: names take underscores, as in \`${name}\``,
  explanation: `Names consist of letters, digits and \`_\`; \`-\` subtracts. A name from outside the file is written in quotes.

    cluster fleet extends dgx_a100 { nodes = 4 }`,
  fix: "Write the name with underscores, or put a name from outside the file in quotes.",
});

export const gluedWord = define<{ word: string; name: string }>({
  code: "cdr/syntax-glued",
  severity: error,
  message: ({ word, name }) => `a space is missing in \`${word}${name}\`: write \`${word} ${name}\``,
  explanation: `The word that declares something and its name are two words.

    param nodes: Int = 2
    let width = 4 * 512`,
  fix: "Put a space after the word that declares.",
});

export const importQuotes = define<{ path: string }>({
  code: "cdr/syntax-import",
  severity: error,
  message: ({ path }) => `the path of an import needs quotes: \`"${path}"\``,
  explanation: `An import gives the path of a file, relative to this one, or a part of the standard library, and lists the imported names.

    import "./data.cdr" { corpus }
    import "std/clusters" { dgx_h100 }`,
  fix: "Put the path in quotes, followed by the imported names in `{ }`.",
});

export const blockAfterValue = define<{ value: string; instead?: string }>({
  code: "cdr/syntax-block",
  severity: error,
  message: ({ value, instead = `\`${value}\` takes its settings in \`( )\`` }) =>
    `a value cannot be followed by a block: ${instead}`,
  explanation: `A choice after \`=\` takes its settings as arguments. To change some properties of a block that is declared
elsewhere, write \`with\`.

    optimizer = adamw(lr = 3e-4)
    data      = corpus with { sequence = 2048 tokens }`,
  fix: "Put the settings in `( )`, or write `with { … }` to change a block that is declared elsewhere.",
});

export const quotedName = define<{ name: string }>({
  code: "cdr/syntax-quoted-name",
  severity: error,
  message: ({ name }) => `the name \`${name}\` must not have quotes`,
  explanation: `Quotes are for names that the compiler does not know: paths, URIs, partitions. Declared names have none. Only keys in a
\`raw\` block may be quoted.

    source web { from = "hf://roneneldan/TinyStories" }`,
  fix: "Write the name without quotes.",
});

export const declarationEqual = define<{ kind: string; name: string; sign: string }>({
  code: "cdr/syntax-declaration",
  severity: error,
  message: ({ kind, name, sign }) => `\`${kind} ${name}\` declares a block: it takes \`{ … }\`, not \`${sign}\``,
  explanation: `A kind and a name declare a block. A value is named with \`let\`, a value from outside with \`param\`.

    stage pretrain { length = 20B tokens }
    let width = 4 * 512`,
  fix: "Write `kind name { … }` without `=`; name a value with `let name = …`.",
});

export const foreignBinding = define<{ word: string; name: string }>({
  code: "cdr/syntax-binding",
  severity: error,
  message: ({ word, name }) => `\`${word} ${name}\` is written \`let ${name}\``,
  explanation: `\`let\` names a fixed value. A value that the user of the file may change is a \`param\`.

    let width = 4 * 512
    param nodes: Int = 2`,
  fix: "Write `let` instead.",
});

export const headerOrder = define<{ clause: string; ordered: string | null }>({
  code: "cdr/syntax-header",
  severity: error,
  message: ({ clause, ordered }) =>
    ordered === null
      ? `\`${clause}\` is repeated: it takes one name`
      : `\`${clause}\` is repeated or out of order: write \`${ordered}\``,
  explanation: `The header of a block is \`[abstract] kind name [extends a] [after b, c] [on d]\`.

    launch desk extends site on bench { target = local }`,
  fix: "Write each clause once, in the order `extends a after b on c`.",
});

export const headerWord = define<{ block: string; why: string }>({
  code: "cdr/syntax-header-word",
  severity: error,
  message: ({ block, why }) => `the header of \`${block}\` cannot be read: ${why}`,
  explanation: `After the kind and the name of a block come \`extends\` with one other block, \`after\` with steps, separated by commas,
and \`on\` with hardware; then its settings in braces. A name outside of these clauses lacks its \`extends\`, \`after\` or \`on\`, or is
superfluous.

    stage tuned extends pretrain after filtered on pod { length = 10 steps }`,
  fix: "Write `extends`, `after` or `on` before the name, or remove the name.",
});
