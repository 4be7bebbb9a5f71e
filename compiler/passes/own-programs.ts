/** Stages whose engine brings its own program: the bundle's script starts them, and `cdrc run` doesn't. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Compilation } from "../compile.ts";
import { runOwnProgram } from "../diagnostics/run.ts";

/** Those among the named steps, or all of them, and what these need. */
export function ownPrograms({ pipeline, plan }: Compilation, names: readonly string[]): readonly Diagnostic[] {
  const wanted = new Set(names.length > 0 ? names : pipeline.steps.map(({ name }) => name));
  for (const name of wanted)
    for (const need of pipeline.steps.find((s) => s.name === name)?.needs ?? []) wanted.add(need);
  return pipeline.steps.flatMap(({ name, span }) => {
    const engine = plan.stages.find((stage) => stage.name === name)?.engine;
    return engine === "megatron" && wanted.has(name) ? [runOwnProgram(span, { stage: name, engine })] : [];
  });
}
