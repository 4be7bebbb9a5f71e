/** Measures a place: the measuring program and the probes, as runs like any other. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Bundle, StepRun } from "../../compiler/bundle/steps.ts";
import { measureConfig, saidBy, type Measurements } from "../../compiler/calibrate/measurements.ts";
import type { Observation } from "../../compiler/calibrate/observation.ts";
import type { Calibration } from "../../compiler/calibration.ts";
import { json } from "../../compiler/engines/trainer.ts";
import type { Compiled } from "../run/compiled.ts";
import type { Outcome } from "../run/pipeline.ts";
import { runPipeline } from "../run/run.ts";
import type { Colour } from "../run/screen.ts";
import { readRun } from "./read-run.ts";

/** Stages that are made to be measured; nobody declared them. */
type Probes = Omit<Compiled, "declared">;

export interface Found {
  readonly said: Partial<Calibration>;
  readonly observations: readonly Observation[];
}

/** The exit code of the runs where one of them did not finish. */
export async function measureOn(probes: Probes, colour: Colour): Promise<Found | number> {
  const bundle = withMeasure(probes);
  const declared = bundle.steps.map(({ name, kind }) => ({
    name,
    importedFrom: null,
    isEnd: kind === "stage" || kind === "measure",
  }));
  const outcomes: Outcome[] = [];
  const code = await runPipeline(
    { ...probes, bundle, declared },
    {
      names: declared.filter(({ isEnd }) => isEnd).map(({ name }) => name),
      fresh: true,
      detach: false,
      dryRun: false,
      json: false,
      colour,
      onOutcome: (outcome) => outcomes.push(outcome),
    },
  );
  if (code !== 0) return code;
  let said: Partial<Calibration> = {};
  const observations: Observation[] = [];
  for (const { directory, kind } of outcomes.flatMap(({ runs }) => runs)) {
    if (kind === "measure") said = { ...said, ...measurementsIn(directory) };
    if (kind !== "stage") continue;
    const read = await readRun(directory);
    if (read.kind === "read") observations.push(read.observation);
    // Nobody goes on from these weights.
    rmSync(join(directory, "checkpoints"), { recursive: true, force: true });
  }
  return { said, observations };
}

function measurementsIn(directory: string): Partial<Calibration> {
  const path = join(directory, "result", "measurements.json");
  return existsSync(path) ? saidBy(JSON.parse(readFileSync(path, "utf8")) as Measurements) : {};
}

const name = "calibrate_measure";
const path = `steps/${name}/measure.json`;

/** The probes' bundle with the measuring program as its first step. */
function withMeasure({ bundle, launch }: Probes): Bundle {
  const { nodes, gpusPerNode, device } = launch.cluster;
  const step: StepRun = {
    name,
    kind: "measure",
    program: "measure",
    config: path,
    files: [path],
    nodes,
    processes: gpusPerNode,
    device: device.kind,
    inputs: [],
    root: bundle.steps.find(({ kind }) => kind === "stage")?.root ?? "runs",
    total: null,
    unit: "measurements",
    estimate: null,
  };
  const steps = [step, ...bundle.steps];
  const files = bundle.files.filter((file) => file.path !== "steps.json");
  return {
    steps,
    files: [
      ...files,
      { path, text: json(measureConfig(launch.cluster, name)) },
      { path: "steps.json", text: json(steps) },
    ],
  };
}
