import { groundOf } from "./adapter/ground.ts";
import { allMoments } from "./moments.ts";
import type { Setting } from "./setting.ts";

/**
 * A checkpoint that resumes exactly: weights, fp32 masters where the engine keeps them (DeepSpeed, Megatron), and the optimizer's
 * moments of what is trained. Of a model with adapters it is the adapters alone: the weights beside them are another checkpoint's.
 */
export function checkpointBytes(setting: Setting): number {
  const { model, engine, precision, tuning } = setting;
  const { total } = model.parameters;
  const trained = tuning === undefined ? total : groundOf(setting).trained;
  const weights = tuning?.adapters == null ? total : trained;
  const masters = engine.widths(precision).residual === 4 ? 0 : 4;
  const width = masters === 0 ? 4 : 2;
  return Math.round(width * weights + masters * trained + allMoments(setting, trained));
}
