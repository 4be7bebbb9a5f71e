/** Above each stage: its plan, a way to run it, and what changed since it last ran. Clients carry out the commands. */
import { type CodeLens, CodeLensRequest, CodeLensResolveRequest } from "vscode-languageserver";
import { besideText, type Feature, feature, viewOf } from "../../dsl/lsp/feature.ts";
import { rangeOf } from "../../dsl/lsp/positions.ts";
import { pathOf } from "../../dsl/lsp/uri.ts";
import type { Workspace } from "../../dsl/lsp/workspace.ts";
import type { Compilation } from "../compile.ts";
import type { StagePlan } from "../plan.ts";
import { count } from "../passes/size/count.ts";
import { gigabytes, hours } from "./figures.ts";
import { stageOf } from "./stage-of.ts";
import { inTable } from "../../dsl/in-table.ts";

/** What differs between a step's newest run and what its file says now; `null` where it never ran. */
export type Changes = (compilation: Compilation, path: string, step: string) => RunChanges | null;

export interface RunChanges {
  readonly run: string;
  readonly changes: readonly string[];
}

interface Data {
  readonly uri: string;
  readonly step: string;
  readonly version: number | null;
}

export function codeLenses(changesOf: Changes): readonly Feature<Compilation>[] {
  return [
    besideText(
      CodeLensRequest.type,
      { codeLensProvider: { resolveProvider: true } },
      (workspace: Workspace<Compilation>, { textDocument: { uri } }): CodeLens[] | null => {
        const view = viewOf(workspace, uri);
        const compilation = view === null ? null : workspace.analysis(view.path);
        if (view === null || compilation === null) return null;
        return [...view.module.names.values()].flatMap((symbol): CodeLens[] => {
          if (symbol.kind !== "block" || symbol.module !== view.module || symbol.node.abstract) return [];
          const kind = inTable(workspace.registry.kinds, symbol.node.head[0].text);
          if (kind?.step !== true) return [];
          const range = rangeOf(symbol.name.span);
          const step = symbol.name.text;
          const plan = stageOf(symbol, compilation);
          const data: Data = { uri, step, version: workspace.document(view.path)?.version ?? null };
          return [
            ...(plan === undefined
              ? []
              : [{ range, command: { title: planTitle(plan), command: "cdr.plan", arguments: [uri, step] } }]),
            { range, command: { title: `run ${step}`, command: "cdr.run", arguments: [uri, step] } },
            { range, data },
          ];
        });
      },
    ),
    feature(CodeLensResolveRequest.type, {}, (workspace: Workspace<Compilation>, lens): CodeLens => {
      // One that came with its command is whole.
      if (lens.data === undefined) return lens;
      const { uri, step } = lens.data as Data;
      const path = pathOf(uri);
      const compilation = workspace.analysis(path);
      const found = compilation === null ? null : changesOf(compilation, path, step);
      const title = found === null ? "not run yet" : changesTitle(found);
      return {
        ...lens,
        command: { title, command: found === null ? "" : "cdr.report", arguments: [uri, found?.run] },
      };
    }),
  ];
}

const planTitle = ({ total, memory, layout, model }: StagePlan): string =>
  `plan: ${count(model.parameters.total)} params, ${total.steps.toLocaleString("en")} steps, ${hours(total.hours)} on ${layout.world}, ${gigabytes(memory.peak)} per rank`;

function changesTitle({ run, changes }: RunChanges): string {
  if (changes.length === 0) return `as run ${run}`;
  const shown = changes.slice(0, 2).join(", ");
  return `since run ${run}: ${shown}${changes.length > 2 ? `, ${changes.length - 2} more` : ""}`;
}
