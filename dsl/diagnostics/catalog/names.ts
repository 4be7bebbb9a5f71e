/** Diagnostics about names: what is declared, imported, amended. */
import { define } from "../diagnostic.ts";

export const unknownName = define<{ name: string; as?: string }>({
  code: "cdr/name-unknown",
  severity: "error",
  message: ({ name, as = "" }) => `${as === "" ? "nothing" : `no ${as}`} is called \`${name}\` here`,
  explanation: `A bare word is a name that this file declares or imports, a member of what the property expects, or a kind
word for an enclosing block (\`stage.length\`). Paths, URIs and other names from outside the file are written in quotes.

    import "std/clusters" { dgx_h100 }   // brings the name
    schedule = cosine(warmup = 100 steps) // a constructor that the property knows`,
  fix: "Correct the spelling, declare or import the name, or put it in quotes where it is a path or a name of the outside world.",
});

export const duplicateName = define<{ name: string }>({
  code: "cdr/name-duplicate",
  severity: "error",
  message: ({ name }) => `\`${name}\` is declared twice`,
  explanation: `A name is declared once in a file. To change what is declared, write the name alone (\`gpt { … }\` amends);
to make a variant, declare another one that \`extends\` it.`,
  fix: "Rename one of the two; to change what is declared write its name alone, `gpt { … }`.",
  fixFor: ({ name }) => `Rename one of the two; to change what is declared write its name alone, \`${name} { … }\`.`,
});

export const ambiguousName = define<{ name: string; expected: string; declared: string }>({
  code: "cdr/name-ambiguous",
  severity: "error",
  message: ({ name, expected, declared }) =>
    `\`${name}\` could be the ${expected} of that name or the ${declared} declared in this file`,
  explanation: `The property expects one of its own words, and a declaration has the same name.`,
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
        ? `\`${kind}\` is a ${block}, and no kind of block`
        : inside.length === 0
          ? `there is no block kind \`${kind}\``
          : `\`${kind}\` stands inside a \`${inside.join("` or a `")}\`, and not at the top of a file`,
  explanation: `A block that declares something begins with its kind, such as \`model\`, \`data\`, \`stage\`, \`cluster\` or \`launch\`; all of them
are listed, and each has a page in the reference.`,
  fix: "Write one of the kinds that `valid` lists, or move the block into the one that it belongs to.",
});

export const unknownAmendment = define<{ name: string; leaf?: string; kind?: boolean }>({
  code: "cdr/amend-undeclared",
  severity: "error",
  message: ({ name, leaf, kind }) =>
    kind === true
      ? `\`${name}\` amends every ${name} of the program, and there is none`
      : leaf === undefined
        ? `\`${name} { … }\` amends something that is not declared`
        : `\`${name} = …\` amends something that is not declared: ${leaf}`,
  explanation: `A block that begins with a name alone changes what has that name. To declare something new, write its kind first:
\`stage pretrain { … }\`. In a preset, an overlay, a test or \`--set\` a kind alone amends every block of that kind, of which there must be one.`,
  fix: "Write the kind in front to declare it, `stage pretrain { … }`, or correct the name.",
  fixFor: ({ name }) => `Correct the name, or write the kind in front to declare it: \`stage ${name} { … }\`.`,
});

export const missingName = define<{ kind: string }>({
  code: "cdr/name-missing",
  severity: "error",
  message: ({ kind }) => `this ${kind} has no name`,
  explanation: `A block that declares something has a kind and a name: \`model gpt { … }\`. Inside \`preset\` and \`overlay\`, a kind
alone amends every block of that kind.`,
  fix: "Write a name behind the kind: `model gpt { … }`.",
  fixFor: ({ kind }) => `Write a name behind the kind: \`${kind} main { … }\`.`,
});

export const importMissing = define<{ path: string }>({
  code: "cdr/import-missing",
  severity: "error",
  message: ({ path }) => `cannot read "${path}"`,
  explanation: `Paths are relative to the file that imports; \`std/…\` is the standard library.`,
  fix: "Correct the path: it counts from the file that imports, and `std/…` is the standard library.",
});

export const importCycle = define<{ chain: string }>({
  code: "cdr/import-cycle",
  severity: "error",
  message: ({ chain }) => `these files import each other: ${chain}`,
  explanation: `Imports bring names, so they must form no circle.`,
  fix: "Move what both files need into a third one, and import that from both.",
});

export const importUnknown = define<{ name: string; path: string }>({
  code: "cdr/import-unknown",
  severity: "error",
  message: ({ name, path }) => `"${path}" declares no \`${name}\``,
  explanation: `An import names declarations of the other file; they are not passed on by files that merely import them.`,
  fix: "Correct the name, or import it from the file that declares it.",
});

export const valueCycle = define<{ chain: string }>({
  code: "cdr/value-cycle",
  severity: "error",
  message: ({ chain }) => `this value depends on itself: ${chain}`,
  explanation: `Values are computed from one another in any order, but never in a circle.`,
  fix: "Write one of the values as a number, so that the others follow from it.",
});

export const extendsKind = define<{ name: string; kind: string; expected: string }>({
  code: "cdr/extends-kind",
  severity: "error",
  message: ({ name, kind, expected }) => `\`${name}\` is a ${kind}, and a ${expected} can only extend a ${expected}`,
  explanation: "`extends` inherits the members of another block, and a block of another kind has other members.",
  fix: "Extend a block of the same kind.",
});

export const abstractUsed = define<{ name: string; kind: string }>({
  code: "cdr/abstract-used",
  severity: "error",
  message: ({ name, kind }) => `\`${name}\` is an abstract ${kind}: it can be extended, not used`,
  explanation: `\`abstract\` marks a template that may be incomplete.`,
  fix: "Declare a block that extends it, and use that.",
});

export const conditionFalse = define<{ name: string }>({
  code: "cdr/when-false",
  severity: "error",
  message: ({ name }) => `\`${name}\` is absent: its \`when\` condition is false`,
  explanation: `A block with \`when\` exists only if its condition holds; a block that uses it needs the same condition.`,
  fix: "Give the block that needs it the same `when`, or make the condition true.",
});

export const blockRemoved = define<{ name: string }>({
  code: "cdr/block-removed",
  severity: "error",
  message: ({ name }) => `\`${name}\` is not there: it was removed`,
  explanation: `\`name = none\` in a preset or an overlay removes a block. Whoever reads it needs another one in its place, or must go as well.`,
  fix: "Give what reads it something else in the same overlay, or remove that too.",
});

export const misplaced = define<{ what: string; where: string }>({
  code: "cdr/misplaced",
  severity: "error",
  message: ({ what, where }) => `${what} cannot stand ${where}`,
  explanation: `Imports, params, secrets, enums and functions stand at the top of a file; properties stand in blocks.`,
  fix: "Move it to the top of the file, or a property into its block.",
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
  explanation: `\`--preset NAME\` takes a preset of the file, \`--with NAME|FILE\` an overlay of the file or another file's overlays.`,
  fix: "Name a preset or an overlay of the file; `valid` lists them.",
  fixFor: ({ kind, name, declared }) =>
    declared
      ? `Name ${kind === "preset" ? "a preset" : "an overlay"} of the file; \`valid\` lists them.`
      : `The file declares no ${kind}: write \`${kind} ${name} { … }\`, or leave it out.`,
});

export const conflictingVariants = define<{ what: string; path: string; first: string; second: string }>({
  code: "cdr/variant-conflict",
  severity: "error",
  message: ({ what, path, first, second }) =>
    `${what} \`${first}\` and \`${second}\` both set \`${path}\`, to different values`,
  explanation: `Overlays do not depend on their order, so two of them may not disagree.`,
  fix: "Leave one of the overlays out, or decide with `--set`.",
});

export const severalPresets = define<{ first: string; second: string }>({
  code: "cdr/preset-several",
  severity: "error",
  message: ({ first, second }) =>
    `presets \`${first}\` and \`${second}\` both hold (\`when\`), and at most one can apply`,
  explanation: `A run has one preset: the one that \`--preset\` names, or the only one whose \`when\` condition is true.`,
  fix: "Make the conditions exclude each other, name one with `--preset`, or make one an overlay.",
});

export const saysNothing = define<{ what: string; why: string }>({
  code: "cdr/says-nothing",
  severity: "warning",
  message: ({ what, why }) => `${what} ${why}`,
  explanation: `A preset or an overlay is what it amends, and a test what it asserts of the file as its variants and amendments leave it. An empty one does nothing
wherever it is named, and its name promises something else. A test that amends and asserts nothing passes where the file so amended has no error.`,
  fix: "Write what it is for, an amendment or, in a test, an `assert`; or leave it out.",
});

export const editionUnknown = define<{ written: string }>({
  code: "cdr/edition-unknown",
  severity: "error",
  message: ({ written }) => `there is no edition ${written}`,
  explanation: `\`edition = 2026\` at the top of a file says which rules it was written for, so that a later compiler reads it as it was
meant. A file that names none is read by the newest edition.`,
  fix: "Write an edition that `valid` lists, or leave the line out.",
});
