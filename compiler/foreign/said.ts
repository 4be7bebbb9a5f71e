import { documentsOf, type Launch } from "./launch.ts";
import { flattened } from "./trainer/settings.ts";
import { toldIn, type Settings, type Told } from "./settings.ts";

/** Everything that a launch's files say by name, whoever reads it: files first, then commands, which count. */
export function saidIn(launch: Launch): Settings {
  const known = memory.get(launch) ?? gathered(launch);
  memory.set(launch, known);
  return known;
}

/** Many rules ask the same launch. */
const memory = new WeakMap<Launch, Settings>();

function gathered(launch: Launch): Settings {
  const kinds = ["gpt-neox", "nanotron", "composer", "nemo", "lightning"] as const;
  const sources: readonly (Settings | null)[] = [
    ...kinds.flatMap((kind) => documentsOf(launch, kind).map(({ root }) => flattened(root))),
    launch.accelerate,
    launch.trainer,
    ...launch.runs.map(({ options }) => options),
  ];
  const [only, ...others] = sources.filter((settings) => settings !== null && settings.size > 0) as Settings[];
  if (only === undefined || others.length === 0) return only ?? new Map();
  const all = new Map(only);
  for (const settings of others) for (const [name, told] of settings) all.set(name, told);
  return all;
}

/** The first of these names that says something other than nothing. */
export function given(settings: Settings, ...names: readonly string[]): Told | undefined {
  const told = toldIn(settings, ...names);
  const nothing =
    told === undefined || (told.known && [null, false, "", "null", "None", "none"].includes(told.value as string));
  return nothing ? undefined : told;
}

/** What is said under a name or behind it as the last part of a dotted one: `train_batch_size`, `data.train_batch_size`. */
export function endingIn(settings: Settings, ...names: readonly string[]): Told | undefined {
  const known = lasts.get(settings) ?? lastParts(settings);
  lasts.set(settings, known);
  return names.map((name) => settings.get(name) ?? known.get(name)).find((told) => told !== undefined);
}

const lasts = new WeakMap<Settings, ReadonlyMap<string, Told>>();

function lastParts(settings: Settings): ReadonlyMap<string, Told> {
  const parts = new Map<string, Told>();
  for (const [name, told] of settings) {
    const dot = name.lastIndexOf(".");
    if (dot < 0) continue;
    const last = name.slice(dot + 1);
    if (!parts.has(last)) parts.set(last, told);
  }
  return parts;
}
