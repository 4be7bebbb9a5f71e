/** `cdrc sweep FILE [NAME]`: the points of a sweep, one after another or several at once, each as `cdrc run` would run it. */
import { Command, Option } from "commander";
import { nearest } from "../../dsl/diagnostics/nearest.ts";
import { errorsIn } from "../../dsl/diagnostics/diagnostic.ts";
import { toJson } from "../../dsl/diagnostics/json.ts";
import { priceOf } from "../../compiler/planner/run/price.ts";
import { pointErrors } from "../../compiler/sweep-trials.ts";
import { type Sweep, type SweepPoint, sweepsOf } from "../../compiler/sweeps.ts";
import type { CompileForRun } from "../../runtime/run/compiled.ts";
import type { Colour } from "../../runtime/run/screen.ts";
import { compileFile, type FileCompilation, type FrontFlags, frontOptions } from "../front.ts";
import { misuse } from "../misuse.ts";
import { printJson } from "./life.ts";
import { refuseFile, showDiagnostics } from "../report-diagnostics.ts";
import { withTriedFixes } from "../tried.ts";
import { pointWords, renderList, renderRanked } from "../sweep/render.ts";
import { metricIn, readable } from "../sweep/reading.ts";
import { documentOf, rank } from "../sweep/rank.ts";
import { labelled } from "../sweep/labelled.ts";
import { runPoint } from "../sweep/run-point.ts";
import { runPoints } from "../sweep/run-points.ts";

export interface SweepFlags extends FrontFlags {
  readonly list?: true;
  readonly fresh?: true;
  readonly dryRun?: true;
  readonly json?: true;
  readonly color: Colour;
}

export function sweepCommand(compile: CompileForRun): Command {
  return frontOptions(new Command("sweep"))
    .summary("run a stage at every point of a sweep and rank the results")
    .argument("<file>", ".cdr file")
    .argument("[sweep]", "sweep to run (default: the only one)")
    .option("--list", "list the points without running them")
    .option("--fresh", "start a new run even if an identical one is done")
    .option("--dry-run", "print the exact requests without starting anything")
    .option("--json", "print one JSON document to stdout at the end")
    .addOption(
      new Option("--color <when>", "when to use colour").choices(["auto", "always", "never"]).default("auto"),
    )
    .action((file: string, name: string | undefined, flags: SweepFlags) => sweepFile(file, name, flags, compile));
}

/** What `cdrc run FILE NAME` does too, where the name is a sweep's. */
export async function sweepFile(
  file: string,
  name: string | undefined,
  flags: SweepFlags,
  compile: CompileForRun,
): Promise<void> {
  const found = sweepIn(file, name, flags);
  if (found === null) return;
  const { sweep, compiled } = found;
  if (flags.list === true) list(sweep, flags);
  if (refusesPoints(sweep, compiled, flags)) process.exitCode = 1;
  else if (flags.list !== true) await runAll(sweep, file, flags, compile);
}

/** Says what is wrong at the points of a sweep, all of it before any of them runs. */
function refusesPoints(sweep: Sweep, { program, options }: FileCompilation, flags: SweepFlags): boolean {
  const errors = pointErrors(sweep, program.root.file.source, options);
  if (errors.size === 0) return false;
  for (const [point, own] of errors) {
    process.stderr.write(pointLine(sweep, point));
    showDiagnostics(own, flags.color);
  }
  const { name, points } = sweep;
  process.stderr.write(`sweep ${name} does not run: ${errors.size} of ${points.length} points have errors\n`);
  if (flags.json === true && flags.list !== true) printJson(toJson([...errors.values()].flat()));
  return true;
}

const pointLine = ({ name, points }: Sweep, point: SweepPoint): string =>
  `${name} ${points.indexOf(point) + 1}/${points.length}: ${pointWords(point)}\n`;

/** The sweep that is meant, where it can be run; whatever is in the way is said. */
function sweepIn(
  file: string,
  name: string | undefined,
  flags: SweepFlags,
): { readonly sweep: Sweep; readonly compiled: FileCompilation } | null {
  const refuse = (message: string): null => {
    misuse(message, flags.json === true);
    return null;
  };
  const compiled = compileFile(file, flags);
  if ("misuse" in compiled) return refuse(compiled.misuse);
  const told = withTriedFixes(compiled);
  if (errorsIn(told) > 0) {
    refuseFile(told, flags.json === true, flags.color);
    return null;
  }
  showDiagnostics(told, flags.color);
  const sweeps = sweepsOf(compiled.program);
  const known = sweeps.map((sweep) => sweep.name).join(", ");
  const symbol = compiled.program.root.names.get(name ?? "");
  if (
    symbol?.kind === "block" &&
    symbol.node.head[0].text === "sweep" &&
    !sweeps.some((each) => each.name === name)
  ) {
    const why = symbol.node.abstract
      ? "is abstract: only a sweep that extends it can run"
      : "is absent: its `when` is false here";
    return refuse(`sweep \`${name}\` of ${file} ${why}`);
  }
  if (sweeps.length === 0) return refuse(`${file} has no sweep`);
  if (name === undefined && sweeps.length > 1) return refuse(`${file} has several sweeps: name one of ${known}`);
  const sweep = name === undefined ? sweeps[0] : sweeps.find((each) => each.name === name);
  if (sweep === undefined) {
    const near = nearest(
      name ?? "",
      sweeps.map((each) => each.name),
    );
    return refuse(`${file} has no sweep "${name}": it has ${known}${near === null ? "" : `; did you mean ${near}?`}`);
  }
  if (flags.list === true) return { sweep, compiled };
  const refused = compiled.unexecuted.of([sweep.name]);
  if (refused.length > 0) {
    refuseFile(refused, flags.json === true, flags.color);
    return null;
  }
  if (sweep.best !== null && metricIn(sweep.best.metric) === null) {
    const metrics = readable.join(", ");
    return refuse(`sweep ${sweep.name} cannot be ranked by ${sweep.best.text} yet: runs record ${metrics}`);
  }
  if (sweep.limits.cost !== null && priceOf(compiled.pipeline.launch.cluster) === null)
    return refuse(
      `sweep ${sweep.name} is limited by its cost, but the price of a GPU-hour is unknown: write \`price = … usd/gpu/h\` in the cluster`,
    );
  return { sweep, compiled };
}

function list(sweep: Sweep, { json }: SweepFlags): void {
  if (json === true) printJson(documentOf(sweep, { runs: [], spent: null }, null));
  else process.stdout.write(renderList(sweep));
}

async function runAll(sweep: Sweep, file: string, flags: SweepFlags, compile: CompileForRun): Promise<void> {
  const together = sweep.parallel > 1 && flags.dryRun !== true;
  // Each run listens for ctrl-c.
  if (together) process.setMaxListeners(process.getMaxListeners() + 4 * sweep.parallel);
  const { runs, spent } = await runPoints(together ? sweep : { ...sweep, parallel: 1 }, (point, index) => {
    process.stderr.write(pointLine(sweep, point));
    const screen = together ? { screen: labelled(`[${index + 1}]`, process.stderr, flags.color) } : {};
    return runPoint(sweep, point, file, { ...flags, ...screen }, compile);
  });
  process.exitCode = Math.max(0, ...runs.map((run) => run.exitCode));
  if (flags.dryRun === true) return;
  const best = rank(sweep, runs);
  if (flags.json === true) printJson(documentOf(sweep, { runs, spent }, best));
  else process.stdout.write(renderRanked(sweep, { runs, spent }, best));
}
