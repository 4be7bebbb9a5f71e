/** The runs of a calibration as the planner sees them, with measurements that a test makes up. */
import { compile, type Compilation } from "../../compiler/compile.ts";
import { observationOf, type Observation } from "../../compiler/calibrate/observation.ts";
import { probeSource } from "../../compiler/calibrate/probes.ts";
import type { Calibration } from "../../compiler/calibration.ts";
import type { ClusterSpec, LaunchSpec } from "../../compiler/pipeline.ts";
import { memoryOf } from "../../compiler/planner/memory.ts";
import { timeOf } from "../../compiler/planner/time.ts";
import { span } from "./pipeline.ts";

export function compileText(text: string, launch?: LaunchSpec): Compilation {
  const options = { on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] };
  const source = { path: "main.cdr", text };
  const outside = { read: () => undefined, environment: () => undefined, host: () => undefined };
  return compile(source, { ...options, ...outside, ...(launch === undefined ? {} : { launch }) });
}

export function probesOn(cluster: ClusterSpec): Compilation {
  const target = { kind: "local", grace: 120 } as const;
  return compileText(probeSource(cluster), { name: "here", span, spans: new Map(), cluster, target, env: {} });
}

/** Each probe on one rank and on all, as it would be if the machine were as `truth` says; `noise` is a factor by run. */
export function observed(
  cluster: ClusterSpec,
  truth: Calibration,
  noise: (index: number) => number = () => 1,
): Observation[] {
  const plans = [...new Set([1, cluster.gpusPerNode])].flatMap((gpusPerNode) =>
    probesOn({ ...cluster, gpusPerNode }).plan.stages.map((stage) => ({ stage, gpusPerNode })),
  );
  const config = { precision: "fp32", attention: "sdpa", compile: false, determinism: "default" } as const;
  return plans.map(({ stage, gpusPerNode }, index) => {
    const on = { ...cluster, gpusPerNode, calibration: truth };
    const nothing = { step: 1, parts: null, memory: null };
    const { setting, choice } = observationOf(stage, config, on, nothing);
    const time = timeOf(setting, choice);
    const by = noise(index);
    const parts = Object.fromEntries(
      ["compute", "optimizer", "other"].map((name) => [name, (time.parts[name] ?? 0) * by]),
    );
    const measured = { step: time.step * by, parts, memory: memoryOf(setting, choice).peak * by };
    return observationOf(stage, config, { ...on, calibration: {} }, measured);
  });
}
