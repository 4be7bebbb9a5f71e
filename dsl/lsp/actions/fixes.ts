import { isMended } from "../mends.ts";
import type { Action, Offer } from "./action.ts";

/** So many are tried at one place, and no others offered: each is one more reading of the file. */
const most = 16;

/** Every fix that a diagnostic here offers, but those that would leave an error where they mend. */
export const fixes: Offer = ({ view, start, end, workspace }) => {
  const { path, module } = view;
  const diagnostics = workspace.analysis(path)?.diagnostics ?? [];
  const before = { path, text: module.file.source.text, file: module.file, diagnostics };
  const read = (text: string) => {
    const trial = workspace.trial(new Map([[path, text]]));
    return { file: trial.module(path).file, diagnostics: trial.diagnostics(path) };
  };
  let tried = 0;
  return diagnostics
    .filter(({ span }) => span.source.path === path && span.start <= end && start <= span.end)
    .flatMap((mends) =>
      mends.fixes
        .filter((fix) => ++tried <= most && isMended(before, mends, fix, read))
        .map(({ title, edits }): Action => ({ title, kind: "quickfix", edits, mends })),
    );
};
