/** From what a user types to a run: a directory, an id, the start of one, or a step's name. */
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { distance } from "fastest-levenshtein";
import { pointers, type Pointer } from "./registry.ts";
import { readRecord } from "./record.ts";

export type Found =
  | { readonly kind: "found"; readonly run: Pointer }
  | { readonly kind: "ambiguous"; readonly name: string; readonly runs: readonly Pointer[] }
  | { readonly kind: "unknown"; readonly name: string; readonly nearest: readonly string[] };

/** The registered runs and those under `runs/` of the working directory, newest first. */
export function knownRuns(cwd: string = process.cwd()): Pointer[] {
  const known = pointers();
  const seen = new Set(known.map((run) => run.directory));
  return [...known, ...runsUnder(join(cwd, "runs")).filter((run) => !seen.has(run.directory))].sort(
    (a, b) => b.created - a.created,
  );
}

export function findRun(name: string, runs: readonly Pointer[] = knownRuns(), cwd: string = process.cwd()): Found {
  const path = resolve(cwd, name);
  if (existsSync(join(path, "run.json"))) {
    const run = pointerOf(path);
    if (run !== null) return { kind: "found", run };
  }
  const newestOf = runs.find((run) => run.step === name);
  const byId = runs.filter((run) => run.id === name);
  const matches = byId.length > 0 ? byId : newestOf !== undefined ? [newestOf] : prefixed(name, runs);
  const [only, ...others] = matches;
  if (only === undefined) return { kind: "unknown", name, nearest: nearest(name, runs) };
  if (others.length > 0) return { kind: "ambiguous", name, runs: matches };
  return { kind: "found", run: only };
}

function prefixed(name: string, runs: readonly Pointer[]): Pointer[] {
  return name === "" ? [] : runs.filter((run) => run.id.startsWith(name) || `${run.step}/${run.id}`.startsWith(name));
}

function nearest(name: string, runs: readonly Pointer[]): string[] {
  const names = [...new Set(runs.flatMap((run) => [run.step, run.id]))];
  return names
    .map((candidate) => ({ candidate, far: distance(name, candidate) }))
    .filter(({ candidate, far }) => far <= Math.max(2, candidate.length / 2))
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
  return { id: read.record.id, step: read.record.step.name, directory, created: read.record.created };
}
