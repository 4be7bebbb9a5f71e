import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { ClusterSpec, Preference } from "../../pipeline.ts";
import { settingsOf, textAt } from "./read.ts";

/** Numbers that are looked at; a range that goes on is cut here. */
const most = 4096;

/** The numbers of nodes between which `nodes in 2..16`, or a list, leaves the choice; nothing where one is said or there is no end. */
export function openNodes(cluster: Instance): Pick<ClusterSpec, "open"> {
  const { nodes } = saidNodes(cluster);
  const prefer = textAt(cluster, "prefer") as Preference | null;
  return nodes.length < 2 ? {} : { open: { nodes, prefer: prefer ?? "cheapest" } };
}

/** What is left out of so long a range; `null` where nothing is. */
export function nodesCut(
  cluster: Instance,
): { readonly first: number; readonly to: number; readonly last: number } | null {
  const { nodes, last } = saidNodes(cluster);
  const [first] = nodes;
  const to = nodes.at(-1);
  return first === undefined || to === undefined || to >= last ? null : { first, to, last };
}

/** `last`: of those that were said. */
function saidNodes(cluster: Instance): { readonly nodes: readonly number[]; readonly last: number } {
  const { given, bounds } = settingsOf(cluster, ["nodes"]);
  const bound = bounds.get("nodes");
  if (given.has("nodes") || bound === undefined || (bound.max === null && bound.oneOf === null))
    return { nodes: [], last: 0 };
  const min = Math.max(1, Math.ceil(bound.min ?? 1));
  const max = Math.floor(bound.max ?? Infinity);
  const listed = (bound.oneOf ?? []).filter((each): each is number => typeof each === "number");
  const all =
    bound.oneOf === null
      ? Array.from({ length: Math.min(most, Math.max(0, max - min + 1)) }, (_, at) => min + at)
      : [...new Set(listed)].filter((each) => each >= min && each <= max).sort((a, b) => a - b);
  return { nodes: all.slice(0, most), last: bound.oneOf === null ? max : (all.at(-1) ?? 0) };
}
