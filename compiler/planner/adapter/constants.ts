import type { Measured } from "../../engines/engine.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import { generic, onCard, timeIntervalOn, type Constants } from "../physics/constants/index.ts";
import { fitted } from "../physics/constants/fitted.ts";
import { machines } from "../physics/constants/machines.ts";
import { cardOf, isMeasured } from "./machine.ts";

/**
 * Time and memory each from the nearest measurements: of the engine on the machine, of its kin on the machine, of the
 * engine on all machines, or on the one whose peak is nearest. Time that was not measured itself is as uncertain as that of
 * engines and machines left out of a fit; of memory the worst of what was measured counts, and a program and an allocator that
 * were measured apart err apart.
 */
export function constantsFor({ time, memory, program, timeOfKin }: Measured, cluster: ClusterSpec): Chosen {
  const timed = nearest(time, cluster, "time_interval");
  const weighed = nearest(memory, cluster, "memory_interval");
  const { slack, runtime, usable, memory_interval } = weighed.constants;
  const worst = widest(memory);
  const allocator = weighed.exact ? memory_interval : (worst ?? generic.memory_interval);
  const isOwn = timed.exact && timeOfKin !== true;
  const learned = timed.constants.time_interval;
  const elsewhere = (fitted["any/any"] ?? generic).time_interval;
  const constants = {
    ...timed.constants,
    slack,
    runtime,
    usable,
    time_interval: isOwn ? timeIntervalOn(cluster.nodes, timed.constants) : Math.max(elsewhere, learned),
    memory_interval: program === undefined ? allocator : Math.hypot(program, allocator),
  };
  const { nodes_least, nodes_most } = timed.constants;
  const isBeyond = cluster.nodes < nodes_least || cluster.nodes > nodes_most;
  const known = `half of the 80 % interval of measurements of ${timed.of} that a fit did not see`;
  const unknown =
    timeOfKin === true
      ? "of similar engines, since too few of the engine itself are known"
      : "of the most similar engine";
  return {
    constants,
    time: timed.of,
    memory: weighed.of,
    intervals: {
      time: isOwn
        ? isBeyond
          ? `${known}, on fewer or more nodes than the fit: ${nodes_least} to ${nodes_most} were measured`
          : known
        : learned >= elsewhere
          ? `${known}, ${unknown}`
          : `half of the 80 % interval of measurements of engines and machines, each left out of a fit of all others, because this engine was not measured enough on this device; of ${timed.of} it would be ± ${percent(learned)}`,
      memory: [
        weighed.exact
          ? `half of the 80 % interval of measurements of ${weighed.of}`
          : worst === null
            ? "a guess: the engine's memory was not measured"
            : `half of the widest 80 % interval measured with ${memory.join(" and ")} on any machine`,
        ...(program === undefined ? [] : ["with that of the engine's own program beside it"]),
      ].join(", "),
    },
  };
}

const percent = (interval: number): string => `${(100 * Math.sinh(interval)).toFixed(0)} %`;

/** Constants, and whose measurements of time and of memory they come from: `megatron/H100`. */
export interface Chosen {
  readonly constants: Constants;
  readonly time: string;
  readonly memory: string;
  /** Where the intervals come from. */
  readonly intervals: { readonly time: string; readonly memory: string };
}

interface Found {
  readonly constants: Constants;
  readonly of: string;
  /** The engine's own, on this very machine. */
  readonly exact: boolean;
}

type Interval = "time_interval" | "memory_interval";

function nearest(engines: readonly string[], cluster: ClusterSpec, what: Interval): Found {
  const machine = cardOf(cluster);
  if (machine !== undefined) {
    const isOwn = isMeasured(machine, cluster);
    for (const engine of engines) {
      const constants = measuredOn(engine, machine.gpu, what);
      if (constants !== undefined)
        return { constants, of: `${engine}/${machine.gpu}`, exact: isOwn && engine === engines[0] };
    }
  }
  for (const engine of engines) {
    const constants = measuredOn(engine, "any", what);
    if (constants !== undefined)
      return { constants: onCard(constants, machine?.gpu ?? ""), of: `${engine} on all machines`, exact: false };
  }
  const { bf16, fp16 } = cluster.device.flops;
  const distance = (peak: number): number => Math.abs(Math.log(peak / Math.max(bf16, fp16)));
  const others = [...machines].sort((a, b) => distance(a.flops.bf16) - distance(b.flops.bf16));
  for (const engine of engines) {
    for (const { gpu } of others) {
      const constants = measuredOn(engine, gpu, what);
      if (constants !== undefined) return { constants, of: `${engine}/${gpu}`, exact: false };
    }
  }
  return { constants: generic, of: "data sheets", exact: false };
}

/** Constants whose interval is still the guess's were fitted on something else. */
function measuredOn(engine: string, gpu: string, what: Interval): Constants | undefined {
  const constants = fitted[`${engine}/${gpu}`];
  return constants === undefined || constants[what] === generic[what] ? undefined : constants;
}

/** What an engine allocates depends little on the machine: its worst interval holds on others. `null` where none was measured. */
function widest(engines: readonly string[]): number | null {
  const known = engines.flatMap((engine) =>
    machines.flatMap(({ gpu }) => measuredOn(engine, gpu, "memory_interval")?.memory_interval ?? []),
  );
  return known.length === 0 ? null : Math.max(...known);
}
