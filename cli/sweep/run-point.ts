import type { Sweep, SweepPoint } from "../../compiler/sweeps.ts";
import type { CompileForRun } from "../../runtime/run/compiled.ts";
import type { Outcome } from "../../runtime/run/pipeline.ts";
import { runPipeline } from "../../runtime/run/run.ts";
import type { Colour } from "../../runtime/run/screen.ts";
import { snapshotsOf } from "../../runtime/watch/snapshot.ts";
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
}

interface Flags extends FrontFlags {
  readonly fresh?: true;
  readonly dryRun?: true;
  readonly color: Colour;
}

/** One point, as `cdrc run FILE STAGE --with … --set …` would run it. */
export async function runPoint(
  sweep: Sweep,
  point: SweepPoint,
  file: string,
  flags: Flags,
  compile: CompileForRun,
): Promise<PointRun> {
  const nowhere = { point, id: null, directory: null, reading: null };
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
    onOutcome: (ended) => void (outcome = ended),
  });
  const run = factsIn(outcome, sweep.stage);
  if (run === undefined) return { ...nowhere, exitCode, state: exitCode === 0 ? "planned" : "refused" };
  const metric = sweep.best === null ? null : metricIn(sweep.best.metric);
  const [snapshot] = metric === null ? [] : await snapshotsOf([run.directory]);
  const reading = metric === null || snapshot === undefined ? null : readingOf(metric, snapshot.progress);
  return { point, exitCode, id: run.id, directory: run.directory, state: run.state, reading };
}

const factsIn = (outcome: Outcome | null, stage: string) => outcome?.runs.find(({ step }) => step === stage);
