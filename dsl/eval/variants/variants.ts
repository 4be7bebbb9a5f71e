import type { Statement } from "../../syntax/ast.ts";
import type { Valued } from "../../types/value.ts";

/** What the command line chose. */
export interface Variants {
  readonly preset: string | null;
  /** Names of overlays of the root file. */
  readonly overlays: readonly string[];
  /** Files whose overlays are all laid over. */
  readonly overlayFiles: readonly string[];
  /** `--set NAME=TEXT`, in order. */
  readonly sets: readonly { readonly name: string; readonly text: string }[];
  /** Amendments of one trial (a `test`), on top of everything. */
  readonly trial?: readonly Statement[];
  /** Values of one trial (a point of a sweep), by the paths of amendments; on top of `--set`. */
  readonly values?: readonly PathValue[];
}

export interface PathValue {
  readonly path: string;
  readonly value: Valued;
}
