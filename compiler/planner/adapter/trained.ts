/** An engine's states for the optimizer that a stage names and the weights that it trains. */
import type { Engine, StateBytes } from "../physics/engine.ts";
import { momentsOf, type Moments } from "../moments.ts";
import type { Setting } from "../setting.ts";

/** Descriptors speak of Adam: two moments in 32 bits. */
const adam = 8;

/** Bytes of a weight in four bits, with the scales of 64 values, scaled once more (Dettmers et al. 2023, arXiv 2305.14314, section 3). */
const fourBits = 0.5 + 0.127 / 8;

export function trainedBy(engine: Engine, setting: Setting): Engine {
  const moments = momentsOf(setting);
  const { states } = engine;
  // What lies on the host is not the device's.
  const kept = states.optimizer === 0 ? {} : statesWith(states, moments);
  const adapters = setting.tuning?.adapters ?? null;
  // Frozen layers are saved with the others, so they keep the bits of theirs; adapters have the weights in a file of their own.
  const frozen = adapters?.quantized === true ? fourBits : adapters === null || setting.precision === "fp32" ? 4 : 2;
  const steps = setting.optimizer?.muon?.iterations;
  // The stream begins at a table, which is as narrow as all that is frozen beside adapters.
  const narrowed =
    adapters === null || setting.precision === "fp32" || engine.stream === undefined ? {} : { stream: 2 };
  return {
    ...engine,
    ...narrowed,
    states: { ...states, ...kept, frozen },
    ...(steps === undefined ? {} : { orthogonalised: steps }),
  };
}

function statesWith(
  { optimizer }: StateBytes,
  { blocks, first, last }: Moments,
): Pick<StateBytes, "optimizer" | "ends"> {
  const other = optimizer - adam;
  if (first === blocks && last === blocks) return { optimizer: other + blocks };
  return { optimizer: other + blocks, ends: { first: other + first, last: other + last } };
}
