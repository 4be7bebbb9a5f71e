/** What devices compute for a token, with what recomputation runs again. */
import { flopsPerToken } from "../../models/measure.ts";
import { matricesOf } from "../physics/matrices.ts";
import { isRecomputed, runsAgain } from "../physics/recomputed.ts";
import { onCpu, type Choice, type Setting } from "../setting.ts";
import { groundOf } from "./ground.ts";
import { layoutOf } from "./spread.ts";

/** `model`: by the convention of MFU. */
export function hardwareFlops(
  setting: Setting,
  choice: Choice,
  sequence: number,
): { model: number; hardware: number } {
  const layout = layoutOf(setting, choice);
  const { family, model } = setting;
  const counted = flopsPerToken(family, model, sequence, choice.recompute, layout.share);
  if (choice.recompute !== "selective" || onCpu(setting)) return counted;
  const { shape } = groundOf(setting);
  const again = shape.blocks.reduce(
    (sum, block) =>
      sum +
      matricesOf(shape, block)
        .filter(({ name }) => runsAgain(layout, name))
        .reduce((all, { inputs, outputs, of }) => all + 2 * inputs * outputs * (of?.top_k ?? 1), 0),
    0,
  );
  return { ...counted, hardware: (isRecomputed(layout, "core_attn") ? counted.hardware : counted.model) + again };
}
