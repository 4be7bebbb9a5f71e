/** Which constants a run is judged by. */
import { constantsOf, generic, onCard, type Constants } from "../../compiler/planner/physics/constants/index.ts";
import { half } from "../../compiler/planner/physics/send.ts";
import type { Case } from "./cases.ts";

/** Constants by engine and machine. */
export type Calibration = ReadonlyMap<string, Constants>;

export const keyOf = ({ engine, machine }: Case): string => `${engine.name}/${machine.gpu}`;

/** All machines of an engine together. */
export const anyMachine = (engine: string): string => `${engine}/any`;
export const anyEngine = "any";

/**
 * Those of this engine and machine; else of the engine on all machines together, for they are shares of data sheets; else
 * of all engines; else guesses. How long a program sleeps says its source, so that no fit of others has to, nor of its own runs on few nodes.
 */
export function constantsFor(one: Case, calibration: Calibration | null): Constants {
  const { engine, machine } = one;
  const fitted = constantsNamed(engine.name, machine.gpu, calibration);
  const { polled = 0 } = engine;
  const isMeasured = fitted.stall > generic.stall * 2 && fitted.nodes_most >= half;
  const own = polled > fitted.stall && !isMeasured ? { ...fitted, stall: polled } : fitted;
  const same = allocators[engine.name];
  if (same === undefined) return own;
  const { slack, runtime } = constantsNamed(same, machine.gpu, calibration);
  return { ...own, slack, runtime };
}

/** Programs that are one, of which the memory was measured under another name. */
const allocators: Readonly<Record<string, string>> = { megatron: "megatron-core" };

function constantsNamed(engine: string, gpu: string, calibration: Calibration | null): Constants {
  if (calibration === null) return constantsOf(engine, gpu);
  const all = calibration.get(anyMachine(engine)) ?? calibration.get(anyMachine(anyEngine)) ?? generic;
  return calibration.get(`${engine}/${gpu}`) ?? onCard(all, gpu);
}
