/** Diagnostics of lexer and parser: what other languages write. */
import { define } from "../../diagnostic.ts";

const error = "error";

export const foreignOperator = define<{ found: string; instead: string }>({
  code: "cdr/syntax-operator",
  severity: error,
  message: ({ found, instead }) => `\`${found}\` is not an operator here: ${instead}`,
  explanation: `The operators are \`or\`, \`and\`, \`not\`, \`== != < <= > >=\`, \`in\`, \`divides\`, \`..\`, \`+ -\`, \`* /\`, \`of\`. A remainder is
\`mod(a, b)\`, a power \`pow(a, b)\`. Members are set with \`=\`; \`+=\` does not exist, since the order of lines has no meaning.`,
  fix: "Write the operator or the function that the message names.",
});

export const foreignImport = define<{ word: string; written: string }>({
  code: "cdr/syntax-import-form",
  severity: error,
  message: ({ word, written }) => `\`${word}\` is not how cdr imports: write \`${written}\``,
  explanation: `An import gives the path of a file, or a part of the standard library without an ending, and lists the imported names.

    import "std/clusters" { dgx_h100 }
    import "./base.cdr" { experiment as base }
    import "std/models" as models`,
  fix: 'Write `import "file" { name }`.',
});

export const setInBraces = define<Record<never, never>>({
  code: "cdr/syntax-in-braces",
  severity: error,
  message: () => "`in` takes a list or a range: `in [1, 2, 4]`, `in 1..8`",
  explanation: `A list of values is written in \`[ ]\`, a range as \`1..8\`. \`{ }\` holds settings.

    layout { micro_batch in 1..64 samples, zero_stage in [1, 2] }`,
  fix: "Write the values in `[ ]`, or a range `1..8`.",
});

export const extendsMissing = define<{ kind: string; name: string; base: string }>({
  code: "cdr/syntax-extends",
  severity: error,
  message: ({ kind, name, base }) =>
    `the block that \`${name}\` copies goes after \`extends\`: \`${kind} ${name} extends ${base} { … }\``,
  explanation: `A block that extends another starts as a copy of it and lists the differences.

    cluster pod extends dgx_h100 { nodes = 2 }`,
  fix: "Write `kind name extends base { … }`.",
});

export const notIn = define<Record<never, never>>({
  code: "cdr/syntax-not-in",
  severity: error,
  message: () => "`not` goes before the whole comparison: `not x in xs`",
  explanation: `\`not\` negates the comparison that follows it.

    keep = [not source in [recall, text]]`,
  fix: "Write `not x in xs`.",
});

export const chainedComparison = define<{ op: string }>({
  code: "cdr/syntax-chained",
  severity: error,
  message: ({ op }) => `comparisons cannot be chained with a second \`${op}\`: join them with \`and\``,
  explanation: `Comparisons and ranges have two sides. To test whether a value lies between two others, use a range.

    assert loss >= 2.0 and loss <= 3.2
    assert loss in 2.0..3.2`,
  fix: "Join two comparisons with `and`, or write a range: `x in 2.0..3.2`.",
});

export const yamlList = define<Record<never, never>>({
  code: "cdr/syntax-list-item",
  severity: error,
  message: () => "a list is written in `[ ]`, without dashes",
  explanation: `The items of a list are separated by commas or line breaks.

    tasks = [hellaswag, arc_easy]`,
  fix: "Write the items in `[ ]` with commas or line breaks between them.",
});

export const tuple = define<Record<never, never>>({
  code: "cdr/syntax-tuple",
  severity: error,
  message: () => "a list of values is written in `[ ]`",
  explanation: `Round brackets call a function or group one value, and a comma ends an argument; neither makes a list.

    betas = [0.9, 0.95]`,
  fix: "Write the values between `[` and `]`.",
});

export const controlFlow = define<{ word: string }>({
  code: "cdr/syntax-control-flow",
  severity: error,
  message: ({ word }) => `\`${word}\` is not a statement here: conditions and repetition are written as values`,
  explanation: `The order of lines has no meaning, so no statement can branch or repeat. \`when = condition\` makes a block
conditional; \`if c then a else b\`, \`match\` and \`[f(x) for x in xs]\` give values.

    source math { when = large, from = "hf://open-web-math/open-web-math" }
    sequence = if large then 4096 tokens else 2048 tokens`,
  fix: "Write `when = condition` in a block, or `if c then a else b` for a value.",
});

export const foreignFunction = define<{ word: string }>({
  code: "cdr/syntax-function",
  severity: error,
  message: ({ word }) => `\`${word}\` does not exist: a function is \`fn name(a: Int) = value\``,
  explanation: `A function is one expression; it has no side effects and cannot call itself.

    fn warmup(total: Steps): Steps = min(2000 steps, total / 100)`,
  fix: "Write `fn name(a: Int) = value`.",
});

export const foreignForm = define<{ written: string; instead: string }>({
  code: "cdr/syntax-foreign",
  severity: error,
  message: ({ written, instead }) => `\`${written}\` is the syntax of another language: ${instead}`,
  explanation: `Terraform's \`variable\` and \`locals\`, TOML's sections, YAML's merge key and Python's stars are written differently here.

    param lr: Float = 1e-4
    let warmup = 100 steps
    model wide extends small { d_model = 1024 }`,
  fix: "Write it as the message says.",
});

export const typeForm = define<{ written: string; instead: string | null }>({
  code: "cdr/syntax-type",
  severity: error,
  message: ({ written, instead }) =>
    instead === null
      ? `\`${written}\` is not a type: composite types are lists (\`[Int]\`), ratios (\`Tokens/Params\`) and unions (\`Int | none\`)`
      : `\`${written}\` is written \`${instead}\``,
  explanation: `A type follows a name and a colon. A list type is the type of its elements in \`[ ]\`; an optional value is a union with \`none\`.

    param nodes: Int = 2
    param stages: [String] = ["a", "b"]
    param limit: Int | none = none`,
  fix: "Write the type as the message does: a list `[Int]`, a union `Int | none`.",
});

export const trailingCondition = define<Record<never, never>>({
  code: "cdr/syntax-condition",
  severity: error,
  message: () => "the condition comes first: `if c then a else b`",
  explanation: `A conditional value begins with its condition.

    sequence = if large then 4096 tokens else 2048 tokens`,
  fix: "Put the condition first: `if c then a else b`.",
});

export const comprehensionPlace = define<Record<never, never>>({
  code: "cdr/syntax-comprehension",
  severity: error,
  message: () => "`for` makes the whole list: it cannot have other items beside it",
  explanation: `A list is either written out or computed. Join two lists with \`+\`.

    seeds = [0] + [2 * n for n in 1..8]`,
  fix: "Put the computed items in a list of their own and join the lists with `+`.",
});
