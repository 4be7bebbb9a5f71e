import { misplaced } from "../diagnostics/catalog/names.ts";
import { gluedWord } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { replacement } from "../diagnostics/suggest.ts";
import type { Assign } from "../syntax/ast.ts";
import { gluedIn } from "../syntax/glued.ts";
import { composed, composing } from "../syntax/dashes.ts";

/** `width = 512` at the top of a file, where nothing is given by its name alone. */
export function givenAtTop({ span, target, value }: Assign): Diagnostic {
  const { text, span: name } = target[0];
  const glued = gluedIn(span.source.text.slice(span.start, span.end));
  if (glued !== null) {
    const at = name.start + glued.word.length;
    return gluedWord(name, glued, {
      fixes: [replacement({ ...name, start: at, end: at }, " ", "put a blank there")],
    });
  }
  const what = `\`${text} = …\``;
  if (text === "assert") {
    const sign = { ...name, start: name.end, end: value.span.start };
    const where = "at the top of a file: the condition follows it without a sign";
    return misplaced(span, { what, where }, { fixes: [replacement(sign, " ", "remove the `=`")] });
  }
  const where = "at the top of a file: write `let`, `param`, or put it into a block";
  // `model = Model(layers = 4)` of Python: no value of any name would do.
  const isMade = value.kind === "call" && value.callee.kind === "reference" && /^[A-Z]/.test(value.callee.name.text);
  const details =
    text === composing
      ? { fix: composed }
      : isMade
        ? { fix: "Declare a block, which is a kind, a name and braces: `model small { layers = 4 }`." }
        : { fixes: [replacement({ ...span, end: span.start }, "let ", "write `let`")] };
  return misplaced(span, { what, where }, details);
}
