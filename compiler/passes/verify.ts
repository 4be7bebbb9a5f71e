import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Pipeline } from "../pipeline.ts";
import { checkSlurm } from "../targets/slurm/rules.ts";

/** What the target itself would refuse. */
export function verify(pipeline: Pipeline): readonly Diagnostic[] {
  const { launch } = pipeline;
  return checkSlurm(pipeline, (option) => launch.spans.get(option) ?? launch.span);
}
