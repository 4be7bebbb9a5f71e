/** What a block leaves open and no plan holds: the pipeline and the cluster's choice say what it came to. */
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { Origin } from "../../dsl/eval/origin.ts";
import type { Compilation } from "../compile.ts";
import type { Explanation } from "./explanation.ts";

export function decidedLater(compiled: Compilation, block: Instance, path: readonly string[]): Explanation | null {
  const [name = "", ...rest] = path;
  if (rest.length > 0) return null;
  const isOpen = !block.values.has(name) || block.context.property(block, name, block.span).value.kind === "auto";
  const found = isOpen ? decided(compiled, block, name) : null;
  if (found === null) return null;
  return {
    path: `${block.name ?? block.kind.name}.${name}`,
    known: true,
    text: null,
    span: null,
    from: [],
    ...found,
  };
}

interface Decided {
  readonly value: string;
  readonly origin: Origin;
}

function decided({ pipeline, plan }: Compilation, block: Instance, name: string): Decided | null {
  const step = pipeline.steps.find((each) => each.kind === block.kind.name && each.name === block.name);
  if (step?.kind === "stage" && name === "precision")
    return { value: step.precision.value, origin: step.precision.origin };
  if (step?.kind === "stage" && name === "context")
    return { value: `${step.sequence.value} tokens`, origin: step.sequence.origin };
  const planned = plan.stages.find((stage) => step?.kind === "stage" && stage.name === step.name);
  const sized = planned?.origins["batch.global_batch"];
  if (planned !== undefined && sized !== undefined && name === "batch")
    return { value: `${planned.batch.global_batch} samples`, origin: sized };
  if (step?.kind === "data" && name === "sequence") {
    const reader = pipeline.steps.find((each) => each.kind === "stage" && each.data === step.name);
    if (reader === undefined) return null;
    const rule = `length of the samples of stage \`${reader.name}\`, which reads it`;
    const origin: Origin = { kind: "derived", rule, inputs: [`${reader.name}.context`] };
    return { value: `${step.config.sequence} tokens`, origin };
  }
  const { cluster } = plan;
  if (block.kind.name === "cluster" && name === "nodes" && cluster !== undefined)
    return block.name === pipeline.launch.cluster.name
      ? { value: String(cluster.nodes), origin: { kind: "chosen", by: "planner", reason: cluster.reason } }
      : null;
  return null;
}
