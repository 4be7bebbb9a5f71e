/** Says diagnostics as files change: the newest first, one analysis at a time, never for a text that has been replaced. */
import type { PublishDiagnosticsParams } from "vscode-languageserver";
import { byPath, protocolDiagnostic } from "./diagnostics.ts";
import { pathOf } from "./uri.ts";
import type { Workspace } from "./workspace.ts";

export interface Publisher {
  /** Something changed; `path` is what the user is looking at. */
  readonly changed: (path: string | null) => void;
  readonly closed: (path: string) => void;
  /** Once a file is judged as a whole, which what is typed may put off; at once where that does not take long. */
  readonly judged: (path: string) => Promise<void>;
  /** Says nothing more. */
  readonly stop: () => void;
}

/** A short analysis is made at once; a long one waits until nobody types. */
const atOnce = 40;
const longestWait = 300;
/** How long after the last keystroke the whole file is judged. */
const quiet = 120;

export function createPublisher(
  workspace: Workspace,
  send: (params: PublishDiagnosticsParams) => void,
  onAnalysed: (isLate: boolean) => void,
  onDefect: (path: string, defect: unknown) => void,
): Publisher {
  const order = new Set<string>();
  /** What each root said of each file, so that what it no longer says can be taken back. */
  const said = new Map<string, ReadonlySet<string>>();
  /** What was last said of each root as a whole. */
  const whole = new Map<string, { readonly version: number | undefined; readonly diagnostics: unknown }>();
  const failed = new Map<string, string | undefined>();
  const waiters = new Map<string, (() => void)[]>();
  let cost = 0;
  let waiting: ReturnType<typeof setTimeout> | null = null;
  let resting: ReturnType<typeof setTimeout> | undefined;
  let isLate = false;
  let changes = 0;
  let isTurning = false;
  let isStopped = false;
  let typed: string | null = null;

  /** Somebody else may have asked for the analysis, and a text may come back to what it was. */
  const isSaid = (path: string): boolean => {
    if (failed.has(path) && failed.get(path) === workspace.text(path)) return true;
    const last = whole.get(path);
    if (last === undefined || last.version !== workspace.document(path)?.version) return false;
    return workspace.isAnalysed(path) && workspace.analysis(path)?.diagnostics === last.diagnostics;
  };

  const stale = (): string | undefined => {
    const paths = workspace.opened().map(({ uri }) => pathOf(uri));
    const recent = [...order].toReversed().filter((path) => paths.includes(path));
    return [...recent, ...paths].find((path) => !isSaid(path));
  };

  const publish = (root: string): void => {
    const analysis = workspace.analysis(root);
    if (analysis === null) return;
    whole.set(root, { version: workspace.document(root)?.version, diagnostics: analysis.diagnostics });
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

  const release = (path: string): void => {
    for (const go of waiters.get(path) ?? []) go();
    waiters.delete(path);
  };

  const run = (): void => {
    waiting = null;
    isTurning = false;
    const path = stale();
    if (path === undefined) {
      for (const waited of [...waiters.keys()]) release(waited);
      onAnalysed(isLate);
      isLate = false;
      resting = setTimeout(goFurther, quiet);
      return;
    }
    // A text that came back to what it was is judged already.
    const wasTyped = path === typed && !workspace.isAnalysed(path);
    typed = null;
    if (wasTyped && (saysPart(path) || cost > atOnce)) {
      // What was typed meanwhile, and nobody has read yet, goes first.
      waiting = setTimeout(next, cost > atOnce ? Math.max(quiet, Math.min(longestWait, 2 * cost)) : quiet);
      return;
    }
    const start = performance.now();
    try {
      publish(path);
    } catch (defect) {
      // Not before its text changes again: what failed once fails at every turn.
      failed.set(path, workspace.text(path));
      onDefect(path, defect);
    }
    cost = performance.now() - start;
    release(path);
    next();
  };

  /** What takes long, while nobody types: a step at a turn, so that whatever arrives is answered between them. */
  const goFurther = (): void => {
    try {
      if (!workspace.goFurther()) return;
    } catch (defect) {
      return onDefect(workspace.opened()[0]?.uri ?? "", defect);
    }
    isLate = stale() !== undefined;
    if (isLate) next();
    else resting = setTimeout(goFurther);
  };

  /** What the keystroke can have changed; the whole follows when it is quiet. */
  const sayPart = (path: string): boolean => {
    const document = workspace.document(path);
    const found = document === undefined ? null : workspace.soonDiagnostics(path);
    if (document === undefined || found === null) return false;
    const own = byPath(found).get(path) ?? [];
    const { uri, version } = document;
    send({ uri, version, diagnostics: own.map((diagnostic) => protocolDiagnostic(diagnostic, workspace)) });
    return true;
  };

  const saysPart = (path: string): boolean => {
    try {
      return sayPart(path);
    } catch (defect) {
      onDefect(path, defect);
      return false;
    }
  };

  /** Once every message that has arrived is read: one is read at each turn, and what it changes begins this anew. */
  const next = (): void => {
    if (isStopped) return;
    changes += 1;
    isTurning = true;
    const last = changes;
    soon(() =>
      soon(() => {
        if (last === changes && !isStopped) run();
      }),
    );
  };

  return {
    changed: (path) => {
      if (path !== null) {
        order.delete(path);
        order.add(path);
      }
      typed = path;
      if (waiting !== null) clearTimeout(waiting);
      waiting = null;
      clearTimeout(resting);
      next();
    },
    closed: (path) => {
      for (const other of said.get(path) ?? [path])
        if (workspace.document(other) === undefined) send({ uri: workspace.uriOf(other), diagnostics: [] });
      said.delete(path);
      whole.delete(path);
      order.delete(path);
      release(path);
    },
    judged: (path) => {
      const isDue = !isStopped && (isTurning || waiting !== null);
      return !isDue || cost <= atOnce || workspace.isAnalysed(path)
        ? Promise.resolve()
        : new Promise((go) => waiters.set(path, [...(waiters.get(path) ?? []), go]));
    },
    stop: () => {
      isStopped = true;
      for (const waited of [...waiters.keys()]) release(waited);
      if (waiting !== null) clearTimeout(waiting);
      clearTimeout(resting);
    },
  };
}

const soon = (work: () => void): void => {
  if (typeof setImmediate === "function") setImmediate(work);
  else setTimeout(work, 0);
};
