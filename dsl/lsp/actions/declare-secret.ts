/** A secret that stands in a file, or is read where it is used, becomes a `secret` of the file; or one that is there is named. */
import { secretWritten } from "../../diagnostics/catalog/settings.ts";
import type { Diagnostic, Fix } from "../../diagnostics/diagnostic.ts";
import type { Argument, Assign, Expression } from "../../syntax/ast.ts";
import type { View } from "../feature.ts";
import { nodesAt } from "../nodes.ts";
import { textOf } from "../positions.ts";
import type { Action, Offer } from "./action.ts";
import { mending } from "./mending.ts";
import { freeName, placeFor } from "./new-declaration.ts";

export const declareSecret: Offer = ({ view, start, end, workspace }) => {
  const diagnostics = workspace.analysis(view.path)?.diagnostics ?? [];
  const mendsIt = mending(view, diagnostics, workspace);
  return diagnostics
    .filter(({ code, fixes }) => code === secretWritten.code && fixes.length === 0)
    .filter(({ span }) => span.source.path === view.path && span.start <= end && start <= span.end)
    .flatMap((mends) =>
      fixesOf(mends, view)
        .filter((fix) => mendsIt(mends, fix).length > 0)
        .map((fix): Action => ({ ...fix, kind: "quickfix", mends })),
    );
};

/** So many secrets of the file are offered. */
const most = 4;

function fixesOf({ span }: Diagnostic, view: View): readonly Fix[] {
  const nodes = nodesAt(view.module.file, span.start) as readonly (Expression | Argument | Assign)[];
  const written = nodes.find((node) => node.span.start === span.start && node.span.end === span.end);
  const given = nodes.findLast((node) => node.kind === "argument" || node.kind === "assign");
  if (written === undefined || given === undefined || given.value !== written) return [];
  const wanted = given.kind === "assign" ? given.target.at(-1)?.text : given.name?.text;
  const name = freeName((wanted ?? "key").toLowerCase(), view);
  const source = written.kind === "call" ? textOf(written.span) : `env("${(wanted ?? "key").toUpperCase()}")`;
  const at = placeFor(view.module);
  const declaration = `secret ${name} = ${source}\n${at === 0 ? "\n" : ""}`;
  const known = [...view.module.names].filter(([, symbol]) => symbol.kind === "secret").slice(0, most);
  return [
    ...known.map(([other]) => ({ title: `write \`${other}\``, edits: [{ span, newText: other }] })),
    {
      title: `declare \`secret ${name} = ${source}\``,
      edits: [
        { span: { ...span, start: at, end: at }, newText: declaration },
        { span, newText: name },
      ],
    },
  ];
}
