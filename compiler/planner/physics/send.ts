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

/** Half of a stall is met on as many nodes: measured between 16, where few messages stall, and 64, where nearly all do. */
const crowd = 48;

/** A program whose allocator is short of memory stalls at each message, on any number of nodes. */
export function sendSeconds(
  nodes: number,
  { send, send_far, stall }: Omit<SendConstants, "hiccup">,
  isShort = false,
): number {
  const stalled = isShort ? stall : 0;
  return nodes > 1 ? send_far + Math.max(stalled, stall / (1 + (crowd / nodes) ** 8)) : send + stalled;
}

/** Share of the runs on so many nodes whose messages stall: of few, for a fifth stalled over 4 and a third over 16. */
export const stallOdds = (nodes: number): number => (nodes > 1 ? 1 / (1 + crowd / nodes) : 0);
