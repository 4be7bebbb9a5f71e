/** Diagnostics of lexer and parser: brackets, and what is nested too deeply. */
import { define } from "../../diagnostic.ts";

const error = "error";

export const bracketUnclosed = define<{ open: string; close: string }>({
  code: "cdr/syntax-bracket-unclosed",
  severity: error,
  message: ({ open, close }) => `\`${open}\` has no closing \`${close}\`; it was expected here`,
  explanation: `Every bracket must be closed. The position of the missing one is guessed from the indentation.`,
  fix: "Add the closing bracket where the block, the call or the list ends.",
});

export const bracketUnopened = define<{ close: string }>({
  code: "cdr/syntax-bracket-unopened",
  severity: error,
  message: ({ close }) => `\`${close}\` closes nothing`,
  explanation: `No bracket of this kind is open here: either this one is superfluous, or an opening one is missing above.`,
  fix: "Remove the bracket, or add the opening one above.",
});

export const bracketMismatched = define<{ open: string; close: string; wanted: string }>({
  code: "cdr/syntax-bracket-mismatched",
  severity: error,
  message: ({ open, close, wanted }) => `\`${open}\` must be closed by \`${wanted}\`, not by \`${close}\``,
  explanation: `\`{ }\` holds members, \`( )\` arguments, \`[ ]\` the items of a list; each is closed by its own counterpart.`,
  fix: "Close each bracket by its own counterpart.",
});

export const tooDeep = define<Record<never, never>>({
  code: "cdr/syntax-depth",
  severity: error,
  message: () => "this is nested too deeply",
  explanation: `Brackets, operators and interpolations may be nested a few hundred levels deep.`,
  fix: "Name the inner parts with `let`, and use those names.",
});

export const bracketMissing = define<{ close: string }>({
  code: "cdr/syntax-bracket-missing",
  severity: error,
  message: ({ close }) => `a \`{\` is missing here: \`${close}\` below closes nothing`,
  explanation: `The members of a block are written in \`{ }\`; the opening bracket ends the line of the header.

    stage pretrain {
      length = 20B tokens
    }`,
  fix: "Add `{` at the end of the header's line.",
});
