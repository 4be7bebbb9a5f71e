/** `python stack`, `optimizer adamw { lr = 1e-3 }`: a property and its value, written as a block with a name. */
import { equalMissing } from "../../diagnostics/catalog/syntax/expected.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import type { Property } from "../../kind.ts";
import type { Block, Name } from "../../syntax/ast.ts";
import { meanings } from "../../types/type.ts";

/** What goes on with the value that a name begins, or says nothing. */
const goesOn = /^(?:\/\/|[=!<>+*/.([-]|(?:and|or|in|of|divides|with)\b)/;

/** `null` where the block is one, in a place that has none. */
export function withoutEqual({ head: [word], body, span }: Block, name: Name, property: Property): Diagnostic | null {
  const { source } = span;
  const slots = { name: word.text, value: `\`${name.text}\`` };
  if (body === null) {
    // `batch is 8 samples`: a word stands for the sign, and what follows is told as without a separator.
    const value = /^[ \t]+([^\s,}][^\n\r,}]*)/.exec(source.text.slice(name.span.end))?.[1]?.trim();
    if (value !== undefined && !goesOn.test(value))
      return equalMissing(name.span, { ...slots, value: `\`${value}\`` }, { fixes: [replacement(name.span, "=")] });
    const between = { source, start: word.span.end, end: name.span.start };
    return equalMissing(name.span, slots, { fixes: [replacement(between, " = ", "insert `=`")] });
  }
  const isChoice = meanings(property.type).some(
    (t) => t.kind === "choice" && Object.hasOwn(t.constructors, name.text),
  );
  const [first, last] = [body[0], body.at(-1)];
  const isPlain = body.every((statement) => statement.kind === "assign" && statement.target.length === 1);
  if (!isChoice) return null;
  if (!isPlain) return equalMissing(name.span, slots);
  const said = first === undefined || last === undefined ? "" : source.text.slice(first.span.start, last.span.end);
  const call = `${name.text}(${said})`;
  const shown = `${word.text} = ${call.replaceAll(/\s+/g, " ")}`;
  const whole = { source, start: word.span.end, end: span.end };
  return equalMissing(name.span, slots, {
    fixes: [replacement(whole, ` = ${call}`, `write \`${shown}\``)],
  });
}
