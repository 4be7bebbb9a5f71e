/** What kinds of places there are for a completion. */
import type { BlockKind, Constructor, Property, Type } from "../../kind.ts";
import type { OpenPlace } from "../open-keys.ts";

export type Position =
  /** A member of the file, or of a block. */
  | { readonly kind: "member"; readonly of: BlockKind | null; readonly written: ReadonlySet<string> }
  /** A member of a `test`. */
  | { readonly kind: "trial"; readonly written: ReadonlySet<string> }
  | {
      readonly kind: "value";
      readonly type: Type | null;
      readonly around: readonly BlockKind[];
      /** The property that it is the value of. */
      readonly property: Property | null;
    }
  | {
      readonly kind: "argument";
      readonly of: string;
      readonly constructor: Constructor;
      readonly given: ReadonlySet<string>;
      /** The type of an argument without a name. */
      readonly type: Type | null;
      readonly around: readonly BlockKind[];
    }
  /** Behind a dot. */
  | {
      readonly kind: "after_dot";
      readonly path: readonly string[];
      readonly around: readonly BlockKind[];
      /** What the whole value is expected to be. */
      readonly type: Type | null;
      /** The block whose member the path begins, where it begins a line: `optimizer.`. */
      readonly of: BlockKind | null;
      /** It begins a line, so only what can be written may follow. */
      readonly isAmended: boolean;
      /** What a header wants there. */
      readonly kinds: readonly string[] | "step" | null;
    }
  | { readonly kind: "unit"; readonly type: Type | null }
  | { readonly kind: "type" }
  /** A declared block of a kind: after `extends`, `on`, `after`. */
  | { readonly kind: "block"; readonly kinds: readonly string[] | "step" }
  | { readonly kind: "header"; readonly of: BlockKind; readonly has: ReadonlySet<string> }
  /** The name of an open block: `raw |`. */
  | { readonly kind: "open_name"; readonly around: string }
  /** A key of an open block. */
  | { readonly kind: "open_key"; readonly at: OpenPlace; readonly written: ReadonlySet<string> }
  /** The value of a key of an open block. */
  | { readonly kind: "open_value"; readonly at: OpenPlace; readonly around: readonly BlockKind[] }
  | { readonly kind: "import_names"; readonly from: string; readonly has: ReadonlySet<string> }
  | { readonly kind: "import_path" }
  | { readonly kind: "path" }
  /** In the quotes of one of several texts. */
  | { readonly kind: "text"; readonly texts: readonly string[] }
  /** A name that somebody invents, or a text. */
  | { readonly kind: "nothing" };
