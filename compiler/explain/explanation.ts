/** What is told of one value: where it came from, and the same of what it was computed from. */
import type { Origin } from "../../dsl/eval/origin.ts";
import type { Trace } from "../../dsl/eval/trace.ts";
import type { Span } from "../../dsl/source/source.ts";

export interface Explanation {
  readonly path: string;
  readonly value: string;
  /** Whether there is a value by now: what an error touches has none. */
  readonly known: boolean;
  readonly origin: Origin;
  /** The expression as written, where it is more than the value. */
  readonly text: string | null;
  readonly span: Span | null;
  /** What it was computed from. */
  readonly from: readonly Explanation[];
}

export const ofTrace = (trace: Trace): Explanation => ({ ...trace, from: trace.from.map(ofTrace) });
