/** From what a user types to a run: a directory, an id, the start of one, or a step's name. */
import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { distance } from "fastest-levenshtein";
import { pointers, type Pointer } from "./registry.ts";
import { readRecord } from "./record.ts";

export type Found =
  | { readonly kind: "found"; readonly run: Pointer }
  | { readonly kind: "ambiguous"; readonly name: string; readonly runs: readonly Pointer[] }
  | {
      readonly kind: "unknown";
      readonly name: string;
      readonly nearest: readonly string[];
      readonly elsewhere: readonly Pointer[];
    };

/** The registered runs and those under `runs/` of the working directory, newest first. */
export function knownRuns(cwd: string = process.cwd()): Pointer[] {
  const known = pointers();
  const seen = new Set(known.map((run) => run.directory));
  return [...known, ...runsUnder(join(cwd, "runs")).filter((run) => !seen.has(run.directory))].sort(
    (a, b) => b.created - a.created,
  );
}

/**
 * A step's name means its newest run in the project that the working directory is of: in its own, then those below it,
 * then the nearest one above it. An id means a run anywhere, and one of those first.
 */
export function findRun(name: string, runs: readonly Pointer[] = knownRuns(), cwd: string = process.cwd()): Found {
  const path = resolve(cwd, name);
  if (existsSync(join(path, "run.json"))) {
    const run = pointerOf(path);
    if (run !== null) return { kind: "found", run };
  }
  const near = circles(runs, cwd);
  const elsewhere = runs.filter((run) => circleOf(run, cwd) === null);
  const byStep = near.map((circle) => newestOfEach(circle.filter((run) => run.step === name)));
  const exact = [...near, elsewhere].map((circle) => circle.filter((run) => run.id === name));
  const prefixed = [...near, elsewhere].map((circle) => circle.filter((run) => startsWith(run, name)));
  const matches = [...exact, ...byStep, ...prefixed].find((found) => found.length > 0);
  if (matches === undefined) {
    const others = newestOfEach(elsewhere.filter((run) => run.step === name));
    return { kind: "unknown", name, nearest: nearest(name, runs), elsewhere: others };
  }
  const [only, ...others] = matches;
  return only === undefined || others.length > 0
    ? { kind: "ambiguous", name, runs: matches }
    : { kind: "found", run: only };
}

/** What may be meant from here: the step's names and the ids of this project's runs, then runs of others by their ids. */
export function namesFrom(
  cwd: string = process.cwd(),
  runs: readonly Pointer[] = knownRuns(cwd),
): readonly { readonly word: string; readonly run: Pointer }[] {
  const near = circles(runs, cwd).flat();
  const steps = new Map(near.toReversed().map((run) => [run.step, run]));
  const ids = [...near, ...runs.filter((run) => circleOf(run, cwd) === null)];
  return [...[...steps].map(([word, run]) => ({ word, run })), ...ids.map((run) => ({ word: run.id, run }))];
}

/** Runs of the working directory's project, of projects below it, of those above it from the nearest on. */
function circles(runs: readonly Pointer[], cwd: string): Pointer[][] {
  const found: Pointer[][] = [];
  for (const run of runs) {
    const circle = circleOf(run, cwd);
    if (circle !== null) (found[circle] ??= []).push(run);
  }
  return Array.from(found, (circle) => circle ?? []);
}

/** How far a run's project is from `cwd`; `null`: it is not on the way up or down. */
function circleOf({ project, directory }: Pointer, cwd: string): number | null {
  const up = relative(project, cwd);
  if (up === "") return 0;
  // A project that was moved is where its runs are.
  if ([project, directory].some((path) => isBelow(path, cwd))) return 1;
  return isBelow(cwd, project) ? 1 + up.split(sep).length : null;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Newest first in, so the first of each project. */
function newestOfEach(runs: readonly Pointer[]): Pointer[] {
  const projects = new Set<string>();
  return runs.filter(({ project }) => !projects.has(project) && projects.add(project));
}

function startsWith(run: Pointer, name: string): boolean {
  if (name.includes("/")) return `${run.step}/${run.id}`.startsWith(name);
  return name !== "" && run.id.startsWith(name);
}

function nearest(name: string, runs: readonly Pointer[]): string[] {
  const names = [...new Set(runs.flatMap((run) => [run.step, run.id]))];
  return names
    .map((candidate) => ({ candidate, far: distance(name, candidate) }))
    .filter(({ candidate, far }) => far < candidate.length && far <= Math.max(1, candidate.length / 2))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

function runsUnder(root: string): Pointer[] {
  return folders(root).flatMap((step) =>
    folders(join(root, step)).flatMap((id) => {
      const run = pointerOf(join(root, step, id));
      return run === null ? [] : [run];
    }),
  );
}

function folders(path: string): string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

function pointerOf(directory: string): Pointer | null {
  const read = readRecord(directory);
  if (!read.ok) return null;
  const { id, step, project, created } = read.record;
  return { id, step: step.name, directory, project, created };
}
