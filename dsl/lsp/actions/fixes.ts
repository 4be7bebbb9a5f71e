import type { Action, Offer } from "./action.ts";

/** Every fix that a diagnostic here offers, and each of its valid values where it offers none. */
export const fixes: Offer = ({ view, start, end, workspace }) => {
  const diagnostics = workspace.analysis(view.path)?.diagnostics ?? [];
  return diagnostics
    .filter(({ span }) => span.source.path === view.path && span.start <= end && start <= span.end)
    .flatMap((mends) => mends.fixes.map(({ title, edits }): Action => ({ title, kind: "quickfix", edits, mends })));
};
