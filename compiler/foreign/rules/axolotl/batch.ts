/** The batch, of which Axolotl wants two of three parts. */
import { below } from "../../../engines/release.ts";
import { entryOf, type Located } from "../../documents/located.ts";
import { packagesOf } from "../../known/packages.ts";
import { documentsOf } from "../../launch.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

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
    return [{ span: place.keySpan, message: `${whole} alone does not give the batch of one device`, valid: batch }];
  // Whoever installs the newest release is not refused.
  if (version !== null && !isEarly) return [];
  const others = batch.filter((name) => name !== said[0]).join(" or ");
  return [
    {
      span: place.keySpan,
      ...(isEarly ? {} : { severity: "info" as const }),
      message: `${said.length === 0 ? "no batch is given" : `only ${said[0]} is given`}, but before ${defaulted} Axolotl needs two numbers: ${others} is missing`,
      valid: batch,
    },
  ];
}

export const axolotlBatchRules: readonly ForeignRule[] = [
  rule({
    name: "axolotl-batch",
    source: "axolotl/utils/schemas/validation.py: check_batch_size_fields",
    why: "A batch has three numbers: the batch of one device, the accumulation and their product. Axolotl needs two of them, before any default, and otherwise stops with `At least two of micro_batch_size, gradient_accumulation_steps, batch_size must be set`; since 0.19.0 only if batch_size stands alone.",
    fix: "Write micro_batch_size and gradient_accumulation_steps.",
    check: (launch) => {
      const version = packagesOf(launch).get("axolotl")?.version ?? null;
      return documentsOf(launch, "axolotl").flatMap(({ root }) => batchOf(root, version));
    },
    fires: { "axo.yaml": `${file}batch_size: 8\n` },
    silent: { "axo.yaml": `${file}micro_batch_size: 1\ngradient_accumulation_steps: 8\n` },
  }),
];
