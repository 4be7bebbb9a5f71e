/** Names that Axolotl's schema does not have, and the batch that it makes of those that it has. */
import table from "./fields.json" with { type: "json" };
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import { below } from "../../../engines/release.ts";
import { entryOf, type Located } from "../../documents/located.ts";
import { packagesOf } from "../../known/packages.ts";
import { documentsOf } from "../../launch.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";
import { plainNames, slipOf } from "../slips.ts";

const names = [...Object.values(table.kinds), ...Object.keys(table.words)].flatMap((each) => each.split(" "));
const known: ReadonlySet<string> = new Set([...names, "datasets"]);
const plain = plainNames(names);

const file = "base_model: m\nsequence_len: 2048\ndatasets:\n  - path: d\n    type: alpaca\n";

const batch = ["micro_batch_size", "gradient_accumulation_steps", "batch_size"] as const;
const whole = batch[2];

/** Since this release defaults stand in for two of them. */
const defaulted = "0.19.0";

/** As Python takes it: nothing and zero are as good as left out. What a template brings is unknown. */
function isSaid(root: Located, name: string): boolean {
  const value = entryOf(root, name)?.value;
  return value !== undefined && (value.kind !== "scalar" || Boolean(value.value));
}

function batchOf(root: Located, version: string | null): readonly Found[] {
  const said = batch.filter((name) => isSaid(root, name));
  const place = entryOf(root, said[0] ?? "base_model") ?? (root.kind === "map" ? root.entries[0] : undefined);
  if (said.length >= 2 || place === undefined) return [];
  const isEarly = version !== null && below(version, defaulted);
  if (!isEarly && said[0] === whole)
    return [{ span: place.keySpan, message: `${whole} alone does not say what one device reads`, valid: batch }];
  // Whoever installs the newest release is not refused.
  if (version !== null && !isEarly) return [];
  const others = batch.filter((name) => name !== said[0]).join(" or ");
  return [
    {
      span: place.keySpan,
      ...(isEarly ? {} : { severity: "info" as const }),
      message: `${said.length === 0 ? "nothing says the batch" : `${said[0]} stands alone`}, and before ${defaulted} Axolotl wants two: ${others} is missing`,
      valid: batch,
    },
  ];
}

export const axolotlNameRules: readonly ForeignRule[] = [
  rule({
    name: "axolotl-batch",
    source: "axolotl/utils/schemas/validation.py: check_batch_size_fields",
    why: "The batch is that of one device, the accumulation and their product. Axolotl takes two of the three, before any default, and stops with `At least two of micro_batch_size, gradient_accumulation_steps, batch_size must be set`; since 0.19.0 only where batch_size stands alone.",
    fix: "Write micro_batch_size and gradient_accumulation_steps.",
    check: (launch) => {
      const version = packagesOf(launch).get("axolotl")?.version ?? null;
      return documentsOf(launch, "axolotl").flatMap(({ root }) => batchOf(root, version));
    },
    fires: { "axo.yaml": `${file}batch_size: 8\n` },
    silent: { "axo.yaml": `${file}micro_batch_size: 1\ngradient_accumulation_steps: 8\n` },
  }),
  rule({
    name: "axolotl-name",
    severity: "warning",
    source: `axolotl/utils/schemas/config.py, ${table.version}: AxolotlInputConfig`,
    why: "Axolotl leaves a name that its schema does not have unread, and the default counts. A plugin may have options of its own: one that is nearly an option of Axolotl is most often that option, misspelt.",
    fix: "Write the name that the message says; an option of a plugin may stay as it is.",
    check: (launch) =>
      documentsOf(launch, "axolotl").flatMap(({ root }): readonly Found[] =>
        root.kind !== "map"
          ? []
          : root.entries.flatMap(({ key, keySpan }): readonly Found[] => {
              const meant = known.has(key) ? null : slipOf(key, plain);
              if (meant === null || entryOf(root, meant) !== undefined) return [];
              const message = `${key} is no option of Axolotl: ${meant} is`;
              return [{ span: keySpan, message, valid: [meant], fixes: [replacement(keySpan, meant)] }];
            }),
      ),
    fires: { "axo.yaml": `${file}micro_batchsize: 1\ngradient_accumulation_steps: 8\n` },
    silent: { "axo.yaml": `${file}micro_batch_size: 1\ngradient_accumulation_steps: 8\n` },
  }),
];
