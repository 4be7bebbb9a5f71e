import type { Calibration } from "../calibration.ts";
import { engines } from "../engines/index.ts";
import type { ClusterSpec } from "../pipeline.ts";
import { calibrationOf } from "../planner/adapter/calibrated.ts";
import { constantsFor } from "../planner/adapter/constants.ts";
import { machineOf } from "../planner/adapter/machine.ts";
import { calibrated } from "../planner/cpu/calibrated.ts";

/** What a planner without a calibration reckons with, and what the cluster's own has already. */
export function startOf(cluster: ClusterSpec): Calibration {
  if (cluster.device.kind === "cpu") return calibrated(cluster);
  const machine = machineOf(cluster, false);
  const { constants } = constantsFor(engines.torch.measured, cluster);
  const known = calibrationOf(constants, machine);
  return { ...known, resident: constants.runtime, heap: Math.max(0, constants.slack - 1), ...cluster.calibration };
}
