/** Keys of accelerate's file that another release has. */
import { inTable } from "../../../../dsl/in-table.ts";
import type { Entry } from "../../documents/located.ts";
import { accelerateChanges, missingIn, pinnedRelease, type Pinned } from "../../known/trainer-versions.ts";
import { documentsOf } from "../../launch.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

/** Keys of a section are options by another name. Source: accelerate/commands/launch.py: _validate_launch_command. */
const prefixes: Readonly<Record<string, string>> = {
  fsdp_config: "fsdp_",
  fp8_config: "fp8_",
  dynamo_config: "dynamo_",
};

function ofFile({ key, keySpan, value }: Entry, release: Pinned): readonly Found[] {
  const missing = missingIn(accelerateChanges.file, key, release.version);
  if (missing !== null && "came" in missing)
    return [
      {
        span: keySpan,
        message: `accelerate ${release.version} has no ${key} yet: it came with ${missing.came}`,
        ...nearby("the release", release.span),
      },
    ];
  if (value.kind !== "map") return [];
  return value.entries.flatMap((inner): readonly Found[] => {
    const prefix = inTable(prefixes, key) ?? "";
    const name = inner.key.startsWith(prefix) ? inner.key : `${prefix}${inner.key}`;
    const unread = missingIn(accelerateChanges.read, name, release.version);
    return unread === null || !("came" in unread)
      ? []
      : [
          {
            span: inner.keySpan,
            severity: "warning",
            message: `accelerate ${release.version} does not read ${inner.key}: it came with ${unread.came}`,
            ...nearby("the release", release.span),
          },
        ];
  });
}

const file =
  "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 2\nenable_cpu_affinity: false\n";

export const accelerateReleaseRules: readonly ForeignRule[] = [
  rule({
    name: "accelerate-key-release",
    source:
      "accelerate/commands/config/config_args.py: ClusterConfig, commands/launch.py: _validate_launch_command, release by release; BaseConfig.from_yaml_file (`unknown keys`)",
    why: "accelerate refuses a file with a top-level key that its release does not have, and ignores unknown keys in a section: `fsdp_version: 2` means FSDP 1 before 1.6. Files written by a newer `accelerate config` have such keys.",
    fix: "Remove the key, or install a release that has it.",
    check: (launch) => {
      const release = pinnedRelease(launch, "accelerate");
      if (release === null) return [];
      return documentsOf(launch, "accelerate").flatMap(({ root }) =>
        root.kind === "map" ? root.entries.flatMap((entry) => ofFile(entry, release)) : [],
      );
    },
    fires: { "acc.yaml": file, "requirements.txt": "accelerate==0.23.0\n" },
    silent: { "acc.yaml": file, "requirements.txt": "accelerate==0.30.0\n" },
  }),
];
