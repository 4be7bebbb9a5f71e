import { positionAt } from "../../source/source.ts";
import { duplicateName } from "../catalog/names.ts";
import { setTwice } from "../catalog/properties.ts";
import { unreadParam, unusedSecret } from "../catalog/unused.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { brokenBy, declaresElsewhere, isSyntax } from "./broken.ts";
import { extendsBroken, hidesNames, holdsBroken, namesBroken, statementBroken } from "./hidden.ts";
import { withoutParts, withoutSums } from "./parts.ts";
import { lineOf } from "./statements.ts";
import { together } from "./together.ts";

/**
 * Leaves out what only follows from text that could not be read: a line says one thing, a block with such a line may well
 * have what it seems to lack, and a name on such a line may well be declared there.
 */
export function withoutConsequences(all: readonly Diagnostic[]): readonly Diagnostic[] {
  const diagnostics = withoutParts(all);
  const mistakes = diagnostics.filter(
    (each) => isSyntax(each) || hidesNames.test(each.code) || declaresElsewhere(each),
  );
  const twice = diagnostics.filter((each) => each.code === duplicateName.code || declaresElsewhere(each));
  if (mistakes.length === 0) return twice.length === 0 ? diagnostics : withoutSums(diagnostics, twice);
  const broken = brokenBy(mistakes);
  const kept = diagnostics.filter((diagnostic) => {
    const own = broken.get(diagnostic.span.source.path);
    if (own === undefined) return true;
    const cause = own.causes.get(lineOf(diagnostic));
    if (isSyntax(diagnostic)) {
      const opened = diagnostic.related.map((note) =>
        own.causes.get(positionAt(note.span.source, note.span.start).line),
      );
      return cause?.code === diagnostic.code && opened.every((other) => other === undefined || other === cause);
    }
    if (diagnostic.code === unusedSecret.code || diagnostic.code === unreadParam.code) return false;
    // Which of two values counts is no question while one of them cannot be read.
    const isLost = (line: number): boolean => own.causes.has(line) || own.hides.has(line);
    const isRepeat = diagnostic.code === setTwice.code;
    if (isRepeat && diagnostic.related.some(({ span }) => isLost(positionAt(span.source, span.start).line)))
      return false;
    if (holdsBroken(own, diagnostic) || namesBroken(own, diagnostic)) return false;
    if (diagnostic.related.some(({ span }) => statementBroken(broken.get(span.source.path), span))) return false;
    return !(/^cdr\/(?:property-missing|misplaced)$/.test(diagnostic.code) && extendsBroken(own, diagnostic));
  });
  return together(twice.length === 0 ? kept : withoutSums(kept, twice));
}
