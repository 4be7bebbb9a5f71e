/** Places that nothing opens: a store behind a scheme that no client of stores, no mount and no cluster knows. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { storeScheme } from "../../diagnostics/operations.ts";
import { textAt, valued } from "../resolve/read.ts";

/** Object stores, file systems of clusters, volumes of Kubernetes, the Hub, and what is only read. */
const schemes: ReadonlySet<string> = new Set([
  ...["s3", "gs", "oci", "az", "abfs", "abfss", "wasb", "wasbs", "r2", "b2", "swift", "oss", "cos"],
  ...["file", "nfs", "hdfs", "webhdfs", "lustre", "ceph", "sftp", "ssh", "pvc", "tmp"],
  ...["hf", "http", "https", "dvc", "lakefs", "dbfs", "gdrive"],
]);

export function stores(blocks: readonly Instance[]): Diagnostic[] {
  return blocks.flatMap((block) => {
    if (block.kind.name !== "store") return [];
    const scheme = /^([A-Za-z][\w+.-]*):\/\//.exec(textAt(block, "at") ?? "")?.[1];
    if (scheme === undefined || schemes.has(scheme.toLowerCase())) return [];
    const valid = ["gs://", "s3://", "oci://", "abfs://", "hf://", "pvc://", "tmp://", "file://"];
    return [storeScheme(valued(block, "at").span, { store: block.name ?? "", scheme }, { valid })];
  });
}
