import type { DeviceNeed } from "../../../bundle/own-programs.ts";
import type { CommandLine } from "../command-line.ts";
import { judge } from "../judge.ts";
import type { Surroundings } from "../launch.ts";
import type { ArgumentTable } from "../table.ts";

/** Compute capabilities from which on rules say something else: Volta, Turing, Ampere, Ada, Hopper, Blackwell. */
const capabilities = [7, 7.5, 8, 8.9, 9, 10];

/**
 * The oldest GPU that the launch can run on, where that is not any. The cluster says which there are; a node of another kind is found
 * before anything starts.
 */
export function deviceOf(line: CommandLine, table: ArgumentTable, surroundings: Surroundings): DeviceNeed | null {
  const { architecture } = surroundings;
  if (typeof architecture !== "number") return null;
  const errors = (capability: number) =>
    judge(line, table, { ...surroundings, architecture: capability }).findings.filter(
      ({ rule }) => rule.diagnostic.severity === "error",
    );
  const usual = new Set(errors(architecture).map(({ rule }) => rule));
  const broken = (capability: number) => errors(capability).filter(({ rule }) => !usual.has(rule));
  const older = capabilities.filter((each) => each < architecture);
  const last = older.findLast((each) => broken(each).length > 0);
  if (last === undefined) return null;
  const fitting = capabilities.find((each) => each > last) ?? architecture;
  return {
    capability: Math.min(fitting, architecture),
    because: broken(last)
      .map(({ message }) => message)
      .join("; "),
  };
}
