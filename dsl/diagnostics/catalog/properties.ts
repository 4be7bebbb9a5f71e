/** Diagnostics about properties: which a block has, needs, and says once. */
import { define } from "../diagnostic.ts";

export const unknownProperty = define<{ name: string; where: string; hint: string | null }>({
  code: "cdr/property-unknown",
  severity: "error",
  message: ({ name, where, hint }) => `${where} has no \`${name}\`${hint === null ? "" : `: ${hint}`}`,
  explanation: `Nothing is silently ignored: a name that the block does not know is an error, with the nearest name it knows.`,
  fix: "Write the name that is meant, or remove the line; the block's page lists what it has.",
});

export const foreignProperty = define<{ name: string; instead: string }>({
  code: "cdr/property-foreign",
  severity: "error",
  message: ({ name, instead }) => `\`${name}\` is another tool's name: ${instead}`,
  explanation: `cdr has one name for each thing and derives what follows from others (accumulation, world size, dtype flags), so
that no two of them can disagree.`,
  fix: "Write what the message says in its place.",
});

export const missingProperty = define<{ name: string; where: string; doc: string }>({
  code: "cdr/property-missing",
  severity: "error",
  message: ({ name, where, doc }) => `${where} needs \`${name}\`: ${doc}`,
  explanation: `Every other property has a default or is derived; this one only you can know.`,
  fix: "Add the property.",
  fixFor: ({ name }) => `Add the property: \`${name} = …\`.`,
});

export const amendNothing = define<{ name: string; where: string }>({
  code: "cdr/amend-nothing",
  severity: "error",
  message: ({ name, where }) => `${where} has no \`${name}\` to amend`,
  explanation: `\`a.b = v\` and \`a { … }\` change what is there. To make it, write it with \`=\` or declare it with its kind.`,
  fix: "Write it with `=`, or declare the block with its kind.",
});

export const blockAssigned = define<{ name: string }>({
  code: "cdr/block-assigned",
  severity: "error",
  message: ({ name }) => `\`${name}\` is a block: write \`${name} { … }\` without \`=\``,
  explanation: `A group of settings is a block and takes no \`=\`. \`${"name"} = none\` removes it; \`= auto\` gives it back to the compiler.`,
  fix: "Leave the `=` out: `name { … }`.",
  fixFor: ({ name }) => `Leave the \`=\` out: \`${name} { … }\`.`,
});

export const keptProperty = define<{ what: string; instead: string; from?: string }>({
  code: "cdr/property-kept",
  severity: "error",
  message: ({ what, instead, from }) =>
    from === undefined
      ? `${what} cannot be removed: without a value it is \`${instead}\``
      : `${what} needs a value, and \`${from}\` has none`,
  explanation: `\`= none\` removes what a part can be without: a block of settings, a limit, a path. What always has a value cannot be
removed. \`= auto\` restores its default, and so does leaving the line out. The same holds of what another block is asked for and does not say.`,
  fix: "Write a value; or `= auto`, which restores the default.",
});

export const setTwice = define<{ name: string; where?: string; whole?: string }>({
  code: "cdr/property-twice",
  severity: "error",
  message: ({ name, where = "this block", whole }) =>
    whole === undefined
      ? `\`${name}\` is set twice in ${where}`
      : `\`${name}\` is part of \`${whole}\`, which ${where} sets as a whole`,
  explanation: `Nothing depends on order, so a block sets each property once, and never both a whole and a part of it. Amend a part of
a whole elsewhere: in a block that extends this one, in an overlay, or in a file that imports it.

    stage base { layout = match scale { small => { zero_stage = 0 }, large => { zero_stage = 3 } } }
    stage long extends base { layout { recompute = full } }`,
  fix: "Remove one of the two lines.",
  fixFor: ({ whole }) =>
    whole === undefined
      ? "Remove one of the two lines."
      : `Write it into what \`${whole}\` is set to, or amend it in a block that extends this one or in an overlay.`,
});
