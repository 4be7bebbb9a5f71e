/** Diagnostics about properties: unknown, missing, foreign or set twice. */
import { define } from "../diagnostic.ts";

export const unknownProperty = define<{ name: string; where: string; hint: string | null }>({
  code: "cdr/property-unknown",
  severity: "error",
  message: ({ name, where, hint }) => `${where} has no \`${name}\`${hint === null ? "" : `: ${hint}`}`,
  explanation: `Unknown names are never ignored: a property that the block does not have is an error.`,
  fix: "Correct the name, or remove the line; the block's page in the reference lists its properties.",
});

export const foreignProperty = define<{ name: string; instead: string }>({
  code: "cdr/property-foreign",
  severity: "error",
  message: ({ name, instead }) => `\`${name}\` is another tool's name: ${instead}`,
  explanation: `cdr has one name for each setting and derives the rest (accumulation, world size, dtype flags), so that no two settings can
contradict each other.`,
  fix: "Replace the line as the message says.",
});

export const missingProperty = define<{ name: string; where: string; doc: string }>({
  code: "cdr/property-missing",
  severity: "error",
  message: ({ name, where, doc }) => `${where} needs \`${name}\`: ${doc}`,
  explanation: `This property has no default and cannot be derived from others.`,
  fix: "Add the property.",
  fixFor: ({ name }) => `Add the property: \`${name} = …\`.`,
});

export const amendNothing = define<{ name: string; where: string }>({
  code: "cdr/amend-nothing",
  severity: "error",
  message: ({ name, where }) => `${where} has no \`${name}\` to amend`,
  explanation: `\`a.b = v\` and \`a { … }\` change an existing value or block. To create one, assign it with \`=\` or declare it with its kind.`,
  fix: "Assign it with `=`, or declare the block with its kind.",
});

export const blockAssigned = define<{ name: string }>({
  code: "cdr/block-assigned",
  severity: "error",
  message: ({ name }) => `\`${name}\` is a block: write \`${name} { … }\` without \`=\``,
  explanation: `A group of settings is a block and takes no \`=\`. \`${"name"} = none\` removes it; \`= auto\` leaves it to the compiler.`,
  fix: "Leave the `=` out: `name { … }`.",
  fixFor: ({ name }) => `Leave the \`=\` out: \`${name} { … }\`.`,
});

export const keptProperty = define<{ what: string; instead: string; from?: string }>({
  code: "cdr/property-kept",
  severity: "error",
  message: ({ what, instead, from }) =>
    from === undefined
      ? `${what} cannot be removed: without a value it is \`${instead}\``
      : `${what} needs a value, but \`${from}\` has none`,
  explanation: `\`= none\` removes something optional: a block of settings, a limit, a path. A property that always has a value cannot be
removed, nor set to an empty property of another block. \`= auto\` restores its default, and so does removing the line.`,
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
      : `Write it into the value of \`${whole}\`, or amend it in a block that extends this one or in an overlay.`,
});
