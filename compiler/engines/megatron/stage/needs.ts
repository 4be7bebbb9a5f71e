import type { PackageNeed } from "../../../bundle/own-programs.ts";
import type { CommandLine } from "../command-line.ts";
import { judge, type Judgement } from "../judge.ts";
import type { Surroundings } from "../launch.ts";
import type { ArgumentTable } from "../table.ts";
import { packagesOf } from "./packages.ts";

/** Versions of Transformer Engine from which on rules say something else, in order. */
export const steps: readonly string[] = [
  ...["1.0", "1.2", "1.4", "1.7", "1.11", "1.12"],
  ...["2.0", "2.1", "2.3", "2.6", "2.7", "2.8", "2.9", "2.10", "2.12", "2.14", "2.19"],
];

/**
 * What no rule decides because nobody knows yet what the job's environment holds: the oldest Transformer Engine that does, the packages
 * that parts of the model import, and why. The job looks before it starts anything.
 */
export function needsOf(line: CommandLine, table: ArgumentTable, surroundings: Surroundings): readonly PackageNeed[] {
  const judged = judge(line, table, surroundings);
  return [...versionOf(line, table, surroundings, judged), ...packagesOf(judged)];
}

function versionOf(
  line: CommandLine,
  table: ArgumentTable,
  surroundings: Surroundings,
  { undecided }: Judgement,
): readonly PackageNeed[] {
  if (undecided.length === 0) return [];
  const open = new Set(undecided);
  const broken = (version: string) =>
    judge(line, table, { ...surroundings, transformerEngine: version }).findings.filter(
      ({ rule }) => open.has(rule) && rule.diagnostic.severity !== "info",
    );
  const last = steps.findLast((version) => broken(version).length > 0);
  const fitting = last === undefined ? undefined : steps[steps.indexOf(last) + 1];
  if (last === undefined || fitting === undefined) return [];
  return [
    {
      package: "transformer-engine",
      at_least: fitting,
      because: broken(last)
        .map(({ message }) => message)
        .join("; "),
    },
  ];
}
