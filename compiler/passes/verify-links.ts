/** What joins the devices of a plan, where the cluster does not say it. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { boundsOf } from "../../dsl/eval/blocks/property.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { linkAssumed } from "../diagnostics/budgets.ts";
import type { LaunchSpec } from "../pipeline.ts";
import type { StagePlan } from "../plan.ts";

/** A default of the language is no figure of anybody's machines: what it makes of the plan is told. */
export function verifyLinks(
  program: Program,
  { cluster }: LaunchSpec,
  stages: readonly StagePlan[],
): readonly Diagnostic[] {
  const block = program.blocks.find(({ kind, span }) => kind.name === "cluster" && span === cluster.span);
  if (block === undefined || cluster.device.kind !== "gpu") return [];
  const spread = Math.max(0, ...stages.map(({ layout }) => layout.nodes));
  const beside = Math.max(0, ...stages.map(({ layout }) => layout.world / layout.nodes));
  const network = `${(cluster.network * 8) / 1e9} Gbps between its ${spread} nodes`;
  const link = `${cluster.link / 1e9} GB/s between the ${beside} devices of a node`;
  const isAssumed = (name: string): boolean => !block.values.has(name) && boundsOf(block, name).length === 0;
  const assumed = [
    ...(spread > 1 && isAssumed("network") ? [{ name: "network" as const, figure: network }] : []),
    ...(beside > 1 && isAssumed("link") ? [{ name: "link" as const, figure: link }] : []),
  ];
  if (assumed.length === 0) return [];
  return [linkAssumed(block.symbol?.name.span ?? block.span, { cluster: cluster.name, assumed })];
}
