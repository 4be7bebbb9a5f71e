import type { BlockKind } from "../../dsl/kind.ts";
import { path, secret } from "../../dsl/types/type.ts";

export const store: BlockKind = {
  name: "store",
  doc: 'A place where bytes live: `bucket / "corpus"` is a path in it',
  properties: {
    at: { type: path, doc: "its root: a folder or a URI", required: true },
    key: { type: secret, doc: "what opens it" },
    mount: { type: path, doc: "where it appears on a node" },
  },
  path: "at",
};
