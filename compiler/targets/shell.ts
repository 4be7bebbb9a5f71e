/** Shell scripts from templates: a template cannot forget to quote. */
import { templateOf } from "../templates.ts";
import { oneLine, quote, quoteWords } from "./quote.ts";

const complete = Symbol("shell text");

/** Shell text that goes into a template as it stands. Only this file makes any. */
export interface ShellText {
  readonly [complete]: string;
}

/** Words that stay bare where they may, for templates; `{ variable, rest }` begins with what a variable of the script holds. */
export function shellWords(
  words: readonly (string | { readonly variable: string; readonly rest: string })[],
): ShellText {
  const written = words.map((word) =>
    typeof word === "string" ? quoteWords([word]) : `"$${word.variable}"${word.rest && quoteWords([word.rest])}`,
  );
  return { [complete]: written.join(" ") };
}

/** What may stand behind a `#`: no line break ends it. */
export function comment(text: string): ShellText {
  return { [complete]: oneLine(text) };
}

/** What a shell template may hold: every string is quoted on its way in, numbers and truth values stand as they are. */
export type ShellValue =
  string | number | boolean | null | ShellText | readonly ShellValue[] | { readonly [key: string]: ShellValue };

/** Renders `templates/<path>` with every string of the context quoted. */
export function renderShell(path: string, context: { readonly [key: string]: ShellValue }): string {
  return templateOf(path)(quoted(context));
}

function quoted(value: ShellValue): unknown {
  if (typeof value === "string") return quote(value);
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map(quoted);
  if (complete in value) return value[complete];
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, quoted(item)]));
}

function isList(value: ShellValue): value is readonly ShellValue[] {
  return Array.isArray(value);
}
