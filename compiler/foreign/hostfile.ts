/** Hosts and slots that DeepSpeed's launcher takes from its hostfile. */
import { linesOf } from "./documents/listing.ts";
import type { Listing, Run } from "./launch.ts";
import { textIn } from "./settings.ts";

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/**
 * `null` where the file is not there, a line of it is not read, or hosts differ. A script may write it itself. Source:
 * deepspeed/launcher/runner.py: _parse_hostfile.
 */
export function poolOf(
  { launcher: { settings }, script }: Run,
  listings: readonly Listing[],
): { readonly nodes: number; readonly perNode: number } | null {
  const path = textIn(settings, "hostfile");
  // What `--exclude` leaves is a matter of its slots.
  if (path === null || settings.has("exclude")) return null;
  const isSame = (other: string): boolean => baseName(other) === baseName(path);
  const text =
    [...script.written].find(([name]) => isSame(name))?.[1].text ??
    listings.find(({ kind, source }) => kind === "hostfile" && isSame(source.path))?.source.text;
  if (text === undefined) return null;
  const slots = linesOf({ path, text }).map(({ text: line }) => Number(/^\S+\s+slots=(\d+)$/.exec(line)?.[1]));
  const [first] = slots;
  return first === undefined || !slots.every((count) => count === first)
    ? null
    : { nodes: slots.length, perNode: first };
}
