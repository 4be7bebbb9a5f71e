import type { Compilation } from "../compiler/compile.ts";
import type { Bundle } from "../compiler/bundle/steps.ts";
import { emit } from "../compiler/passes/emit.ts";
import { renderPlan } from "./render/plan.ts";
import { noPaint } from "../runtime/view/paint.ts";
import { version } from "./version.ts";

/** The bundle of a compilation without errors: of those steps that can run. */
export function emitBundle({ program, pipeline: whole, plan, unexecuted }: Compilation): Bundle {
  const pipeline = { ...whole, steps: whole.steps.filter(({ name }) => !unexecuted.steps.has(name)) };
  const base = program.root.path.replace(/[^/]*$/, "");
  const naming = (path: string) => (path.startsWith(base) ? path.slice(base.length) : path);
  const sources = [...program.modules.values()]
    .filter((module) => !module.path.startsWith("std/"))
    .map(({ path, file }) => ({ path: naming(path), text: file.source.text }));
  return emit({ pipeline, plan, sources, naming, version, planText: renderPlan(plan, noPaint, 118) });
}
