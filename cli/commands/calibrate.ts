/** `cdrc calibrate [FILE] [--from RUN…]`. */
import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import writeFileAtomic from "write-file-atomic";
import { clusterFile, figuresOf, nameOf } from "../../compiler/calibrate/cluster-file.ts";
import { learn, type Learned } from "../../compiler/calibrate/learn.ts";
import type { Observation } from "../../compiler/calibrate/observation.ts";
import { probeSource } from "../../compiler/calibrate/probes.ts";
import { startOf } from "../../compiler/calibrate/start.ts";
import type { Calibration } from "../../compiler/calibration.ts";
import type { ClusterSpec, StartedLaunch } from "../../compiler/pipeline.ts";
import { measureOn } from "../../runtime/calibrate/measure-on.ts";
import { readRun } from "../../runtime/calibrate/read-run.ts";
import { shown } from "../../runtime/run/document.ts";
import { refusal, refusalOf } from "../../runtime/run/refusal.ts";
import { emitBundle } from "../bundle.ts";
import { compilePlain, placeOf } from "../calibrate/place.ts";
import { type FrontFlags, frontOptions } from "../front.ts";
import { misuse } from "../misuse.ts";
import { refuseFile } from "../report-diagnostics.ts";
import { colourOption, fail, printJson, runNamed, type LifeFlags } from "./life.ts";

interface Flags extends FrontFlags, LifeFlags {
  readonly from?: readonly string[];
  readonly processes?: number;
  readonly output?: string;
  readonly force?: true;
}

export function calibrateCommand(): Command {
  const command = new Command("calibrate")
    .summary("measure a machine, or learn from its runs, and write a calibrated cluster")
    .argument("[file]", ".cdr file whose launch to measure (default: this machine)")
    .option("--from <run...>", "learn from finished runs instead of measuring")
    .option("--processes <n>", "processes per node, overriding the launch", count)
    .option("-o, --output <file>", "file to write (default: the cluster's name with .cdr)")
    .option("--force", "overwrite an existing file")
    .option("--json", "print one JSON document to stdout")
    .addOption(colourOption());
  return frontOptions(command).action(calibrate);
}

async function calibrate(file: string | undefined, flags: Flags): Promise<void> {
  const json = flags.json === true;
  const ofFile =
    file === undefined ? (["on", "preset", "with", "set"] as const).find((name) => flags[name]) : undefined;
  if (ofFile !== undefined) return misuse(`--${ofFile} says which launch of a file is meant: name the file`, json);
  if (flags.from !== undefined) {
    if (file !== undefined || flags.processes !== undefined)
      return misuse("--from learns from finished runs: it takes no file and no --processes", json);
    const read = await fromRuns(flags.from, flags);
    if (read !== null)
      await write(read.cluster, learn(startOf(read.cluster), read.observations), flags, "cdrc calibrate --from");
    return;
  }
  const place = await placeOf(file, flags, flags.processes ?? null);
  if (place.kind === "misuse") return misuse(place.message, json);
  if (place.kind === "errors") return refuseFile(place.diagnostics, json);
  const { launch } = place;
  if (isTaken(outputOf(launch.cluster, flags), flags)) return;
  const found = await measured(launch, flags);
  if (typeof found === "number") process.exitCode = found;
  else await write(launch.cluster, learn(found.start, found.observations), flags, "cdrc calibrate");
}

/** One process that has a node to itself, then all that the launch has: they share its memory and talk. */
async function measured(
  launch: StartedLaunch,
  flags: Flags,
): Promise<{ readonly start: Calibration; readonly observations: readonly Observation[] } | number> {
  const { cluster } = launch;
  const sizes = cluster.nodes > 1 ? [cluster.gpusPerNode] : [...new Set([1, cluster.gpusPerNode])];
  const observations: Observation[] = [];
  let start = startOf(cluster);
  for (const gpusPerNode of sizes) {
    const own = { ...launch, cluster: { ...cluster, gpusPerNode } };
    const compilation = compilePlain(probeSource(own.cluster), own);
    const wrong = compilation.diagnostics.find(({ severity }) => severity === "error");
    if (wrong !== undefined) {
      fail(refusal(`the probes cannot run on ${cluster.name}: ${wrong.message}`), 3, flags);
      return 3;
    }
    const bundle = emitBundle(compilation);
    const probes = { file: "calibration", project: resolve("."), flags: [], bundle, launch: own };
    const found = await measureOn(probes, flags.color);
    if (typeof found === "number") return found;
    start = { ...start, ...found.said };
    observations.push(...found.observations);
  }
  return { start, observations };
}

async function fromRuns(
  names: readonly string[],
  flags: Flags,
): Promise<{ readonly cluster: ClusterSpec; readonly observations: readonly Observation[] } | null> {
  const observations: Observation[] = [];
  const clusters: ClusterSpec[] = [];
  for (const name of names) {
    const run = runNamed(name, flags);
    if (run === null) return null;
    const read = await readRun(run.directory);
    if (read.kind === "useless")
      return fail(refusal(`nothing can be learned from ${shown(run.directory)}: ${read.why}`), 3, flags);
    const other = clusters.find((cluster) => !isAlike(cluster, read.cluster));
    if (other !== undefined) {
      const message = `${shown(run.directory)} ran on ${read.cluster.name}, and the others on ${other.name}`;
      return fail(refusal(message, "calibrate each cluster by its own runs"), 2, flags);
    }
    clusters.push(read.cluster);
    observations.push(read.observation);
  }
  const largest = clusters.reduce((most, one) => (one.gpusPerNode > most.gpusPerNode ? one : most));
  return isTaken(outputOf(largest, flags), flags) ? null : { cluster: largest, observations };
}

const isAlike = (a: ClusterSpec, b: ClusterSpec): boolean =>
  a.name === b.name && a.device.name === b.device.name && a.cores === b.cores && a.nodes === b.nodes;

async function write(
  cluster: ClusterSpec,
  { calibration, judged, untouched }: Learned,
  flags: Flags,
  by: string,
): Promise<void> {
  const path = outputOf(cluster, flags);
  const day = new Date().toISOString().slice(0, 10);
  try {
    await writeFileAtomic(path, clusterFile(cluster, calibration, { day, runs: judged.length, by }));
  } catch (error) {
    const refused = refusalOf(error, path);
    if (refused === null) throw error;
    fail(refused, 3, flags);
    return;
  }
  if (flags.json === true)
    return printJson({ file: path, cluster: nameOf(cluster), calibration, untouched, runs: judged });
  const figures = figuresOf(cluster, calibration);
  const wide = Math.max(...figures.map(([name]) => name.length));
  const long = Math.max(...figures.map(([, text]) => text.length));
  const isMeasured = flags.from === undefined;
  const lines = figures.map(([name, text]) => {
    const isOld = !isMeasured && untouched.includes(name);
    return `  ${name.padEnd(wide)}  ${isOld ? `${text.padEnd(long)}  as before: the runs say nothing of it` : text}`;
  });
  process.stderr.write(`${lines.join("\n")}\n\n  import "./${shown(path)}" { ${nameOf(cluster)} }\n\n`);
  process.stdout.write(`${shown(path)}\n`);
}

const outputOf = (cluster: ClusterSpec, { output }: Flags): string => resolve(output ?? `${nameOf(cluster)}.cdr`);

/** Can it not be written? Said before anything is measured. */
function isTaken(path: string, flags: Flags): boolean {
  const folder = dirname(path);
  if (!existsSync(folder)) {
    misuse(`there is no folder ${shown(folder)} to write ${basename(path)} into`, flags.json === true);
    return true;
  }
  if (!existsSync(path) || flags.force === true) return false;
  misuse(`${shown(path)} exists already: --force replaces it, -o writes another`, flags.json === true);
  return true;
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("write a whole number of at least 1.");
  return value;
}
