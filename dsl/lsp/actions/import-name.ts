/** A name that nothing stands for here, and that another file of the workspace declares, is imported from there. */
import { unknownName } from "../../diagnostics/catalog/names.ts";
import { importFrom } from "../../symbols/import-of.ts";
import { relativePath } from "../relative-path.ts";
import type { Action, Offer } from "./action.ts";
import { mending } from "./mending.ts";

/** So many files are offered. */
const most = 4;

export const importName: Offer = ({ view, start, end, workspace }) => {
  const diagnostics = workspace.analysis(view.path)?.diagnostics ?? [];
  const mendsIt = mending(view, diagnostics, workspace);
  return diagnostics
    .filter(({ code, span }) => code === unknownName.code && span.source.path === view.path)
    .filter(({ span }) => span.start <= end && start <= span.end)
    .flatMap((mends) => {
      const { source, start: from, end: to } = mends.span;
      const name = source.text.slice(from, to);
      return declaringFiles(name, view.path, workspace)
        .slice(0, most)
        .flatMap((path) => importFrom(name, relativePath(view.path, path), view.module.file) ?? [])
        .flatMap((fix) => mendsIt(mends, fix))
        .map(({ title, edits }): Action => ({ title, kind: "quickfix", edits, mends }));
    });
};

/** A file is read only where its text has the name. */
const declaringFiles = (
  name: string,
  own: string,
  workspace: Parameters<Offer>[0]["workspace"],
): readonly string[] =>
  /^\w+$/.test(name)
    ? workspace
        .paths()
        .filter((path) => path !== own && workspace.text(path)?.includes(name) === true)
        .filter((path) => {
          const module = workspace.module(path);
          return module !== null && module.names.get(name)?.module === module;
        })
    : [];
