import type { PackageNeed } from "../../../bundle/programs.ts";
import type { CommandLine } from "../command-line.ts";
import { judge } from "../judge.ts";
import type { Surroundings } from "../launch.ts";
import type { ArgumentTable } from "../table.ts";

/** Versions of Transformer Engine from which on rules say something else, in order. */
const steps = ["1.0", "1.4", "1.7", "1.11", "2.0", "2.1", "2.3", "2.6", "2.7", "2.8", "2.9", "2.10", "2.12", "2.14"];

/**
 * What no rule decides because nobody knows yet which Transformer Engine the job has: the oldest that does, and why. The job looks before
 * it starts anything.
 */
export function needsOf(line: CommandLine, table: ArgumentTable, surroundings: Surroundings): readonly PackageNeed[] {
  const { undecided } = judge(line, table, surroundings);
  if (undecided.length === 0) return [];
  const open = new Set(undecided);
  const broken = (version: string) =>
    judge(line, table, { ...surroundings, transformerEngine: version }).findings.filter(
      ({ rule }) => open.has(rule) && rule.diagnostic.severity === "error",
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
