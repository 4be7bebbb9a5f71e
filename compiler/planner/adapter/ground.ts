/** What the physics reads of a setting and no choice changes, made once. */
import type { Described } from "../../engines/engine.ts";
import { flopsPerToken } from "../../models/measure.ts";
import type { Constants } from "../physics/constants/index.ts";
import type { Machine } from "../physics/machine.ts";
import type { Shape } from "../physics/shape.ts";
import { worldOf, type Choice, type Setting } from "../setting.ts";
import { calibratedBy } from "./calibrated.ts";
import { constantsFor } from "./constants.ts";
import { machineOf } from "./machine.ts";
import { shapeOf } from "./shape.ts";

export interface Ground {
  readonly shape: Shape;
  readonly machine: Machine;
  readonly constants: Constants;
  /** Whose measurements the constants come from. */
  readonly measured: { readonly time: string; readonly memory: string };
  /** FLOPs of a token of training, by the convention of MFU. */
  readonly flops: number;
  readonly describe: (choice: Pick<Choice, "zero_stage" | "offload">) => Described;
}

const known = new WeakMap<Setting, Ground>();

export function groundOf(setting: Setting): Ground {
  const before = known.get(setting);
  if (before !== undefined) return before;
  const { family, model, engine, cluster, precision, sequence } = setting;
  const { constants, time, memory } = constantsFor(engine.measured, cluster);
  const machine = machineOf(cluster, setting.tf32);
  const descriptors = new Map<string, Described>();
  const ground: Ground = {
    shape: shapeOf(family, model, engine.widths(precision)),
    machine,
    constants: fusedBy(setting, calibratedBy(constants, machine, precision, cluster.calibration)),
    measured: { time, memory },
    flops: flopsPerToken(family, model, sequence, "none").model,
    describe: ({ zero_stage, offload }) => {
      const key = `${zero_stage} ${offload}`;
      const found = descriptors.get(key);
      if (found !== undefined) return found;
      const described = engine.describe({
        model,
        device: cluster.device,
        precision,
        attention: setting.attention,
        zero_stage,
        offload,
        ranks: worldOf(cluster),
        deterministic: !setting.tf32,
      });
      descriptors.set(key, described);
      return described;
    },
  };
  known.set(setting, ground);
  return ground;
}

/** `torch.compile` fuses what lies between the products, which moves about half of the bytes. */
function fusedBy({ compile }: Setting, constants: Constants): Constants {
  return compile ? { ...constants, traffic: constants.traffic / 2 } : constants;
}
