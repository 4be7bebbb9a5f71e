/** Says diagnostics as files change: the newest first, one analysis at a time, never for a text that has been replaced. */
import type { PublishDiagnosticsParams } from "vscode-languageserver";
import { byPath, protocolDiagnostic } from "./diagnostics.ts";
import { pathOf } from "./uri.ts";
import type { Workspace } from "./workspace.ts";

export interface Publisher {
  /** Something changed; `path` is what the user is looking at. */
  readonly changed: (path: string | null) => void;
  readonly closed: (path: string) => void;
}

/** A short analysis is made at once; a long one waits until nobody types. */
const atOnce = 40;
const longestWait = 300;

export function createPublisher(
  workspace: Workspace,
  send: (params: PublishDiagnosticsParams) => void,
  onAnalysed: () => void,
): Publisher {
  const order = new Set<string>();
  /** What each root said of each file, so that what it no longer says can be taken back. */
  const said = new Map<string, ReadonlySet<string>>();
  let cost = 0;
  let waiting: ReturnType<typeof setTimeout> | null = null;
  let changes = 0;

  const stale = (): string | undefined => {
    const paths = workspace.opened().map(({ uri }) => pathOf(uri));
    const recent = [...order].toReversed().filter((path) => paths.includes(path));
    return [...recent, ...paths].find((path) => !workspace.isAnalysed(path));
  };

  const publish = (root: string): void => {
    const analysis = workspace.analysis(root);
    if (analysis === null) return;
    const found = byPath(analysis.diagnostics);
    // An open file speaks for itself.
    const others = [...found.keys()].filter((path) => path !== root && workspace.document(path) === undefined);
    const now = new Set([root, ...others]);
    for (const path of said.get(root) ?? []) {
      if (!now.has(path) && workspace.document(path) === undefined)
        send({ uri: workspace.uriOf(path), diagnostics: [] });
    }
    said.set(root, now);
    for (const path of now) {
      const version = workspace.document(path)?.version;
      send({
        uri: workspace.uriOf(path),
        ...(version === undefined ? {} : { version }),
        diagnostics: (found.get(path) ?? []).map((diagnostic) => protocolDiagnostic(diagnostic, workspace)),
      });
    }
  };

  const run = (): void => {
    waiting = null;
    const path = stale();
    if (path === undefined) return onAnalysed();
    const start = performance.now();
    publish(path);
    cost = performance.now() - start;
    next();
  };

  /** Once every message that has arrived is read: one is read at each turn, and what it changes begins this anew. */
  const next = (): void => {
    changes += 1;
    const last = changes;
    soon(() =>
      soon(() => {
        if (last === changes) run();
      }),
    );
  };

  return {
    changed: (path) => {
      if (path !== null) {
        order.delete(path);
        order.add(path);
      }
      if (waiting !== null) clearTimeout(waiting);
      waiting = null;
      if (cost <= atOnce) next();
      else waiting = setTimeout(run, Math.min(longestWait, 2 * cost));
    },
    closed: (path) => {
      for (const other of said.get(path) ?? [path])
        if (workspace.document(other) === undefined) send({ uri: workspace.uriOf(other), diagnostics: [] });
      said.delete(path);
      order.delete(path);
    },
  };
}

const soon = (work: () => void): void => {
  if (typeof setImmediate === "function") setImmediate(work);
  else setTimeout(work, 0);
};
