import type { Diagnostic } from "./diagnostic.ts";

/** What the edits do that are offered; where there are none, the advice. */
export const fixesOf = ({ fixes, fix }: Diagnostic): readonly string[] =>
  fixes.length > 0 ? fixes.map(({ title }) => title) : [fix];
