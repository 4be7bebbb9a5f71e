/** Keys that nobody reads of what the Trainer takes as `fsdp_config`, in any release or in the one that is installed. */
import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import { readJson } from "../../documents/json.ts";
import { at, type Located } from "../../documents/located.ts";
import { fsdpChanges, missingIn, pinnedRelease } from "../../known/trainer-versions.ts";
import type { Launch } from "../../launch.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { formerPrefetch, options } from "./fsdp.ts";

/** Beside the options of accelerate: what transformers reads itself, in one release or another, and Axolotl. */
const names = [
  ...options,
  ...[formerPrefetch, "cpu_offload", "cpu_offload_pin_memory", "limit_all_gathers", "final_state_dict_type"],
  ...["xla", "xla_fsdp_v2", "xla_fsdp_settings", "xla_fsdp_grad_ckpt", "mixed_precision_policy"],
];

const holders: readonly string[] = ["training-arguments", "llama-factory"];

function configsOf({ documents, runs }: Launch, kinds = holders): readonly Located[] {
  const written = documents.flatMap(({ kind, root }) => {
    if (kind === "fsdp") return [root];
    return kinds.includes(kind) ? (at(root, "fsdp_config") ?? []) : [];
  });
  const inline = runs.flatMap(({ options: given }) => {
    const told = given.get("fsdp_config");
    if (typeof told?.value !== "string" || !told.value.trimStart().startsWith("{")) return [];
    return readJson({ text: told.value, spanOf: () => told.span }).root ?? [];
  });
  return [...written, ...inline];
}

const sharded = "output_dir: out\nper_device_train_batch_size: 1\nfsdp: full_shard\n";

export const fsdpKeyRules: readonly ForeignRule[] = [
  rule({
    name: "trainer-fsdp-keys",
    severity: "warning",
    source: "transformers/training_args.py: _process_fsdp_args",
    why: "The Trainer looks only for the keys of `fsdp_config` that it knows, with or without `fsdp_` in front, and silently ignores all others.",
    fix: "Correct the key, or remove it.",
    check: (launch) =>
      configsOf(launch, [...holders, "axolotl"]).flatMap((root): readonly Found[] => {
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
    fires: { "args.yaml": `${sharded}fsdp_config:\n  fsdp_sharding_strategi: FULL_SHARD\n` },
    silent: { "args.yaml": `${sharded}fsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n` },
  }),
  rule({
    name: "trainer-fsdp-release",
    severity: "warning",
    source: "transformers/training_args.py: TrainingArguments, what it asks fsdp_config for, release by release",
    why: "The Trainer ignores keys of `fsdp_config` that its release does not know: `version: 2` means FSDP 1 before transformers 5.0.",
    fix: "Install a release that reads the key, or remove it.",
    check: (launch) => {
      const release = pinnedRelease(launch, "transformers");
      if (release === null) return [];
      return configsOf(launch).flatMap((root): readonly Found[] =>
        root.kind !== "map"
          ? []
          : root.entries.flatMap(({ key, keySpan }): readonly Found[] => {
              const spelt = [key, key.replace(/^fsdp_/, "")].filter((name) => Object.hasOwn(fsdpChanges.came, name));
              const missing = spelt.map((name) => missingIn(fsdpChanges, name, release.version));
              const [first] = missing;
              if (first == null || missing.includes(null)) return [];
              const when = "came" in first ? `it came with ${first.came}` : `${first.went} removed it`;
              return [
                {
                  span: keySpan,
                  message: `transformers ${release.version} does not read ${key} in fsdp_config: ${when}`,
                  ...nearby("the release", release.span),
                },
              ];
            }),
      );
    },
    fires: {
      "args.yaml": `${sharded}fsdp_config:\n  version: 2\n`,
      "requirements.txt": "transformers==4.57.1\n",
    },
    silent: {
      "args.yaml": `${sharded}fsdp_config:\n  version: 2\n`,
      "requirements.txt": "transformers==5.0.0\n",
    },
  }),
];
