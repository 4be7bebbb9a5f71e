/** Hosts and slots that DeepSpeed's launcher takes from its hostfile. */
import { linesOf } from "./documents/listing.ts";
import type { Listing, Run, ScriptFile } from "./launch.ts";
import { textIn } from "./settings.ts";

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
  { launcher: { settings }, script }: Run,
  listings: readonly Listing[],
  nodesOfJob: number | null,
): Pool | null {
  const path = textIn(settings, "hostfile");
  // What `--exclude` leaves is a matter of its slots.
  if ((path === null && !settings.has("hostfile")) || settings.has("exclude")) return null;
  const isSame = (other: string): boolean => path !== null && baseName(other) === baseName(path);
  const text =
    [...script.written].find(([name]) => isSame(name))?.[1].text ??
    listings.find(({ kind, source }) => kind === "hostfile" && isSame(source.path))?.source.text;
  if (text === undefined) {
    const rounds = [...script.repeated].filter(([name]) => isSame(name)).map(([, round]) => round.text);
    return ofJob(script, nodesOfJob, rounds);
  }
  const slots = linesOf({ path: path ?? "", text }).map(({ text: line }) =>
    Number(/^\S+\s+slots=(\d+)$/.exec(line)?.[1]),
  );
  const [first] = slots;
  return first === undefined || !slots.every((count) => count === first)
    ? null
    : { nodes: slots.length, perNode: first };
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
