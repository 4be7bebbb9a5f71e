/** Lowering for this machine: `launch.sh`, which starts what `cdrc run` starts with no `cdrc` present. */
import { runId, textsOf } from "../../bundle/identity.ts";
import type { Bundle, BundleFile, StepRun } from "../../bundle/steps.ts";
import type { LaunchSpec } from "../../pipeline.ts";
import { renderShell, type ShellValue } from "../shell.ts";

export function lowerLocal(bundle: Bundle, launch: LaunchSpec): BundleFile[] {
  const ids = idsOf(bundle);
  const env = Object.entries(launch.env);
  const text = renderShell("local/launch.sh.hbs", {
    env: env.flatMap(([name, value]) => (typeof value === "string" ? [{ name, value }] : [])),
    secrets: env.flatMap(([name, value]) => (typeof value === "string" ? [] : [{ name, from: value.secret }])),
    names: bundle.steps.map((step) => step.name),
    steps: bundle.steps.map((step) => shellStep(step, bundle, ids)),
  });
  return [{ path: "launch.sh", text, executable: true }];
}

/** Without `cdrc` nothing lists the files a source matches: these ids are of the bundle alone. */
function idsOf(bundle: Bundle): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const step of bundle.steps) {
    const inputs = step.inputs.map((input) => ids.get(input.step) ?? "");
    ids.set(step.name, runId({ step, texts: textsOf(bundle, step), inputs, sources: [] }));
  }
  return ids;
}

function shellStep(step: StepRun, bundle: Bundle, ids: ReadonlyMap<string, string>): ShellValue {
  const inputs = step.inputs.map(({ name, step: from, which }) => {
    const root = bundle.steps.find((other) => other.name === from)?.root ?? step.root;
    return { name, root, step: from, id: ids.get(from) ?? "", which };
  });
  const { name, root, program, config, processes } = step;
  return { name, root, id: ids.get(name) ?? "", program, config, processes, inputs };
}
