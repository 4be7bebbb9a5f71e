import type { Span } from "../../../dsl/source/source.ts";

/** What a reader makes of a branch whose condition nobody knows. */
export interface Choices {
  /** Which of its ways is taken, the last being that none is; `null` follows all of them and keeps what they agree on. */
  readonly take: (at: Span, ways: number) => number | null;
  /** Its ways were followed, and do not agree. */
  readonly differ: (at: Span, ways: number) => void;
}

export const allWays: Choices = { take: () => null, differ: () => undefined };
