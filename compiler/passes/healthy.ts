/** What no error of the file touches: a plan of the rest would only repeat their mistakes. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { Program } from "../../dsl/eval/program.ts";
import type { Span } from "../../dsl/source/source.ts";
import type { Pipeline } from "../pipeline.ts";
import { declaredAt, following } from "./follows.ts";
import { joining } from "./resolve/cluster-spec.ts";
import { group, valued } from "./resolve/read.ts";

/** The pipeline with those stages that can be planned beside these errors. */
export function healthy(pipeline: Pipeline, program: Program, errors: readonly Diagnostic[]): Pipeline {
  // Nobody knows what an unknown device does, or one without figures, nor what a refused number of them would.
  const { span, device } = pipeline.launch.cluster;
  const on = program.blocks.find((block) => block.kind.name === "cluster" && block.span === span);
  if ((on !== undefined && isUnknown(on)) || !(device.memory > 0 && device.bandwidth > 0))
    return { ...pipeline, steps: pipeline.steps.filter(({ kind }) => kind !== "stage") };
  const isClear = untouched(program, errors);
  const steps = pipeline.steps.filter((step) => {
    if (step.kind !== "stage") return true;
    const called = (name: string): Instance | undefined => program.blocks.find((block) => block.name === name);
    return isClear([called(step.name), called(step.model.name)], step.data);
  });
  return { ...pipeline, steps };
}

/** Whether something that every layout follows from was refused. */
function isUnknown(cluster: Instance): boolean {
  const node = group(cluster, "node");
  const said = ["gpu", "nodes"].map((name) => valued(cluster, name));
  const all = node === null ? said : [...said, valued(node, "gpus")];
  const joined = [joining(cluster, "link"), joining(cluster, "network")];
  return joined.includes(null) || all.some(({ value }) => value.kind === "unknown" && value.later !== true);
}

/** Whether errors stand in other blocks than these, what they extend and one more, and in nothing that these follow from. */
export function untouched(
  program: Program,
  errors: readonly Diagnostic[],
): (blocks: readonly (Instance | undefined)[], besides?: string) => boolean {
  const holders = new Set<string>();
  const outside = new Set<string>();
  let isAnywhere = false;
  for (const { code, span } of errors) {
    const holder = program.blocks.find((block) => holds(block, span));
    const declared = holder === undefined && !isOpenEnded(code) ? declaredAt(program, span) : null;
    if (holder !== undefined) holders.add(holder.name ?? "");
    else if (declared === null) isAnywhere = true;
    else for (const name of declared) outside.add(name);
  }
  const followed = outside.size === 0 ? null : following(program);
  return (blocks, besides) => {
    const names = new Set([...(besides === undefined ? [] : [besides]), ...blocks.flatMap(lineage)]);
    if (isAnywhere || meets(holders, names)) return false;
    return followed === null || !meets(outside, followed(names));
  };
}

const meets = (some: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...some].some((name) => others.has(name));

/** Where a bracket or a string ends is not known, and so not what is in it. */
const isOpenEnded = (code: string): boolean => /^cdr\/syntax-(?:bracket|string|comment)/.test(code);

function holds(block: Instance, span: Span): boolean {
  const written = block.symbol?.node.span;
  return (
    written !== undefined &&
    written.source.path === span.source.path &&
    written.start <= span.start &&
    span.end <= written.end
  );
}

/** The names of a block and of all it extends. */
function lineage(block: Instance | undefined): string[] {
  const { node, module } = block?.symbol ?? {};
  if (block === undefined || node === undefined || module === undefined) return [];
  const base = node.extends === null ? null : block.context.resolve(node.extends, module);
  const above = base === null || base === block.symbol ? null : block.context.instanceOf(base);
  return [block.name ?? "", ...lineage(above ?? undefined)];
}
