/** The whole of `cdrc run` behind its options: what is printed where, and the exit code. */
import { join } from "node:path";
import { packageRoot } from "../../compiler/package-root.ts";
import { writeReport } from "../report/write.ts";
import type { Compiled } from "./compiled.ts";
import { detach } from "./detach.ts";
import { rehearse, renderDryRun, type Rehearsed } from "./dry-run.ts";
import { type Outcome, printOutcome, supervise } from "./pipeline.ts";
import { renderRefusal } from "./refusal-block.ts";
import { provision, readyPython, versionOf } from "./provision.ts";
import { isRefusal, refusal, type Refusal } from "./refusal.ts";
import { missingSources, needsPythonVersion, resolveRuns } from "./resolve.ts";
import { screenOf, type Colour, type Screen } from "./screen.ts";
import { snapshotsOf } from "../watch/snapshot.ts";
import { startRun } from "./start.ts";
import { missingCheckpoint, wantedSteps } from "./wanted.ts";

export interface RunOptions {
  /** Steps to run, with all they read from; when empty, the one step that the others lead to. */
  readonly names: readonly string[];
  readonly fresh: boolean;
  readonly detach: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
  readonly colour: Colour;
  /** Where it is shown; standard error by default. */
  readonly screen?: Screen;
  /** Told how it ended, where it was watched. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** Exit code of the command. Talk goes to stderr, data to stdout. */
export async function runPipeline(compiled: Compiled, options: RunOptions): Promise<number> {
  const screen = options.screen ?? screenOf(process.stderr, options.colour);
  const wanted = wantedSteps(compiled, options.names);
  if (isRefusal(wanted)) return refuse(wanted, 2, options, screen);
  const tooMany = tooManyNodes(compiled);
  if (tooMany !== null) return refuse(tooMany, 1, options, screen);
  const trainer = join(packageRoot(), "trainer");
  const python = await pythonOf(compiled, trainer, options, screen);
  if (isRefusal(python)) return refuse(python, 3, options, screen);
  const runs = resolveRuns(compiled, { names: wanted, fresh: options.fresh, python });
  const missing = missingSources(compiled, runs);
  if (missing.length > 0) {
    return refuse(refusal(missing.join("\n"), "correct `from`, or bring the files"), 1, options, screen);
  }
  const untrained = await missingCheckpoint(compiled, runs, options.names);
  if (untrained !== null) return refuse(untrained, 1, options, screen);
  if (options.dryRun) {
    const snapshots = await snapshotsOf(runs.map(({ spec }) => spec.directory));
    const rehearsed = rehearse(runs, new Map(snapshots.map((snapshot) => [snapshot.directory, snapshot])));
    process.stdout.write(
      options.json
        ? `${JSON.stringify({ requests: rehearsed.map(documentOf) }, null, 2)}\n`
        : renderDryRun(rehearsed, ["compile", compiled.file, ...compiled.flags], process.cwd()),
    );
    return 0;
  }
  if (options.detach) return detach(runs, options.json, screen);
  const outcome = await supervise({
    runs,
    start: (run, order) => startRun(run, compiled.file, compiled.bundle, order),
    queueing: compiled.launch.target.kind === "slurm",
    interrupt: "save",
    title: titleOf(compiled),
    screen,
    report: writeReport,
  });
  options.onOutcome?.(outcome);
  if (options.json) printOutcome(outcome);
  return outcome.exitCode;
}

/**
 * Version of the interpreter, where a result depends on it. A local run has its environment made here, in front of the
 * user; a queued one makes it where it runs; a dry run makes nothing.
 */
async function pythonOf(
  compiled: Compiled,
  trainer: string,
  { dryRun }: RunOptions,
  screen: Screen,
): Promise<string | Refusal> {
  const matters = needsPythonVersion(compiled);
  if (!matters && (dryRun || compiled.launch.target.kind !== "local")) return "";
  const interpreter = dryRun ? readyPython(trainer) : await provision(trainer, (line) => screen.say([line]));
  if (interpreter === null) {
    screen.say(["the Python environment is not made yet: ids of steps that read its library are not final"]);
    return "unknown";
  }
  if (isRefusal(interpreter)) return interpreter;
  return matters ? versionOf(interpreter) : "";
}

/** This target has one machine. */
function tooManyNodes({ bundle, launch }: Compiled): Refusal | null {
  const step = launch.target.kind === "local" ? bundle.steps.find(({ nodes }) => nodes > 1) : undefined;
  if (step === undefined) return null;
  return refusal(
    `step "${step.name}" is planned for ${step.nodes} nodes, but the local target is only this machine`,
    "choose a launch with target = slurm, or a cluster of one node",
  );
}

function titleOf({ file, launch }: Compiled): string {
  const { cluster, target } = launch;
  const machines = cluster.nodes > 1 ? `${cluster.nodes} nodes` : "this machine";
  return `${file} on ${launch.name} (${target.kind === "local" ? machines : target.kind})`;
}

function documentOf({ run, state, attempt, request }: Rehearsed): object {
  const { step, id, directory } = run.spec;
  return { step: step.name, id, directory, state, attempt, request };
}

function refuse(refused: Refusal, code: number, { json }: RunOptions, screen: Screen): number {
  screen.close(null);
  screen.say(renderRefusal(refused, screen.paint));
  if (json)
    process.stdout.write(
      `${JSON.stringify({ runs: [], error: { message: refused.message, advice: refused.advice } })}\n`,
    );
  return code;
}
