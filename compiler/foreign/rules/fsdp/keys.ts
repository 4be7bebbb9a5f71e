/** Keys that nobody reads of what the Trainer takes as `fsdp_config`. */
import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import { readJson } from "../../documents/json.ts";
import { at, type Located } from "../../documents/located.ts";
import type { Launch } from "../../launch.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";
import { formerPrefetch, options } from "./fsdp.ts";

/** Beside the options of accelerate: what transformers reads itself, in one release or another, and Axolotl. */
const names = [
  ...options,
  ...[formerPrefetch, "cpu_offload", "cpu_offload_pin_memory", "limit_all_gathers", "final_state_dict_type"],
  ...["xla", "xla_fsdp_v2", "xla_fsdp_settings", "xla_fsdp_grad_ckpt", "mixed_precision_policy"],
];

function configsOf({ documents, runs }: Launch): readonly Located[] {
  const written = documents.flatMap(({ kind, root }) => {
    if (kind === "fsdp") return [root];
    return ["training-arguments", "llama-factory", "axolotl"].includes(kind) ? (at(root, "fsdp_config") ?? []) : [];
  });
  const inline = runs.flatMap(({ options: given }) => {
    const told = given.get("fsdp_config");
    if (typeof told?.value !== "string" || !told.value.trimStart().startsWith("{")) return [];
    return readJson({ text: told.value, spanOf: () => told.span }).root ?? [];
  });
  return [...written, ...inline];
}

export const fsdpKeyRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-fsdp-keys",
    severity: "warning",
    source: "transformers/training_args.py: _process_fsdp_args",
    why: "The Trainer asks `fsdp_config` for the keys that it knows, with or without `fsdp_` in front, and passes over all others in silence: the default holds.",
    fix: "Correct the key, or leave it out.",
    check: (launch) =>
      configsOf(launch).flatMap((root): readonly Found[] => {
        if (root.kind !== "map") return [];
        return root.entries.flatMap(({ key, keySpan }): readonly Found[] => {
          const name = key.replace(/^fsdp_/, "");
          const best = names.includes(name) ? null : nearest(name, names);
          if (best === null) return [];
          const right = `${key.slice(0, key.length - name.length)}${best}`;
          return [
            { span: keySpan, message: `nothing reads ${key} in fsdp_config; did you mean ${right}?`, valid: [right] },
          ];
        });
      }),
    fires: {
      "args.yaml":
        "output_dir: out\nper_device_train_batch_size: 1\nfsdp: full_shard\nfsdp_config:\n  fsdp_sharding_strategi: FULL_SHARD\n",
    },
    silent: {
      "args.yaml":
        "output_dir: out\nper_device_train_batch_size: 1\nfsdp: full_shard\nfsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n",
    },
  }),
];
