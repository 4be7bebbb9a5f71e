/** Devices that a launch's environment leaves visible, against the processes that start on a node. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { launchDevices } from "../diagnostics/pipeline.ts";
import type { LaunchSpec } from "../pipeline.ts";

/** What CUDA and ROCm read, each a list of numbers or identifiers. */
const lists = ["CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"];

export function verifyDevices({ cluster, env, spans, span }: LaunchSpec): readonly Diagnostic[] {
  if (cluster.device.kind !== "gpu") return [];
  return lists.flatMap((name) => {
    const written = env[name];
    if (typeof written !== "string") return [];
    const shown = shownBy(written);
    if (shown >= cluster.gpusPerNode) return [];
    const slots = { name, written, shown, processes: cluster.gpusPerNode, cluster: cluster.name };
    return [launchDevices(spans.get(`env.${name}`) ?? span, slots)];
  });
}

/** The list ends at the first number that no device has. */
function shownBy(written: string): number {
  const words = written.split(",").map((word) => word.trim());
  const end = words.findIndex((word) => word === "" || word.startsWith("-"));
  return end < 0 ? words.length : end;
}
