import type { Run } from "../launch.ts";
import type { Told } from "../settings.ts";
import type { ShellCommand } from "../shell/state.ts";

/**
 * torchrun reads each of its options from `PET_` and its name in capitals where the command does not say it, which is how operators
 * of Kubernetes tell it. Source: torch/distributed/argparse_util.py: env.
 */
export function withEnvironment(launcher: Run["launcher"], env: ShellCommand["env"]): Run["launcher"] {
  if (launcher.kind !== "torchrun") return launcher;
  const told = [...env].flatMap(([name, { value, span }]): readonly (readonly [string, Told])[] => {
    const option = /^PET_(\w+)$/.exec(name)?.[1]?.toLowerCase();
    if (option === undefined || value === "") return [];
    return [[option, { value, known: value !== null, span, name, nameSpan: span, from: [name] }]];
  });
  return told.length === 0 ? launcher : { ...launcher, settings: new Map([...told, ...launcher.settings]) };
}
