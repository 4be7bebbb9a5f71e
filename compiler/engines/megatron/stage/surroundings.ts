import type { ClusterSpec } from "../../../pipeline.ts";
import type { StagePlan } from "../../../plan.ts";
import { architectureOf } from "../architecture.ts";
import { parseCommandLine, type CommandLine } from "../command-line.ts";
import type { Surroundings } from "../launch.ts";
import { wordsOfLaunch, type Launch } from "../lower/launch.ts";
import { unknown } from "../unknown.ts";

/** A lowered launch as the engine's rules ask for it. */
export function surroundingsOf(
  launch: Launch,
  plan: StagePlan,
  cluster: ClusterSpec,
): { readonly line: CommandLine; readonly surroundings: Surroundings } {
  const set = Object.entries(launch.environment);
  return {
    line: parseCommandLine(wordsOfLaunch(launch), launch.table),
    surroundings: {
      entry: launch.entry,
      world: plan.layout.world,
      env: Object.fromEntries(set.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
      envOpen: false,
      architecture: architectureOf(cluster.device.name),
      transformerEngine: unknown,
    },
  };
}
