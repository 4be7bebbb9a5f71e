import { spanOf, type Subject } from "../lower/intent.ts";
import { layoutIntents } from "../lower/layout.ts";

/**
 * Arguments of the layout that nobody wrote. The planner knows what they cost and found nothing better: a warning of it would blame
 * somebody who can change nothing.
 */
export function chosenIn(subject: Subject): ReadonlySet<string> {
  return new Set(
    layoutIntents(subject)
      .filter((intent) => intent.from.startsWith("layout.") && spanOf(subject, intent) === subject.stage.span)
      .map(({ dest }) => dest),
  );
}
