import type { Engine } from "./engine.ts";
import { worldOf, type Batch, type Layout } from "./layout.ts";
import type { Machine } from "./machine.ts";

/** What a message between stages costs beside its bytes. */
export interface SendConstants {
  /** Seconds inside a fast domain, and over the network. */
  readonly send: number;
  readonly send_far: number;
  /** Seconds by which a program that waits at every message does so on many nodes. */
  readonly stall: number;
  /** Seconds by which each message may wait on a network over which nobody measured the program. */
  readonly hiccup: number;
}

/** Nodes of a run whose messages wait as those of a group of tensor ranks that stands in a number of nodes, over that number. */
const wide = 16;

/**
 * Nodes that a message waits for: all that a run stands on, or as a group of tensor ranks that stands in several makes it wait on any number of
 * nodes. Measured with groups of 32 ranks on 16 nodes, which stall as runs on 64 nodes do, and of 16 ranks there, which do not.
 */
export function crowdOf(
  layout: Pick<Layout, "tensor" | "pipeline" | "context" | "data">,
  { domain }: Pick<Machine, "domain">,
): number {
  const groups = layout.tensor > domain ? (wide * layout.tensor) / domain : 0;
  return Math.max(worldOf(layout) / domain, groups);
}

/** Micro-batches that hooks on gradients bear: one of 13 runs with as many or fewer stalled, all 33 with twice as many or more did. */
const borne = 8;

/**
 * Do messages between stages stall beside hooks that reduce whole gradients? Measured over 4 and 16 nodes, with models of any size: none stalled on
 * one node or without replicas, and of pairs of replicas inside a node two of seven. No source says why.
 */
export function isHooked(
  { zero, pipeline, data, context, tensor }: Layout,
  { count }: Pick<Batch, "count">,
  { overlaps }: Pick<Engine, "overlaps">,
  { domain }: Pick<Machine, "domain">,
): boolean {
  const replicas = data * context;
  const isHooking = overlaps.gradients === "whole" && zero === 0 && replicas > 1 && pipeline > 1;
  const isFar = tensor * pipeline * replicas > domain;
  const isSpared = replicas === 2 && tensor * replicas <= domain;
  return isHooking && isFar && !isSpared && count > borne;
}

/** Half of a stall is met on as many nodes: measured between 16, where few messages stall, and 64, where nearly all do. */
export const half = 48;

/** How much of a stall the usual run meets. */
export const stalledShare = (nodes: number): number => 1 / (1 + (half / nodes) ** 16);

/** A program whose allocator is short of memory stalls at each message, on any number of nodes. */
export function sendSeconds(
  nodes: number,
  { send, send_far, stall }: Omit<SendConstants, "hiccup">,
  isShort = false,
): number {
  const stalled = isShort ? stall : 0;
  return nodes > 1 ? send_far + Math.max(stalled, stall * stalledShare(nodes)) : send + stalled;
}

/** Share of the runs on so many nodes whose messages stall: of few, for a fifth stalled over 4 and a third over 16. */
export const stallOdds = (nodes: number): number => (nodes > 1 ? 1 / (1 + half / nodes) : 0);
