/** What the physics reads of a setting and no choice changes, made once. */
import type { Described } from "../../engines/engine.ts";
import { coreFlopsOf, flopsPerToken, layerAt } from "../../models/measure.ts";
import type { Constants } from "../physics/constants/index.ts";
import type { Machine } from "../physics/machine.ts";
import { blockParameters, endParameters } from "../physics/parameters.ts";
import { alone } from "../physics/layout.ts";
import type { Shape } from "../physics/shape.ts";
import { kindsOf } from "../physics/tally.ts";
import { momentsOf } from "../moments.ts";
import { worldOf, type Choice, type Setting } from "../setting.ts";
import { calibratedBy } from "./calibrated.ts";
import { compiledBy } from "./compiled.ts";
import { constantsFor } from "./constants.ts";
import { unreachedLayers } from "./frozen-layers.ts";
import { machineOf } from "./machine.ts";
import { shapeOf, uses } from "./shape.ts";
import { trainedBy } from "./trained.ts";

export interface Ground {
  readonly shape: Shape;
  readonly machine: Machine;
  readonly constants: Constants;
  /** Whose measurements the constants come from. */
  readonly measured: { readonly time: string; readonly memory: string };
  /** Where the intervals come from, in words. */
  readonly intervals: { readonly time: string; readonly memory: string };
  /** FLOPs of a token of training, by the convention of MFU. */
  readonly flops: number;
  /** Parameters that have gradients. */
  readonly trained: number;
  /** FLOPs of a token that gradients of frozen weights would have cost, less those of adapters; in none of the counts here. */
  readonly unspent: number;
  readonly describe: (choice: Pick<Choice, "zero_stage" | "offload">) => Described;
}

const known = new WeakMap<Setting, Ground>();

export function groundOf(setting: Setting): Ground {
  const before = known.get(setting);
  if (before !== undefined) return before;
  const { family, model, engine, cluster, precision, sequence, narrow } = setting;
  const { constants, time, memory, intervals } = constantsFor(engine.measured, cluster);
  const machine = machineOf(cluster, setting.tf32);
  const shape = shapeOf(family, model, engine.widths(precision).compute, sequence, setting.tuning);
  const descriptors = new Map<string, Described>();
  const unspent = unspentIn(shape) + coresIn(setting);
  const ground: Ground = {
    shape,
    machine,
    constants: steppedBy(setting, fusedBy(setting, calibratedBy(constants, machine, precision, cluster.calibration))),
    trained: trainedIn(shape),
    unspent,
    measured: { time, memory },
    intervals,
    flops: flopsPerToken(family, model, sequence, "none").model - unspent,
    describe: ({ zero_stage, offload }) => {
      const key = `${zero_stage} ${offload}`;
      const found = descriptors.get(key);
      if (found !== undefined) return found;
      const described = engine.describe({
        model,
        device: cluster.device,
        precision,
        ...(narrow === undefined ? {} : { narrow }),
        ...(setting.raw === undefined ? {} : { raw: setting.raw }),
        attention: setting.attention,
        zero_stage,
        offload,
        ranks: setting.shardOver ?? worldOf(cluster),
        deterministic: setting.deterministic === true,
        ...(setting.quantize === undefined ? {} : { quantize: setting.quantize }),
      });
      const trained = { ...described, engine: compiledBy(trainedBy(described.engine, setting), setting.compile) };
      descriptors.set(key, trained);
      return trained;
    },
  };
  known.set(setting, ground);
  return ground;
}

/** `torch.compile` fuses what lies between the products, which moves about half of the bytes. */
function fusedBy({ compile }: Setting, constants: Constants): Constants {
  return compile ? { ...constants, traffic: constants.traffic / 2 } : constants;
}

/** Bytes that Adam moves for a parameter, in 32 bits: weight, gradient and two moments in, weight and two moments out. */
const adamMoved = 28;

/** Moments that are narrower, or not there, are not read and written. */
function steppedBy(setting: Setting, constants: Constants): Constants {
  const saved = 2 * (8 - momentsOf(setting).blocks);
  return saved === 0 ? constants : { ...constants, optimizer: constants.optimizer * (1 - saved / adamMoved) };
}

function trainedIn(shape: Shape): number {
  const ends = endParameters(shape, alone, shape.vocab);
  const outer = shape.adapters === undefined ? ends.first + ends.last : 0;
  return kindsOf(shape).reduce((sum, { block, count }) => {
    const { dense, expert } = blockParameters(shape, block, alone);
    return sum + count * (dense + expert);
  }, outer);
}

/** `unspent` of a setting; most train all of their model. */
export function unspentOf(setting: Setting): number {
  return setting.tuning === undefined ? 0 : groundOf(setting).unspent;
}

/** Backward passes through the cores of layers that no gradient reaches. */
function coresIn({ family, model, tuning, sequence }: Setting): number {
  const layers = Array.from({ length: unreachedLayers(family, tuning, model.layers) }, (_, index) =>
    layerAt(family, model, index),
  );
  return layers.reduce((sum, layer) => sum + (layer === undefined ? 0 : 2 * coreFlopsOf(model, layer, sequence)), 0);
}

/**
 * Two FLOPs an element for a gradient of a weight, as many for that of its input where none is wanted either, and six for an adapter's, which is
 * trained whole.
 */
function unspentIn(shape: Shape): number {
  const isHeadFrozen = shape.adapters !== undefined || (shape.fixed_tables === true && shape.tied);
  return kindsOf(shape).reduce(
    (sum, { block: { tuned, stated, unreached }, count }) => {
      if (tuned === undefined) return sum;
      const frozen = (stated?.module.matrices ?? []).reduce(
        (all, one) => all + one.inputs * one.outputs * uses(one),
        0,
      );
      const added = tuned.matrices.reduce((all, one) => all + (one.inputs + one.outputs) * uses(one), 0);
      return sum + count * ((unreached === true ? 4 : 2) * frozen - 6 * tuned.rank * added);
    },
    isHeadFrozen ? 2 * shape.hidden * shape.vocab : 0,
  );
}
