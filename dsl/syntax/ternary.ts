import type { Fix } from "../diagnostics/diagnostic.ts";
import { lineAround } from "../source/line-around.ts";
import type { Source } from "../source/source.ts";

/** What stands before the condition, the condition, and both values. */
const form =
  /^(.*?[^=!<>]=[ \t]*)([^?:="]+|[^?:="]*[=!<>]=[^?:=]*?)[ \t]*\?[ \t]*([^?:]+?)[ \t]*:[ \t]*([^?:,/{}]+?)[ \t]*,?$/;

/** Of longer lines nobody writes one. */
const longest = 160;

/** `length = big ? 200 steps : 100 steps` of a line that says nothing else, as `if` writes it. */
export function ternary(source: Source, question: number): Fix | null {
  const { text } = source;
  const first = Math.max(0, question - longest);
  const [before = "", broken] = text
    .slice(first, question)
    .split(/[\r\n]/)
    .toReversed();
  if (broken === undefined && first > 0) return null;
  const start = question - before.length;
  const line = /^.*/.exec(text.slice(start, start + longest))?.[0] ?? "";
  const [, given = "", condition, then, otherwise] = form.exec(line) ?? [];
  if (line.length === longest || condition === undefined || then === undefined || otherwise === undefined)
    return null;
  const span = {
    source,
    start: start + given.length,
    end: start + line.lastIndexOf(otherwise) + otherwise.length,
  };
  const newText = `if ${condition.trim()} then ${then} else ${otherwise}`;
  return { title: `write \`${newText}\``, edits: [{ span, newText }] };
}

/** A condition and both values in `${ }`, which hold no sign that ends them. */
const formInText = /\$\{[ \t]*([^?{}]+?)[ \t]*\?[ \t]*([^?:{}]+?)[ \t]*:[ \t]*([^?:{}]+?)[ \t]*\}/y;

/** `"${late ? "a" : "b"}"`: in a text the braces say where it begins and ends. */
export function ternaryInText(source: Source, question: number): Fix | null {
  const { before } = lineAround(source.text, question);
  const open = before.lastIndexOf("${");
  if (open < 0) return null;
  const start = question - before.length + open;
  formInText.lastIndex = start;
  const [whole, condition, then, otherwise] = formInText.exec(source.text) ?? [];
  if (whole === undefined || start + whole.length <= question) return null;
  const newText = `if ${condition} then ${then} else ${otherwise}`;
  const span = { source, start: start + 2, end: start + whole.length - 1 };
  return { title: `write \`${newText}\``, edits: [{ span, newText }] };
}

/** `length = 100 steps if small else 200 steps`, as `if` writes it. */
export function conditionFirst(source: Source, word: number): readonly Fix[] {
  const { before, after } = lineAround(source.text, word);
  const value = /[=(,[][ \t]*([^=(,[\s](?:[^=(,[]*[^=(,[\s])?)[ \t]*$/.exec(before)?.[1];
  const [whole, condition = "", otherwise = ""] =
    /^if[ \t]+([^,{}]+?)[ \t]+else[ \t]+([^,{}()]+?)(?=[ \t]*(?:[,})]|$))/.exec(after) ?? [];
  if (value === undefined || whole === undefined) return [];
  const start = word - (before.length - before.lastIndexOf(value));
  const span = { source, start, end: word + whole.length };
  const newText = `if ${condition} then ${value} else ${otherwise}`;
  return [{ title: `write \`${newText}\``, edits: [{ span, newText }] }];
}
