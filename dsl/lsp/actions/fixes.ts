import type { Action, Offer } from "./action.ts";
import { mending } from "./mending.ts";

/** So many are tried at one place, and no others offered: each is one more reading of the file. */
const most = 16;

/** Every fix that a diagnostic here offers, but those that would leave an error where they mend. */
export const fixes: Offer = ({ view, start, end, workspace }) => {
  const { path } = view;
  const diagnostics = workspace.analysis(path)?.diagnostics ?? [];
  const mendsIt = mending(view, diagnostics, workspace);
  let tried = 0;
  return diagnostics
    .filter(({ span }) => span.source.path === path && span.start <= end && start <= span.end)
    .flatMap((mends) =>
      mends.fixes
        .flatMap((fix) => (++tried <= most ? mendsIt(mends, fix) : []))
        .map(({ title, edits }): Action => ({ title, kind: "quickfix", edits, mends })),
    );
};
