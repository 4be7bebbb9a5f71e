/** The places where steps run, by name. */
import { local } from "./submit/local.ts";
import { slurm } from "./submit/slurm/slurm.ts";
import type { Handle, Observation, Target } from "./target.ts";

const targets: Readonly<Record<Target["name"], Target>> = { local, slurm };

export function targetOf(name: Target["name"]): Target {
  return targets[name];
}

/** Asks every target once for all of its handles. */
export async function pollAll(handles: readonly Handle[]): Promise<ReadonlyMap<Handle, Observation>> {
  const names = [...new Set(handles.map((handle) => handle.target))];
  const answers = await Promise.all(
    names.map((name) => targetOf(name).poll(handles.filter((handle) => handle.target === name))),
  );
  return new Map(answers.flatMap((answer) => [...answer]));
}
