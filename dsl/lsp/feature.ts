/** One thing that the editor can ask for. A feature is one small file and one line in a list. */
import type { ProtocolRequestType, ServerCapabilities } from "vscode-languageserver";
import type { Module } from "../symbols/symbol.ts";
import type { Occurrence } from "./meaning/meaning.ts";
import { occurrencesOf } from "./meaning/occurrences.ts";
import { pathOf } from "./uri.ts";
import type { Analysis, Workspace } from "./workspace.ts";

export interface Feature<A extends Analysis = Analysis> {
  readonly method: string;
  readonly capabilities: ServerCapabilities;
  readonly answer: (workspace: Workspace<A>, params: never) => unknown;
  /** The document that has to be judged as a whole first, where nobody waits for the answer at a keystroke. */
  readonly behind: ((params: never) => string) | null;
}

/** A request of the protocol and what answers it. */
export function feature<P, R, PR, E, RO, A extends Analysis = Analysis>(
  request: ProtocolRequestType<P, R, PR, E, RO>,
  capabilities: ServerCapabilities,
  answer: (workspace: Workspace<A>, params: P) => R,
): Feature<A> {
  return { method: request.method, capabilities, answer: answer as Feature<A>["answer"], behind: null };
}

/** The same of what speaks of a whole document and stands beside its text: it may come a little later. */
export function besideText<
  P extends { readonly textDocument: { readonly uri: string } },
  R,
  PR,
  E,
  RO,
  A extends Analysis,
>(
  request: ProtocolRequestType<P, R, PR, E, RO>,
  capabilities: ServerCapabilities,
  answer: (workspace: Workspace<A>, params: P) => R,
): Feature<A> {
  return { ...feature(request, capabilities, answer), behind: ({ textDocument }: P) => pathOf(textDocument.uri) };
}

/** A document as features see it. */
export interface View {
  readonly path: string;
  readonly uri: string;
  readonly module: Module;
  readonly occurrences: readonly Occurrence[];
}

export function viewOf(workspace: Workspace, uri: string): View | null {
  const path = pathOf(uri);
  return viewOfPath(workspace, path);
}

export function viewOfPath(workspace: Workspace, path: string): View | null {
  const module = workspace.module(path);
  if (module === null) return null;
  return {
    path,
    uri: workspace.uriOf(path),
    module,
    get occurrences() {
      return occurrencesOf(module, workspace.registry);
    },
  };
}
