import type { Instance } from "../../../dsl/eval/instance.ts";
import type { ClusterSpec, Preference } from "../../pipeline.ts";
import { settingsOf, textAt } from "./read.ts";

/** More than anybody rents at once; a range that goes on is cut here. */
const most = 4096;

/** The numbers of nodes between which `nodes in 2..16`, or a list, leaves the choice; nothing where one is said or there is no end. */
export function openNodes(cluster: Instance): Pick<ClusterSpec, "open"> {
  const { given, bounds } = settingsOf(cluster, ["nodes"]);
  const bound = bounds.get("nodes");
  if (given.has("nodes") || bound === undefined || (bound.max === null && bound.oneOf === null)) return {};
  const min = Math.max(1, Math.ceil(bound.min ?? 1));
  const max = Math.min(most, Math.floor(bound.max ?? most));
  const listed = (bound.oneOf ?? []).filter((each): each is number => typeof each === "number");
  const nodes =
    bound.oneOf === null
      ? Array.from({ length: Math.max(0, max - min + 1) }, (_, at) => min + at)
      : [...new Set(listed)].filter((each) => each >= min && each <= max).sort((a, b) => a - b);
  const prefer = textAt(cluster, "prefer") as Preference | null;
  return nodes.length < 2 ? {} : { open: { nodes, prefer: prefer ?? "cheapest" } };
}
