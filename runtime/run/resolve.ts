/** From steps to runs: which are wanted, which directory each has, and where its inputs come from. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { runId, textsOf } from "../../compiler/bundle/identity.ts";
import type { StepRun } from "../../compiler/bundle/steps.ts";
import type { RunSpec } from "../target.ts";
import type { Compiled } from "./compiled.ts";
import { sourcesOf, unmatched } from "./sources.ts";

export interface ResolvedRun {
  readonly spec: Omit<RunSpec, "attempt">;
  readonly hashes: Readonly<Record<string, string>>;
  readonly sources: readonly string[];
}

/** What the wanted steps would read and is not there: said before anything is made. */
export function missingSources(compiled: Compiled, runs: readonly ResolvedRun[]): string[] {
  return runs.flatMap(({ spec }) => {
    if (!readsFiles(spec.step) || existsSync(join(spec.directory, "result"))) return [];
    const [text = ""] = textsOf(compiled.bundle, spec.step);
    return unmatched(text, compiled.project).map((missing) => `${spec.step.name}: ${missing}`);
  });
}

export interface ResolveOptions {
  /** Steps to run; all of them when empty. */
  readonly names: readonly string[];
  /** A directory of its own for each wanted step, even if the same question was answered before. */
  readonly fresh: boolean;
  /** Version of the interpreter whose standard library may be a source. */
  readonly python: string;
}

/** The wanted steps and all they read from, in the order of the bundle. */
export function resolveRuns(compiled: Compiled, { names, fresh, python }: ResolveOptions): ResolvedRun[] {
  const { bundle, project, launch } = compiled;
  const wanted = closure(bundle.steps, names);
  const runs = new Map<string, ResolvedRun>();
  for (const step of bundle.steps) {
    if (!wanted.has(step.name)) continue;
    const texts = textsOf(bundle, step);
    const sources = readsFiles(step) ? sourcesOf(texts[0] ?? "", project, python) : [];
    const from = step.inputs.map((input) => ({ input, run: runs.get(input.step) }));
    const inputs = from.map(({ run }) => run?.spec.id ?? "");
    const root = resolve(project, step.root);
    const isNew = fresh && (names.length === 0 || names.includes(step.name));
    const id = place(join(root, step.name), runId({ step, texts, inputs, sources }), isNew);
    const directory = join(root, step.name, id);
    const spec = {
      id,
      step,
      launch,
      directory,
      bundle: join(directory, "bundle"),
      project,
      inputs: from.map(({ input, run }) => ({
        name: input.name,
        directory: run?.spec.directory ?? "",
        which: input.which,
      })),
      after: [],
    };
    runs.set(step.name, { spec, hashes: hashesOf([step.config, ...step.files], texts), sources });
  }
  return [...runs.values()];
}

/** Whether any of the steps needs the interpreter's version to be told apart. */
export function needsPythonVersion(compiled: Compiled): boolean {
  return compiled.bundle.steps.some(
    (step) => readsFiles(step) && (textsOf(compiled.bundle, step)[0] ?? "").includes('"python_stdlib"'),
  );
}

function readsFiles(step: StepRun): boolean {
  return step.kind === "data" || step.kind === "tokenizer" || step.kind === "stage";
}

function closure(steps: readonly StepRun[], names: readonly string[]): ReadonlySet<string> {
  if (names.length === 0) return new Set(steps.map((step) => step.name));
  const wanted = new Set(names);
  for (const name of wanted) {
    for (const input of steps.find((step) => step.name === name)?.inputs ?? []) wanted.add(input.step);
  }
  return wanted;
}

function place(folder: string, id: string, fresh: boolean): string {
  if (!fresh || !existsSync(join(folder, id))) return id;
  let number = 2;
  while (existsSync(join(folder, `${id}-${number}`))) number += 1;
  return `${id}-${number}`;
}

function hashesOf(paths: readonly string[], texts: readonly string[]): Record<string, string> {
  const unique = [...new Set(paths)];
  return Object.fromEntries(
    unique.map((path, index) => [
      path,
      createHash("sha256")
        .update(texts[index] ?? "")
        .digest("hex"),
    ]),
  );
}
