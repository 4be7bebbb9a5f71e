/** What layers keep for their backward pass and a rank's host holds meanwhile. */
import { groundOf } from "./adapter/ground.ts";
import { batchOf, layoutOf } from "./adapter/spread.ts";
import { activationBytes } from "./physics/activations.ts";
import { kindsOf } from "./physics/tally.ts";
import type { Choice, Setting } from "./setting.ts";

/** Bytes of one micro-batch. */
export function movedBytes(setting: Setting, choice: Choice): number {
  const layout = layoutOf(setting, choice);
  if (layout.moved === undefined) return 0;
  const { shape, describe } = groundOf(setting);
  const { engine } = describe(choice);
  const batch = batchOf(setting, choice);
  const layers = shape.blocks.length;
  const kept = kindsOf(shape).reduce(
    (sum, { block, count }) =>
      sum + count * activationBytes(shape, block, layout, batch, engine, layout.recompute, layers),
    0,
  );
  return layout.moved * kept;
}
