/** What Axolotl is told of how the rows of a data set become samples. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { importLeftOut } from "../../diagnostics/import.ts";
import { at, itemsOf, type Located } from "../../foreign/documents/located.ts";
import { documentsOf, type Launch } from "../../foreign/launch.ts";

/** axolotl/utils/data/shared.py: where a data set is, which is all that `from` says. */
const places: ReadonlySet<string> = new Set(["path", "name", "data_files", "ds_type"]);

const why = "the data block says where rows are, and cdr's own training program takes each as plain text, from all rows";

export function axolotlDatasetKeys(launch: Launch): readonly Diagnostic[] {
  return documentsOf(launch, "axolotl").flatMap(({ root }) =>
    itemsOf(at(root, "datasets")).flatMap((item) =>
      (item.kind === "map" ? item.entries : []).flatMap(({ key, keySpan, value }) =>
        places.has(key) || isUsual(key, value)
          ? []
          : [importLeftOut(keySpan, { what: `datasets: ${key}${valueOf(value)}`, why })],
      ),
    ),
  );
}

/** What changes nothing: the default, or what cdr's program does too. */
function isUsual(key: string, value: Located): boolean {
  if (value.kind !== "scalar") return value.kind === "list" && value.items.length === 0;
  if (value.value === null || value.value === false) return true;
  return { type: "completion", field: "text", split: "train" }[key] === value.value;
}

const valueOf = (value: Located): string => (value.kind === "scalar" ? ` ${String(value.value)}` : "");
