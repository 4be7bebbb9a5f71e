/** Options of launchers that another release has. */
import { inTable } from "../../../../dsl/in-table.ts";
import {
  accelerateChanges,
  missingIn,
  pinnedRelease,
  torchrunChanges,
  type Changes,
  type Pinned,
} from "../../known/trainer-versions.ts";
import type { Launch } from "../../launch.ts";
import { bare, type Told } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

interface Launcher {
  readonly kind: "accelerate" | "torchrun";
  /** Where its release is that of. */
  readonly package: "accelerate" | "torch";
  readonly called: string;
  readonly changes: Changes;
  /** How the table has an option. */
  readonly named: (told: Told) => string;
}

const accelerate: Launcher = {
  kind: "accelerate",
  package: "accelerate",
  called: "accelerate launch",
  changes: accelerateChanges.launch,
  named: ({ name }) => bare(name),
};

/** It takes each spelling by itself: dashes between words came later than the options. */
const torchrun: Launcher = {
  kind: "torchrun",
  package: "torch",
  called: "torchrun",
  changes: torchrunChanges,
  named: ({ name }) => name.replace(/^--/, ""),
};

/** Words that only the run knows may hold any option: none of these stands there. */
function isWritten({ name, nameSpan: { source, start, end } }: Told): boolean {
  return name.startsWith("-") && source.text.slice(start, end).includes(name);
}

function judged({ called, changes, package: of, named }: Launcher, told: Told, release: Pinned | null): Found | null {
  if (!isWritten(told)) return null;
  const name = named(told);
  if (release === null) {
    const went = inTable(changes.went, name);
    const message = `${called} has had no ${told.name} since ${went}`;
    return went === undefined ? null : { span: told.nameSpan, severity: "warning", message };
  }
  const missing = missingIn(changes, name, release.version);
  if (missing === null) return null;
  const earlier = name.replaceAll("-", "_");
  const isSpelling = earlier !== name && missingIn(changes, earlier, release.version) === null;
  const when =
    "went" in missing
      ? `any more: ${missing.went} removed it`
      : `yet: ${isSpelling ? `it is --${earlier} before ${missing.came}` : `it came with ${missing.came}`}`;
  const owner = of === "accelerate" ? `${called} ${release.version}` : `${called} of ${of} ${release.version}`;
  return {
    span: told.nameSpan,
    message: `${owner} has no ${told.name} ${when}`,
    ...nearby("the release", release.span),
  };
}

const check =
  (launcher: Launcher) =>
  (launch: Launch): readonly Found[] => {
    const release = pinnedRelease(launch, launcher.package);
    return launch.runs
      .filter((run) => run.launcher.kind === launcher.kind)
      .flatMap((run) => [...run.launcher.settings.values()].flatMap((told) => judged(launcher, told, release) ?? []));
  };

const accelerated = "accelerate launch --num_processes 8 --use_fsdp --fsdp_version 2 train.py\n";
const filtered = "torchrun --nproc-per-node=8 --local-ranks-filter=0 train.py\n";

export const launcherReleaseRules: readonly ForeignRule[] = [
  rule({
    name: "accelerate-option-release",
    source: "accelerate/commands/launch.py: launch_command_parser, release by release",
    why: "`accelerate launch` stops at an option that its release does not have, and prints its usage.",
    fix: "Remove the option, or install a release that has it.",
    check: check(accelerate),
    fires: { "run.sh": `pip install accelerate==1.4.0\n${accelerated}` },
    silent: { "run.sh": `pip install accelerate==1.6.0\n${accelerated}` },
  }),
  rule({
    name: "torchrun-option-release",
    source: "torch/distributed/run.py: get_args_parser, release by release",
    why: "torchrun stops at an option that its release does not have, and prints its usage. Spellings with dashes between the words, such as --nproc-per-node, came with torch 2.0.",
    fix: "Remove the option, spell it as the message says, or install a release that has it.",
    check: check(torchrun),
    fires: { "run.sh": `pip install torch==2.2.0\n${filtered}` },
    silent: { "run.sh": `pip install torch==2.4.0\n${filtered}` },
  }),
];
