/** What a layer costs at least, out of which the floors of layouts are made. */
import { groundOf } from "../adapter/ground.ts";
import { activationBytes, stayingOf } from "../physics/activations.ts";
import { blockTime } from "../physics/block-time.ts";
import type { Engine } from "../physics/engine.ts";
import type { Layout } from "../physics/layout.ts";
import { paddedVocab } from "../physics/parameters.ts";
import type { Block } from "../physics/shape.ts";
import { lossSeconds } from "../physics/time.ts";
import type { Setting } from "../setting.ts";

/** Seconds of one micro-batch, forward and backward. */
export interface Seconds {
  /** Of each distinct block. */
  readonly blocks: readonly number[];
  /** Head, its gradients and the passes over the logits, on the last stage. */
  readonly loss: number;
}

/** Bytes that one sample keeps. */
export interface Load {
  readonly kept: readonly number[];
  /** While the block runs backward. */
  readonly whole: readonly number[];
  readonly logits: number;
}

export function secondsOf(
  setting: Setting,
  blocks: readonly Block[],
  layout: Layout,
  micro: number,
  engine: Engine,
): Seconds {
  const { shape, machine, constants } = groundOf(setting);
  const batch = { micro, count: 1, sequence: setting.sequence };
  const tokens = (micro * setting.sequence) / layout.context;
  const rows = paddedVocab(shape.vocab, layout, engine.padding) / layout.tensor;
  return {
    blocks: blocks.map((block) => {
      const { compute, tensor, expert, ring } = blockTime(shape, block, layout, batch, engine, machine, constants);
      return compute + tensor + expert + ring;
    }),
    loss: lossSeconds(shape, tokens, rows, engine, machine, constants),
  };
}

export function loadOf(setting: Setting, blocks: readonly Block[], layout: Layout, engine: Engine): Load {
  const { shape } = groundOf(setting);
  const batch = { micro: 1, count: 1, sequence: setting.sequence };
  const rows = paddedVocab(shape.vocab, layout, engine.padding) / layout.tensor;
  return {
    // The more layers are added up, the more even they are: all of them are the least of any stage's.
    kept: blocks.map(
      (block) =>
        stayingOf(shape, layout) *
        activationBytes(shape, block, layout, batch, engine, layout.recompute, shape.blocks.length),
    ),
    whole: blocks.map((block) => activationBytes(shape, block, layout, batch, engine, "none")),
    logits: (engine.logits * setting.sequence * rows) / layout.context,
  };
}

/** Of a share of the layers run again, between none and all. */
export function mixed(once: Seconds, again: Seconds, share: number): Seconds {
  if (share === 0) return once;
  return { ...once, blocks: once.blocks.map((one, at) => (1 - share) * one + share * (again.blocks[at] ?? 0)) };
}
