import type { Edit } from "../../diagnostics/diagnostic.ts";
import type { View } from "../feature.ts";
import type { Analysis, Workspace } from "../workspace.ts";

export interface ActionEdit extends Edit {
  /** In place of `newText` where the client takes snippets: `$0` is where one goes on writing. */
  readonly snippet?: string;
}

/** Something the editor offers to do. */
export interface Action {
  readonly title: string;
  readonly kind: "quickfix" | "refactor.extract" | "refactor.rewrite";
  readonly edits: readonly ActionEdit[];
  /** Which of the file's diagnostics it mends. */
  readonly mends?: Analysis["diagnostics"][number];
}

/** What may be done at a stretch of a document. */
export type Offer = (at: {
  readonly view: View;
  readonly start: number;
  readonly end: number;
  readonly workspace: Workspace;
}) => readonly Action[];
