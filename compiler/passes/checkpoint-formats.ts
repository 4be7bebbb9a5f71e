/** A checkpoint of an engine with programs of its own is read by that engine alone. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Compilation } from "../compile.ts";
import { runCheckpoint } from "../diagnostics/run.ts";
import { handleOf } from "./resolve/linked.ts";

/** Those among the named steps, or all of them, and what these need. */
export function checkpointFormats({ pipeline, plan }: Compilation, names: readonly string[]): readonly Diagnostic[] {
  const wanted = new Set(names.length > 0 ? names : pipeline.steps.map(({ name }) => name));
  for (const name of wanted)
    for (const need of pipeline.steps.find((s) => s.name === name)?.needs ?? []) wanted.add(need);
  const engineOf = (name: string): string | undefined => plan.stages.find((stage) => stage.name === name)?.engine;
  return pipeline.steps.flatMap((step) => {
    const handle = handleOf(step);
    if (handle === null || !wanted.has(step.name)) return [];
    const maker = engineOf(handle.step);
    const reader = step.kind === "stage" ? engineOf(step.name) : "trainer";
    if ((maker === "megatron") === (reader === "megatron")) return [];
    const slots = { step: step.name, stage: handle.step, writes: maker ?? "", reads: reader ?? "" };
    return [runCheckpoint(handle.span, slots)];
  });
}
