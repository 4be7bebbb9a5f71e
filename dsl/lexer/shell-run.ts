/** What shells call the run, and what is written for it here. */
import type { Fix } from "../diagnostics/diagnostic.ts";
import { lineStart } from "../source/line-start.ts";
import type { Span } from "../source/source.ts";

export const isShellRun = (name: string): boolean => /^(RUN|RUN_ID|RUN_NAME|SLURM_JOB_ID|JOB_ID)$/.test(name);

/** Nothing in `to`, below which each step and each run gets a folder by itself; elsewhere `written`. */
export function shellRunFix(span: Span, written: string): Fix {
  const { text } = span.source;
  const before = text.slice(lineStart(text, span.start), span.start);
  if (!/\bto\s*=[^,=]*$/.test(before)) return { title: `write \`${written}\``, edits: [{ span, newText: written }] };
  const title = "leave it out: the step and the run's id are added";
  const isInString = /"[^"]*$/.test(before);
  if (isInString && text[span.start - 1] === "/")
    return { title, edits: [{ span: { ...span, start: span.start - 1 }, newText: "" }] };
  if (isInString && text[span.end] === "/")
    return { title, edits: [{ span: { ...span, end: span.end + 1 }, newText: "" }] };
  return { title, edits: [{ span, newText: isInString ? "output" : '"output"' }] };
}

/** `$OUT`, `${OUT:-output}` of a param: a variable of the environment, perhaps with a default. */
export function environmentValue(
  text: string,
  start: number,
): { readonly length: number; readonly call: string } | null {
  const found = /^\$(?:([A-Z_][A-Z0-9_]*)\b|\{([A-Z_][A-Z0-9_]*)(?::?-([^{}"\r\n]*))?\})/.exec(text.slice(start));
  const name = found?.[1] ?? found?.[2];
  if (found === null || name === undefined || isShellRun(name)) return null;
  const other = found[3] === undefined ? "" : `, default = ${JSON.stringify(found[3])}`;
  return { length: found[0].length, call: `env("${name}"${other})` };
}
