/** Lowering for this machine: `launch.sh`, which starts what `cdrc run` starts with no `cdrc` present. */
import type { Bundle, BundleFile, StepRun } from "../../bundle/steps.ts";
import type { LaunchSpec } from "../../pipeline.ts";
import { renderShell, type ShellValue } from "../shell.ts";

export function lowerLocal(bundle: Bundle, launch: LaunchSpec): BundleFile[] {
  const env = Object.entries(launch.env);
  const text = renderShell("local/launch.sh.hbs", {
    env: env.flatMap(([name, value]) => (typeof value === "string" ? [{ name, value }] : [])),
    secrets: env.flatMap(([name, value]) => (typeof value === "string" ? [] : [{ name, from: value.secret }])),
    names: bundle.steps.map((step) => step.name),
    steps: bundle.steps.map((step) => shellStep(step, bundle)),
  });
  return [{ path: "launch.sh", text, executable: true }];
}

function shellStep({ name, root, program, config, processes, inputs }: StepRun, bundle: Bundle): ShellValue {
  const from = inputs.map((input) => ({ ...input, root: rootOf(input.step, bundle) ?? root }));
  return { name, root, program, config, processes, inputs: from };
}

function rootOf(step: string, bundle: Bundle): string | undefined {
  return bundle.steps.find(({ name }) => name === step)?.root;
}
