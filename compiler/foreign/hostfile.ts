/** Hosts and slots that DeepSpeed's launcher takes from its hostfile. */
import { linesOf } from "./documents/listing.ts";
import type { Listing, Run, ScriptFile } from "./launch.ts";
import { textIn, toldIn } from "./settings.ts";

type Started = Pick<Run, "script"> & { readonly launcher: Pick<Run["launcher"], "settings"> };

interface Pool {
  readonly nodes: number;
  readonly perNode: number;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/**
 * `null` where the file is not there, a line of it is not read, or hosts differ. A script may write it itself. Source:
 * deepspeed/launcher/runner.py: _parse_hostfile.
 */
export function poolOf(
  { launcher: { settings }, script }: Started,
  listings: readonly Listing[],
  nodesOfJob: number | null,
): Pool | null {
  const path = textIn(settings, "hostfile");
  if (path === null && !settings.has("hostfile")) return null;
  const hosts = hostsOf({ launcher: { settings }, script }, listings);
  if (hosts === undefined) {
    const isSame = (other: string): boolean => path !== null && baseName(other) === baseName(path);
    const rounds = [...script.repeated].filter(([name]) => isSame(name)).map(([, round]) => round.text);
    return ofJob(script, nodesOfJob, rounds);
  }
  const slots = [...(hosts ?? new Map<string, number>()).values()];
  const [first] = slots;
  return first === undefined || !slots.every((count) => count === first)
    ? null
    : { nodes: slots.length, perNode: first };
}

/** Hosts and their slots; `undefined` where the file is not there, `null` where a line of it is none. */
function hostsOf(
  { launcher: { settings }, script }: Started,
  listings: readonly Listing[],
): ReadonlyMap<string, number> | null | undefined {
  const path = textIn(settings, "hostfile");
  const isSame = (other: string): boolean => path !== null && baseName(other) === baseName(path);
  const text =
    [...script.written].find(([name]) => isSame(name))?.[1].text ??
    listings.find(({ kind, source }) => kind === "hostfile" && isSame(source.path))?.source.text;
  if (text === undefined) return undefined;
  const hosts = linesOf({ path: path ?? "", text }).map(({ text: line }) => /^(\S+)\s+slots=(\d+)$/.exec(line));
  return hosts.every((host) => host !== null)
    ? new Map(hosts.map(([, name = "", count]) => [name, Number(count)]))
    : null;
}

export interface Chosen {
  readonly size: number;
  readonly shape: { readonly nodes: number; readonly perNode: number | null };
}

/**
 * Slots that `--include` and `--exclude` leave: `undefined` where there is no filter, `null` where nobody knows, or the launcher
 * refuses it. `devices`: those of this machine, where no file lists hosts. Source: deepspeed/launcher/runner.py: parse_resource_filter.
 */
export function chosenSlots(
  run: Started,
  listings: readonly Listing[],
  devices: number | null,
): Chosen | null | undefined {
  const { settings } = run.launcher;
  const told = toldIn(settings, "include", "exclude");
  if (told === undefined || (told.known && told.value === "")) return undefined;
  if (typeof told.value !== "string" || (settings.has("include") && settings.has("exclude"))) return null;
  const isKept = settings.has("include");
  const named = filterOf(told.value);
  const listed = settings.has("hostfile")
    ? hostsOf(run, listings)
    : devices === null
      ? undefined
      : new Map([["localhost", devices]]);
  if (named === null || listed === null) return null;
  if (listed === undefined)
    return isKept && [...named.values()].every((slots) => slots.size > 0)
      ? sumOf([...named.values()].map(({ size }) => size))
      : null;
  for (const [host, slots] of named) {
    const count = listed.get(host);
    if (count === undefined || [...slots].some((slot) => slot >= count)) return null;
  }
  return sumOf(
    [...listed].map(([host, count]) => {
      const slots = named.get(host);
      if (slots === undefined) return isKept ? 0 : count;
      return isKept ? slots.size || count : slots.size === 0 ? 0 : count - slots.size;
    }),
  );
}

function sumOf(counts: readonly number[]): Chosen | null {
  const used = counts.filter((count) => count > 0);
  const size = used.reduce((sum, count) => sum + count, 0);
  const [first] = used;
  return first === undefined
    ? null
    : { size, shape: { nodes: used.length, perNode: used.every((count) => count === first) ? first : null } };
}

/** `localhost:0,1@other`: slots of each host, none where all of them are meant; `null` where it is no filter. */
function filterOf(text: string): ReadonlyMap<string, ReadonlySet<number>> | null {
  const named = new Map<string, Set<number>>();
  for (const part of text.split("@")) {
    const [, host = "", slots] = /^([^:]+)(?::(\d+(?:,\d+)*))?$/.exec(part.trim()) ?? [];
    if (host === "") return null;
    const all = named.get(host) ?? new Set<number>();
    for (const slot of slots?.split(",") ?? []) all.add(Number(slot));
    named.set(host, all);
  }
  return named;
}

/** A script that asks Slurm for the names of its nodes writes a line for each; how many slots, its text, its commands or its loops say. */
function ofJob({ source, commands }: ScriptFile, nodes: number | null, rounds: readonly string[]): Pool | null {
  const text = source.text.replaceAll(/^\s*#.*$/gm, "");
  if (nodes === null || !/\bscontrol\s+show\s+hostnames?\b/.test(text)) return null;
  const words = commands
    .flatMap((command) => command.words)
    .map(({ text: word, pieces }) => word ?? pieces.map((piece) => piece.text ?? "").join(""));
  const [written, made] = [slotsIn([text]), slotsIn([...words, ...rounds])];
  // What the text leaves to a variable, a command has in its words, and a loop in what it writes.
  const slots = written.includes(null) ? [...written.filter((count) => count !== null), ...made] : written;
  const [first] = slots;
  return first == null || (written.includes(null) && made.length === 0) || !slots.every((count) => count === first)
    ? null
    : { nodes, perNode: first };
}

const slotsIn = (texts: readonly string[]): readonly (number | null)[] =>
  texts.flatMap((text) => [...text.matchAll(/\bslots=(\d*)/g)].map(([, count]) => Number(count) || null));
