import type { BlockKind, Property } from "../../dsl/kind.ts";
import { block, enumeration, list, path, quantity, secret, string, union } from "../../dsl/types/type.ts";

export const store: BlockKind = {
  name: "store",
  also: ["bucket", "storage"],
  doc: 'A place where bytes live: `bucket / "corpus"` is a path in it',
  properties: {
    at: {
      type: path,
      doc: "its root: a folder or a URI (`gs://`, `s3://`, `oci://`, `pvc://`, `tmp://`)",
      required: true,
    },
    key: { type: secret, doc: "its credential" },
    mount: { type: path, doc: "its mount point on a node" },
    size: { type: quantity([{ byte: 1 }], { min: 1 }), doc: "its capacity", bounded: true },
    access: {
      type: enumeration("access", ["one", "many", "read"]),
      doc: "who may use it at once: one node, many, or many that only read",
    },
    class: { type: string, doc: "the site's name for this kind of storage" },
    project: { type: string, doc: "the account that is charged" },
  },
  path: "at",
  foreign: {
    uri: { instead: "write `at`", rewrite: (v) => `at = ${v}` },
    url: { instead: "write `at`", rewrite: (v) => `at = ${v}` },
    bucket: { instead: 'write `at = "gs://…"` or `"s3://…"`' },
    credentials: { instead: 'declare `secret key = file("…")` and write `key = key`' },
  },
};

/** Stores and folders that appear on the nodes. */
export const mounts: Property = {
  type: list(union(block("store"), path)),
  doc: "stores and folders that appear on each node",
  runs: false,
  compiledBeside: ["kubernetes"],
};
