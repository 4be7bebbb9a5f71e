import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../dsl/source/source.ts";
import type { Program } from "../../dsl/eval/program.ts";
import type { LaunchSpec, Pipeline } from "../pipeline.ts";
import { checkKubernetes } from "../targets/kubernetes/rules.ts";
import { checkSlurm } from "../targets/slurm/rules.ts";
import { verifyCalibrations } from "./verify-calibration.ts";
import { verifyFigures } from "./verify-figures.ts";
import { otherLaunches } from "./resolve/launch.ts";

/**
 * What the target itself would refuse: of the chosen launch with its steps, of each other by its own options. Where not all of the text
 * `isRead`, a stage may well save what a requeued job goes on from.
 */
export function verify(program: Program, { launch, steps }: Pipeline, isRead: boolean): readonly Diagnostic[] {
  const held = isRead || launch.target.kind !== "slurm" ? steps : [];
  const others = otherLaunches(program, launch).map((other) => judged(other, []));
  return [verifyCalibrations(program), verifyFigures(program), judged(launch, held), ...others].flat();
}

function judged(launch: LaunchSpec, steps: Pipeline["steps"]): Diagnostic[] {
  const spanOf = (option: string): Span => launch.spans.get(option) ?? launch.span;
  const { kind } = launch.target;
  if (kind === "local") return [];
  return (kind === "slurm" ? checkSlurm : checkKubernetes)({ launch, steps }, spanOf);
}
