/** What a row leaves open: how a batch was cut, and seconds where only FLOP/s are printed. */
import { generic } from "../../compiler/planner/physics/constants/index.ts";
import type { Engine } from "../../compiler/planner/physics/engine.ts";
import type { Batch, Layout } from "../../compiler/planner/physics/layout.ts";
import type { Machine } from "../../compiler/planner/physics/machine.ts";
import { memoryOf } from "../../compiler/planner/physics/memory.ts";
import type { Shape } from "../../compiler/planner/physics/shape.ts";
import { resolution } from "../../compiler/planner/search/objective.ts";
import { timeOf } from "../../compiler/planner/physics/time.ts";
import type { Row } from "./rows.ts";

interface Open {
  readonly shape: Shape;
  readonly engine: Engine;
  readonly machine: Machine;
  readonly layout: Layout;
  /** Samples of one replica in a step. */
  readonly samples: number;
  readonly sequence: number;
  /** Chunks of a stage are open, too. */
  readonly cut: boolean;
}

/**
 * Authors who do not print how they cut a batch took the cut that ran best. That is, of those that fit, the fastest by
 * what is expected of any machine, never by what was fitted; of those that no estimate tells apart, the one with the fewest messages.
 */
export function bestCut(open: Open): { readonly layout: Layout; readonly batch: Batch } | undefined {
  const { shape, engine, machine, samples, sequence } = open;
  const perStage = shape.blocks.length / open.layout.pipeline;
  const chunked = open.cut && open.layout.pipeline > 1 ? divisors(perStage) : [open.layout.chunks];
  const cuts = divisors(samples).flatMap((micro) => {
    const batch = { micro, count: samples / micro, sequence };
    const allowed = batch.count % open.layout.pipeline === 0 ? chunked : [1];
    return allowed.map((chunks) => ({ layout: { ...open.layout, chunks }, batch }));
  });
  const room = generic.usable * machine.memory;
  const seconds = ({ layout, batch }: (typeof cuts)[number]): number =>
    timeOf(shape, layout, batch, engine, machine, generic).step;
  const messages = ({ layout, batch }: (typeof cuts)[number]): number => batch.count * layout.chunks;
  const timed = cuts
    .filter(({ layout, batch }) =>
      memoryOf(shape, layout, batch, engine, generic).every(({ needed }) => needed <= room),
    )
    .map((cut) => ({ cut, time: seconds(cut) }));
  const least = Math.min(...timed.map(({ time }) => time));
  return timed
    .filter(({ time }) => time <= (1 + resolution) * least)
    .sort((a, b) => messages(a.cut) - messages(b.cut) || a.time - b.time)[0]?.cut;
}

const divisors = (n: number): number[] =>
  Number.isInteger(n) ? Array.from({ length: n }, (_, i) => i + 1).filter((d) => n % d === 0) : [1];

/** FLOPs of a step by the formula of arXiv 2104.04473, 5.1: what it counts runs forward twice. */
export function secondsOf(row: Row, shape: Shape, sequence: number): number | undefined {
  const rate = row.measured["tflops_per_gpu"];
  const { gpus } = row.hardware;
  const { global } = row.batch;
  if (!row.engine.startsWith("Megatron-LM 2021") || row.recompute?.startsWith("full") !== true) return undefined;
  if (typeof rate !== "number" || gpus == null || global == null) return undefined;
  const [layers, { hidden, vocab }] = [shape.blocks.length, shape];
  const share = 1 + sequence / (6 * hidden) + vocab / (16 * layers * hidden);
  return (96 * global * sequence * layers * hidden ** 2 * share) / (gpus * rate * 1e12);
}
