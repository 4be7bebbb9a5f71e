/** Names that Axolotl's schema does not have. */
import table from "./fields.json" with { type: "json" };
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import { entryOf } from "../../documents/located.ts";
import { documentsOf } from "../../launch.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";
import { plainNames, slipOf } from "../slips.ts";

const names = [...Object.values(table.kinds), ...Object.keys(table.words)].flatMap((each) => each.split(" "));
const known: ReadonlySet<string> = new Set([...names, "datasets"]);
const plain = plainNames(names);

const file = "base_model: m\nsequence_len: 2048\ndatasets:\n  - path: d\n    type: alpaca\n";

export const axolotlNameRules: readonly ForeignRule[] = [
  rule({
    name: "axolotl-name",
    severity: "warning",
    source: `axolotl/utils/schemas/config.py, ${table.version}: AxolotlInputConfig`,
    why: "Axolotl ignores a name that its schema does not have, and uses the default. A plugin may have options of its own, but one that is nearly an option of Axolotl is most often that option, misspelt.",
    fix: "Write the name that the message gives; an option of a plugin may stay as it is.",
    check: (launch) =>
      documentsOf(launch, "axolotl").flatMap(({ root }): readonly Found[] =>
        root.kind !== "map"
          ? []
          : root.entries.flatMap(({ key, keySpan }): readonly Found[] => {
              const meant = known.has(key) ? null : slipOf(key, plain);
              if (meant === null || entryOf(root, meant) !== undefined) return [];
              const message = `${key} is not an option of Axolotl: did you mean ${meant}?`;
              return [{ span: keySpan, message, valid: [meant], fixes: [replacement(keySpan, meant)] }];
            }),
      ),
    fires: { "axo.yaml": `${file}micro_batchsize: 1\ngradient_accumulation_steps: 8\n` },
    silent: { "axo.yaml": `${file}micro_batch_size: 1\ngradient_accumulation_steps: 8\n` },
  }),
];
