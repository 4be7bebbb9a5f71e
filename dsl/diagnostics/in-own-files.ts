/** A contradiction with a figure of the standard library is told where somebody wrote the other one: nobody edits the library. */
import type { Source, Span } from "../source/source.ts";
import type { Diagnostic } from "./diagnostic.ts";

const isStandard = ({ source }: Span): boolean => source.path.startsWith("std/");

/** `fallback`: where nothing of one's own has a part in it. */
export function inOwnFiles(diagnostic: Diagnostic, root: Source, fallback: () => Span | null): Diagnostic {
  const { span, related, fixes } = diagnostic;
  if (!isStandard(span) || span.source.path === root.path) return diagnostic;
  const own = related.find((each) => !isStandard(each.span));
  const place = own?.span ?? fallback();
  if (place === null) return diagnostic;
  const [fix] = fixes;
  return {
    ...diagnostic,
    span: place,
    related: [{ message: "the library says this", span }, ...related.filter((each) => each !== own)],
    fixes: fixes.filter(({ edits }) => edits.every((edit) => !isStandard(edit.span))),
    fix: fix === undefined ? diagnostic.fix : `In your own block, ${fix.title}; or change the marked one.`,
  };
}
