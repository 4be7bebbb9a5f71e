/** Diagnostics about names: what is declared, imported, amended. */
import { define } from "../diagnostic.ts";
import { article } from "../article.ts";

export const unknownName = define<{ name: string; as?: string }>({
  code: "cdr/name-unknown",
  severity: "error",
  message: ({ name, as = "" }) => `${as === "" ? "nothing" : `no ${as}`} is called \`${name}\` here`,
  explanation: `A word without quotes is a name that this file declares or imports, one of the property's own words, or the kind of an
enclosing block (\`stage.length\`). Paths, URIs and other names from outside the file are written in quotes.

    import "std/clusters" { dgx_h100 }   // brings the name
    schedule = cosine(warmup = 100 steps) // a constructor that the property knows`,
  fix: "Correct the spelling, declare or import the name, or put it in quotes if it is a path or a name from outside the file.",
});

export const duplicateName = define<{ name: string }>({
  code: "cdr/name-duplicate",
  severity: "error",
  message: ({ name }) => `\`${name}\` is declared twice`,
  explanation: `A file declares each name once. To change a declared block, write its name alone (\`gpt { … }\` amends it);
to make a variant, declare another block that \`extends\` it.`,
  fix: "Rename one of the two; to amend the declared block, write its name alone, `gpt { … }`.",
  fixFor: ({ name }) =>
    `Rename one of the two; to amend the declared block, write its name alone, \`${name} { … }\`.`,
});

/** `expected`: `null` of a word of the language itself. */
export const ambiguousName = define<{ name: string; expected: string | null; declared: string }>({
  code: "cdr/name-ambiguous",
  severity: "error",
  message: ({ name, expected, declared }) =>
    expected === null
      ? `\`${name}\` is a word of the language: ${article(declared)} of that name could not be read`
      : `\`${name}\` could be the ${expected} of that name or the ${declared} declared in this file`,
  explanation: `The property or the language has a word of its own with this name, and so has a declaration.`,
  fix: "Rename the declaration.",
});

export const unknownKind = define<{
  kind: string;
  inside: readonly string[];
  title?: string;
  block?: string;
}>({
  code: "cdr/kind-unknown",
  severity: "error",
  message: ({ kind, inside, title, block }) =>
    title !== undefined
      ? `a test has a title in quotes: \`test "${title}" { … }\``
      : block !== undefined
        ? `\`${kind}\` is ${article(block)}, not a kind of block`
        : inside.length === 0
          ? `there is no block kind \`${kind}\``
          : `\`${kind}\` belongs inside ${inside.map((each) => article(`\`${each}\``)).join(" or ")}, not at the top of a file`,
  explanation: `A declaration begins with the kind of its block, such as \`model\`, \`data\`, \`stage\`, \`cluster\` or \`launch\`. Each kind has a page in
the reference.`,
  fix: "Write one of the kinds that `valid` lists, or move the block into the one that it belongs to.",
});

export const unknownAmendment = define<{ name: string; leaf?: string; kind?: boolean }>({
  code: "cdr/amend-undeclared",
  severity: "error",
  message: ({ name, leaf, kind }) =>
    kind === true
      ? `\`${name}\` amends every ${name} of the program, but it has no ${name}`
      : leaf === undefined
        ? `\`${name} { … }\` amends a block that is not declared`
        : `\`${name} = …\` amends an undeclared name: ${leaf}`,
  explanation: `A block without a kind amends the declared block of that name. To declare a new one, write its kind first:
\`stage pretrain { … }\`. In a preset, an overlay, a test or \`--set\` a kind alone amends every block of that kind; at least one must exist.`,
  fix: "Write the kind before the name to declare the block, `stage pretrain { … }`, or correct the name.",
  fixFor: ({ name }) =>
    `Correct the name, or write the kind before it to declare the block: \`stage ${name} { … }\`.`,
});

export const missingName = define<{ kind: string }>({
  code: "cdr/name-missing",
  severity: "error",
  message: ({ kind }) => `this ${kind} has no name`,
  explanation: `A declaration has a kind and a name: \`model gpt { … }\`. Only inside \`preset\` and \`overlay\` may a kind stand alone; there it
amends every block of that kind.`,
  fix: "Write a name after the kind: `model gpt { … }`.",
  fixFor: ({ kind }) => `Write a name after the kind: \`${kind} main { … }\`.`,
});

export const importMissing = define<{ path: string }>({
  code: "cdr/import-missing",
  severity: "error",
  message: ({ path }) => (path === "" ? "this import names no file" : `cannot read "${path}"`),
  explanation: `A path is relative to the importing file; \`std/…\` is the standard library.`,
  fix: "Correct the path: it is relative to the importing file, and `std/…` is the standard library.",
});

export const importCycle = define<{ chain: string }>({
  code: "cdr/import-cycle",
  severity: "error",
  message: ({ chain }) => `these files import each other: ${chain}`,
  explanation: `Imports must not form a cycle.`,
  fix: "Move the declarations that both files need into a third file, and import that from both.",
});

export const importUnknown = define<{ name: string; path: string }>({
  code: "cdr/import-unknown",
  severity: "error",
  message: ({ name, path }) => `"${path}" declares no \`${name}\``,
  explanation: `An import can name only what the other file declares itself, not what that file imports.`,
  fix: "Correct the name, or import it from the file that declares it.",
});

export const valueCycle = define<{ chain: string }>({
  code: "cdr/value-cycle",
  severity: "error",
  message: ({ chain }) => `this value depends on itself: ${chain}`,
  explanation: `Values may be computed from one another in any order, but not in a cycle.`,
  fix: "Write one of the values as a number; the others then follow from it.",
});

export const extendsKind = define<{ name: string; kind: string; expected: string }>({
  code: "cdr/extends-kind",
  severity: "error",
  message: ({ name, kind, expected }) =>
    `\`${name}\` is ${article(kind)}, but ${article(expected)} can only extend ${article(expected)}`,
  explanation: "`extends` inherits the members of another block, and each kind of block has its own members.",
  fix: "Extend a block of the same kind.",
});

export const abstractUsed = define<{ name: string; kind: string }>({
  code: "cdr/abstract-used",
  severity: "error",
  message: ({ name, kind }) => `\`${name}\` is an abstract ${kind}: it can be extended, but not used`,
  explanation: `\`abstract\` marks a template, which may be incomplete.`,
  fix: "Declare a block that extends it, and use that block.",
});

export const conditionFalse = define<{ name: string }>({
  code: "cdr/when-false",
  severity: "error",
  message: ({ name }) => `\`${name}\` is absent: its \`when\` condition is false`,
  explanation: `A block with \`when\` exists only if its condition is true; a block that uses it needs the same condition.`,
  fix: "Give the block that uses it the same `when`, or make the condition true.",
});

export const blockRemoved = define<{ name: string }>({
  code: "cdr/block-removed",
  severity: "error",
  message: ({ name }) => `\`${name}\` was removed, but is still used here`,
  explanation: `\`name = none\` in a preset or an overlay removes a block. Every block that uses it must use another one, or be removed as well.`,
  fix: "In the same overlay, give the block that uses it another value, or remove that block too.",
});

export const misplaced = define<{ what: string; where: string }>({
  code: "cdr/misplaced",
  severity: "error",
  message: ({ what, where }) => `${what} is not allowed ${where}`,
  explanation: `Imports, params, secrets, enums and functions belong at the top level of a file; properties belong in blocks.`,
  fix: "Move it to the top level of the file; move a property into its block.",
});

export const unknownVariant = define<{
  kind: string;
  name: string;
  near?: string | null;
  declared: boolean;
}>({
  code: "cdr/variant-unknown",
  severity: "error",
  message: ({ kind, name, near = null }) =>
    `there is no ${kind} \`${name}\`${near === null ? "" : `; did you mean \`${near}\`?`}`,
  explanation: `\`--preset NAME\` takes a preset of the file; \`--with NAME|FILE\` takes an overlay of the file, or a file with overlays.`,
  fix: "Name a preset or an overlay of the file; `valid` lists them.",
  fixFor: ({ kind, name, declared }) =>
    declared
      ? `Name ${kind === "preset" ? "a preset" : "an overlay"} of the file; \`valid\` lists them.`
      : `The file declares no ${kind}: add \`${kind} ${name} { … }\`, or remove the option.`,
});

export const conflictingVariants = define<{ what: string; path: string; first: string; second: string }>({
  code: "cdr/variant-conflict",
  severity: "error",
  message: ({ what, path, first, second }) =>
    `${what} \`${first}\` and \`${second}\` both set \`${path}\`, to different values`,
  explanation: `The order of overlays has no meaning, so two of them must not set the same property to different values.`,
  fix: "Leave one of the overlays out, or choose the value with `--set`.",
});

export const severalPresets = define<{ first: string; second: string }>({
  code: "cdr/preset-several",
  severity: "error",
  message: ({ first, second }) =>
    `the \`when\` conditions of presets \`${first}\` and \`${second}\` are both true, but at most one preset can apply`,
  explanation: `A run has at most one preset: the one that \`--preset\` names, or else the only one whose \`when\` condition is true.`,
  fix: "Make the conditions exclude each other, choose one with `--preset`, or turn one into an overlay.",
});

export const saysNothing = define<{ what: string; why: string }>({
  code: "cdr/says-nothing",
  severity: "warning",
  message: ({ what, why }) => `${what} ${why}`,
  explanation: `A preset or an overlay without amendments changes nothing, although its name promises a change. A test without an
\`assert\` only checks that the amended file has no errors.`,
  fix: "Add an amendment or, in a test, an `assert`; or remove the block.",
});

export const editionUnknown = define<{ written: string }>({
  code: "cdr/edition-unknown",
  severity: "error",
  message: ({ written }) => `there is no edition ${written}`,
  explanation: `\`edition = 2026\` at the top of a file names the version of the language that it was written for, so that later compilers
read it in the same way. A file without an edition is read by the rules of the newest.`,
  fix: "Write an edition that `valid` lists, or leave the line out.",
});
