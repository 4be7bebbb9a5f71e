/** What a machine is, against what is asked of it: `node { ram >= 256 GB }` of a cluster that has less. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { boundsOf } from "../../../dsl/eval/blocks/property.ts";
import { show } from "../../../dsl/types/value.ts";
import { boundBroken, nodesLong, preferIdle } from "../../diagnostics/budgets.ts";
import { textIn } from "../resolve/expectations.ts";
import { nodesCut, openNodes } from "../resolve/open-nodes.ts";
import { boundHolds, numberAt, valued } from "../resolve/read.ts";

export function bounds(blocks: readonly Instance[]): Diagnostic[] {
  return blocks
    .filter((block) => block.kind.name === "cluster")
    .flatMap((cluster) => [cluster, ...cluster.blocks.values()])
    .flatMap((block) => [...broken(block), ...idle(block), ...cut(block)]);
}

/** Which number of nodes to prefer, where there is one. */
function idle(block: Instance): Diagnostic[] {
  const said = block.kind.name === "cluster" ? valued(block, "prefer") : null;
  if (said === null || said.origin.kind !== "written" || openNodes(block).open !== undefined) return [];
  return [preferIdle(said.span, { prefer: textIn(said), nodes: numberAt(block, "nodes") ?? 1 })];
}

/** A range so long that not all of it is looked at. */
function cut(block: Instance): Diagnostic[] {
  const left = block.kind.name === "cluster" ? nodesCut(block) : null;
  const said = boundsOf(block).filter(({ name }) => name === "nodes");
  const span = said.at(-1)?.value.span;
  if (left === null || span === undefined) return [];
  const { first, to, last } = left;
  return [nodesLong(span, { first, to, last }, { valid: [`<= ${to}`] })];
}

function broken(block: Instance): Diagnostic[] {
  return boundsOf(block).flatMap((bound) => {
    const said = valued(block, bound.name);
    if (said.origin.kind === "default" || boundHolds(said.value, bound)) return [];
    const condition = `${bound.name} ${bound.op} ${textIn(bound.value)}`;
    const related = [{ message: "the value", span: said.span }];
    const value = said.origin.kind === "written" ? textIn(said) : show(said.value);
    return [boundBroken(bound.value.span, { condition, value }, { related })];
  });
}
