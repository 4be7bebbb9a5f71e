import type { Sweep, SweepPoint } from "../../compiler/sweeps.ts";
import { priceOf } from "../../compiler/planner/run/price.ts";
import type { CompileForRun } from "../../runtime/run/compiled.ts";
import type { Outcome } from "../../runtime/run/pipeline.ts";
import { runPipeline } from "../../runtime/run/run.ts";
import type { Colour, Screen } from "../../runtime/run/screen.ts";
import { snapshotsOf } from "../../runtime/watch/snapshot.ts";
import { secondsSpent } from "../../runtime/watch/spent.ts";
import type { FrontFlags } from "../front.ts";
import { metricIn, readingOf } from "./reading.ts";

export interface PointRun {
  readonly point: SweepPoint;
  readonly exitCode: number;
  readonly id: string | null;
  readonly directory: string | null;
  readonly state: string;
  /** What `best` asks for; `null` where it was not measured, or nothing is asked. */
  readonly reading: number | null;
  /** What it took; `null` where it did not run, or nothing says what a GPU-hour costs. */
  readonly seconds: number | null;
  readonly cost: number | null;
}

interface Flags extends FrontFlags {
  readonly fresh?: true;
  readonly dryRun?: true;
  readonly color: Colour;
  /** Where it is shown; standard error by default. */
  readonly screen?: Screen;
}

/** One point, as `cdrc run FILE STAGE --with … --set …` would run it. */
export async function runPoint(
  sweep: Sweep,
  point: SweepPoint,
  file: string,
  flags: Flags,
  compile: CompileForRun,
): Promise<PointRun> {
  const nowhere = { point, id: null, directory: null, reading: null, seconds: null, cost: null };
  const names = [sweep.stage];
  const compiled = await compile(file, {
    ...{ on: flags.on, target: flags.target, preset: flags.preset, names },
    with: [...(flags.with ?? []), ...sweep.overlays],
    set: [...(flags.set ?? []), ...point.sets],
  });
  if (compiled === null) return { ...nowhere, exitCode: 1, state: "refused" };
  let outcome: Outcome | null = null;
  const exitCode = await runPipeline(compiled, {
    ...{ names, fresh: flags.fresh === true, detach: false, dryRun: flags.dryRun === true, json: false },
    colour: flags.color,
    ...(flags.screen === undefined ? {} : { screen: flags.screen }),
    onOutcome: (ended) => void (outcome = ended),
  });
  const run = factsIn(outcome, sweep.stage);
  if (run === undefined) return { ...nowhere, exitCode, state: exitCode === 0 ? "planned" : "refused" };
  const metric = sweep.best === null ? null : metricIn(sweep.best.metric);
  const [snapshot] = await snapshotsOf([run.directory]);
  const reading = metric === null || snapshot === undefined ? null : readingOf(metric, snapshot.progress);
  const seconds = snapshot === undefined ? null : secondsSpent(snapshot.progress);
  const price = priceOf(compiled.launch.cluster);
  const ranks = snapshot === undefined ? 0 : snapshot.record.step.nodes * snapshot.record.step.processes;
  const cost = seconds === null || price === null ? null : (seconds / 3600) * ranks * price;
  return { point, exitCode, id: run.id, directory: run.directory, state: run.state, reading, seconds, cost };
}

const factsIn = (outcome: Outcome | null, stage: string) => outcome?.runs.find(({ step }) => step === stage);
