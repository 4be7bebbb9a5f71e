/** What surrounds the cursor, bracket by bracket. */
import type { BlockKind, Constructor, Type } from "../../kind.ts";
import type { OpenPlace } from "../open-keys.ts";

export interface Frame {
  /** The block whose members stand here; `null` for the file and for what is unknown. */
  readonly block: BlockKind | null;
  readonly isFile: boolean;
  /** What an expression here is expected to be. */
  readonly type: Type | null;
  readonly around: readonly BlockKind[];
  readonly call: { readonly name: string; readonly constructor: Constructor } | null;
  readonly importing: string | null;
  readonly isList: boolean;
  readonly isTest: boolean;
  /** In a `match`, whose patterns are of `type`: what stands behind an arrow. */
  readonly arms: { readonly type: Type | null; readonly block: BlockKind | null } | null;
  /** In `raw deepspeed { … }`, whose keys the descriptors do not know. */
  readonly open: OpenPlace | null;
}

export const file: Frame = {
  block: null,
  isFile: true,
  type: null,
  around: [],
  call: null,
  importing: null,
  isList: false,
  isTest: false,
  arms: null,
  open: null,
};
