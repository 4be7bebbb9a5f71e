/** Diagnostics about the rows of data: which are kept, and what their parts are. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const keepNothing = define<{ condition: string; why: string }>({
  code: "cdr/data-keep",
  severity: "error",
  message: ({ condition, why }) => `\`${condition}\` keeps nothing: ${why}`,
  explanation: `Only text that meets all conditions of \`keep\` is trained on. If one of them can never be true, or two exclude each other, no text
is left.`,
  fix: "Widen one of the conditions until some text meets all of them.",
});

export const keepIdle = define<{ fact: string; why: string }>({
  code: "cdr/data-keep-idle",
  severity: "warning",
  message: ({ fact, why }) => `the alternative of \`or\` on \`${fact}\` is never true: ${why}`,
  explanation: `One side of \`or\` is enough, so an alternative that no text meets goes unnoticed. The text that it was written for is dropped.`,
  fix: "Correct the alternative that is never true, or remove it.",
});

export const keepAll = define<{ condition: string; why: string }>({
  code: "cdr/data-keep-all",
  severity: "warning",
  message: ({ condition, why }) => `\`${condition}\` is true for every text, so it drops nothing: ${why}`,
  explanation: `A limit outside the range of a measure is usually a slip: \`repetition <= 20\` means 2000 %, where \`20%\` was meant.`,
  fix: "Write a limit in the range that the message names, or remove the condition.",
});

export const partsAlike = define<{ format: string; name: string; other: string }>({
  code: "cdr/data-parts",
  severity: "error",
  message: ({ format, name, other }) => `\`${name}\` and \`${other}\` of \`${format}\` are the same text of a row`,
  explanation: `A pair teaches the difference between its parts: a preferred and a rejected answer, a prompt and what answers it. Where both are the same
text, there is nothing to learn.`,
  fix: 'Write the field that each part is in: `chosen = "${row.chosen}", rejected = "${row.rejected}"`.',
});
