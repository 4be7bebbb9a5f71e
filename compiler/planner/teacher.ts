/**
 * The model that a stage learns from: its weights beside the student's, and a forward pass of each batch. It lies as the student does, for one
 * engine wraps both (trl, models/utils.py: prepare_deepspeed, which takes stage 3 as it is and stage 0 in place of the others).
 */
import { groundOf } from "./adapter/ground.ts";
import { shapeOf } from "./adapter/shape.ts";
import { batchOf, layoutOf } from "./adapter/spread.ts";
import { collectiveSeconds } from "./physics/collective.ts";
import type { Layout } from "./physics/layout.ts";
import { blockParameters, endParameters, paddedVocab } from "./physics/parameters.ts";
import { denseReplicas } from "./physics/replicas.ts";
import { kindsOf } from "./physics/tally.ts";
import { timeOf } from "./physics/time.ts";
import type { Choice, Setting } from "./setting.ts";

export interface Taught {
  /** Bytes of a rank: all its weights, and those of the layers that stage 3 has gathered. */
  readonly weights: number;
  readonly gathered: number;
  /** Bytes of what the teacher says of a micro-batch, on the rank that compares it. */
  readonly logits: number;
  readonly seconds: number;
}

/** Bytes of a weight that is only read. */
export const readWidth = ({ precision }: Pick<Setting, "precision">): number => (precision === "fp32" ? 4 : 2);

/** Logits as the head writes them, and the distribution in 32 bits that a divergence is taken of. */
export const perLogit = 2 + 4;

export function taughtOf(setting: Setting, choice: Choice): Taught | null {
  const { teacher, engine, precision } = setting;
  if (teacher === undefined) return null;
  const { machine, constants, describe } = groundOf(setting);
  const { engine: described } = describe(choice);
  const shape = shapeOf(teacher.family, teacher.model, engine.widths(precision).compute, setting.sequence);
  const layout: Layout = { ...layoutOf(setting, choice), recompute: "none", zero: choice.zero_stage === 3 ? 3 : 0 };
  const batch = batchOf(setting, choice);
  const width = readWidth(setting);
  const kinds = kindsOf(shape).map(({ block, count }) => ({ count, held: blockParameters(shape, block, layout) }));
  const unit = Math.max(...kinds.map(({ held }) => held.dense + held.expert));
  const rows = paddedVocab(shape.vocab, layout, described.padding);
  const ends = endParameters(shape, layout, rows);
  const blocks = kinds.reduce((sum, { count, held }) => sum + count * (held.dense + held.expert), 0);
  // A stage has its share of the layers, and the fuller end of the tables.
  const outer = layout.pipeline === 1 ? ends.first + ends.last : Math.max(ends.first, ends.last);
  const held = width * (blocks / layout.pipeline + outer);
  const shards = layout.shard ?? layout.data * layout.context;
  const tokens = (batch.micro * batch.sequence) / layout.context;
  const { parts } = timeOf(shape, layout, batch, described, machine, constants);
  // Of three passes, and of two rounds of what ranks tell each other, one is made.
  const forward =
    (parts.compute + parts.context_comm + parts.pipeline_comm + parts.pipeline_bubble) / 3 +
    (parts.tensor_comm + parts.expert_comm) / 2;
  const { group } = denseReplicas(layout, machine.domain);
  const gather =
    layout.zero === 3 ? batch.count * collectiveSeconds("gather", held, group, machine, constants, kinds.length) : 0;
  return {
    weights: layout.zero === 3 ? held / shards : held,
    gathered: layout.zero === 3 ? 2 * width * unit : 0,
    logits: (perLogit * tokens * rows) / layout.tensor,
    // Layers are gathered beside those before them.
    seconds: Math.max(forward, gather),
  };
}
